/// The reason why a message has no reply, reported by the bus or by the responder chain.
public struct MessageError: Error, Codable, Hashable, Sendable, CustomStringConvertible {
    /// The reasons for which the bus or the chain ends a request.
    public enum Code: String, Codable, Sendable {
        /// No responder up to the top of the chain handles the message.
        case unhandled
        /// No reply came before the deadline.
        case timeout
        /// The receiver has no room for more requests.
        case overloaded
        /// The sender may not act for the session, because the session has moved to another process.
        case unauthorized
        /// The receiver is shutting down and accepts no new requests.
        case draining
        /// The process that the message was for is gone, or the session for which it was sent, or the link has been closed.
        /// ``MessageError/mayHaveBeenHandled`` tells whether the message was sent before that.
        case peerLost
        /// The payload cannot be decoded as the message.
        case malformed
    }

    /// The kind of the error.
    public let code: Code
    /// The message's name.
    public let message: String
    /// The class names of the responders that did not handle the message, from the sender upwards, across processes.
    public let path: [String]
    /// Further information, such as the field, the peer or the duration.
    public let detail: String
    /// Whether a handler may have run in spite of the error.
    ///
    /// `true` if the message was sent and its outcome is unknown, or if its handler threw this error, which it had
    /// received for a message of its own. If `false`, no handler has completed the message, and it is safe to send it
    /// again. A handler that passed the message on, and found that no responder above handles it, may already have done
    /// part of its work.
    public let mayHaveBeenHandled: Bool

    public init(
        _ code: Code, message: String, path: [String] = [], detail: String = "", mayHaveBeenHandled: Bool = false
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.detail = detail
        self.mayHaveBeenHandled = mayHaveBeenHandled
    }

    private enum CodingKeys: String, CodingKey {
        case code, message, path, detail, mayHaveBeenHandled
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try fields.decode(Code.self, forKey: .code), message: try fields.decode(String.self, forKey: .message),
            path: try fields.decode([String].self, forKey: .path),
            detail: try fields.decode(String.self, forKey: .detail),
            mayHaveBeenHandled: try fields.decodeIfPresent(Bool.self, forKey: .mayHaveBeenHandled) ?? false)
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(code, forKey: .code)
        try fields.encode(message, forKey: .message)
        try fields.encode(path, forKey: .path)
        try fields.encode(detail, forKey: .detail)
        if mayHaveBeenHandled { try fields.encode(true, forKey: .mayHaveBeenHandled) }
    }

    /// The same error, with the part of the path below the receiver put before its own path. If both parts begin with
    /// the sender, it is listed only once.
    package func reached(through below: [String]) -> MessageError {
        let isSenderKnown = path.first != nil && path.first == below.first
        return MessageError(
            code, message: message, path: below + path.dropFirst(isSenderKnown ? 1 : 0), detail: detail,
            mayHaveBeenHandled: mayHaveBeenHandled)
    }

    /// The same error, for a request that has been sent or whose handler has started.
    package var maybeHandled: MessageError {
        if mayHaveBeenHandled { return self }
        return MessageError(code, message: message, path: path, detail: detail, mayHaveBeenHandled: true)
    }

    /// The error that the sender of a message gets when the message's handler throws this error.
    ///
    /// The handler has started, so the message may have been handled, whatever this error says about a message that the
    /// handler has sent itself. The exception is a message that the handler passed on and that no responder above
    /// handles: it is still unhandled.
    package func thrown(byHandlerOf message: String) -> MessageError {
        code == .unhandled && self.message == message ? self : maybeHandled
    }

    public var description: String {
        let tail = detail.isEmpty ? "" : ": \(detail)"
        switch code {
        case .unhandled:
            let climbed = path.isEmpty ? "" : "; it climbed \(path.joined(separator: " > "))"
            return "no responder handles '\(message)'\(climbed)\(tail)"
        case .timeout:
            let maybe = mayHaveBeenHandled ? ", and may have been handled" : ""
            return "'\(message)' had no reply in time\(maybe)\(tail)"
        case .overloaded: return "'\(message)' was refused: its receiver is overloaded\(tail)"
        case .unauthorized: return "'\(message)' was refused: the sender may not send it\(tail)"
        case .draining: return "'\(message)' was refused: its receiver is shutting down\(tail)"
        case .peerLost:
            let what =
                mayHaveBeenHandled
                ? "was lost with the process that had it, and may have been" : "could not be sent, and was not"
            return "'\(message)' \(what) handled\(tail)"
        case .malformed: return "'\(message)' could not be read\(tail)"
        }
    }
}
