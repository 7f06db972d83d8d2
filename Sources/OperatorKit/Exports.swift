// What scenes show, the errors and the messages belong to the interface of this module.
@_exported public import Messaging
// The layers and blocks of a watched scene.
@_exported public import SceneContent
