// Code that declares coordinators also uses messages, so one import is enough for both. The attribute is not a stable
// feature of the language, but there is no other way to re-export a module.
@_exported public import Messaging
// The values of a notification and of a user activity.
@_exported public import enum CBOR.CBORValue
// The values of a screen, such as quantities.
@_exported public import SceneContent
