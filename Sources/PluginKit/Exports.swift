// The messages, and the values of a plugin's configuration, belong to the interface of this module. `CoordinatorKit` does the
// same.
@_exported public import Messaging
@_exported public import enum CBOR.CBORValue
