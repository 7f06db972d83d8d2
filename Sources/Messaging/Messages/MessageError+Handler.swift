extension MessageError {
    /// The error that the sender of a message gets when the message's handler throws this error.
    ///
    /// The handler has started, so the message may have been handled, whatever this error says about a message that the
    /// handler has sent itself. The exception is a message that the handler passed on and that no responder above
    /// handles: it is still unhandled.
    package func thrown(byHandlerOf message: String) -> MessageError {
        code == .unhandled && self.message == message ? self : maybeHandled
    }
}
