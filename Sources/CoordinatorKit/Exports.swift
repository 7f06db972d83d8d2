// Who writes coordinators writes messages, too: one import is enough. The attribute is not part of the language's stable surface, and
// there is no other way to re-export a module.
@_exported public import Messaging
