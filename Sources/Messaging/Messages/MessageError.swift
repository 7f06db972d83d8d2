import CBOR

/// Why a message has no reply: the answer of the bus and of the chain, never of a handler.
public struct MessageError: Error, Codable, Hashable, Sendable, CustomStringConvertible {
    /// The one reason of a request's end that is not its handler's.
    public enum Code: String, Codable, Sendable {
        /// No responder handles it, up to the top of the chain.
        case unhandled
        /// No reply came before the deadline.
        case timeout
        /// The receiver has no room for more requests.
        case overloaded
        /// The sender may not speak for the session: it lives elsewhere by now.
        case unauthorized
        /// The receiver is about to end and takes no new requests.
        case draining
        /// The process that had it is gone; ``MessageError/mayHaveBeenHandled`` says whether it was sent.
        case peerLost
        /// Its payload is not what the message's fields ask for.
        case malformed
    }

    /// Why there is no reply.
    public let code: Code
    /// The message's name.
    public let message: String
    /// The responders it climbed past, from the sender upwards, across processes.
    public let path: [String]
    /// What else there is to know: which field, which peer, how long.
    public let detail: String
    /// Whether a handler may have got the message all the same: it was sent, and nobody knows what came of it, or its handler threw
    /// this error, which it got for a message of its own. When `false`, no handler has brought it to an end, and sending it again
    /// does not do it twice; only what a handler did before it passed the message on, and nobody above took it, has been done.
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

    /// The same error, with the part of the path that lies below it put before its own. A receiver that knows the sender
    /// names it too: it is named once.
    package func reached(through below: [String]) -> MessageError {
        let isSenderKnown = path.first != nil && path.first == below.first
        return MessageError(
            code, message: message, path: below + path.dropFirst(isSenderKnown ? 1 : 0), detail: detail,
            mayHaveBeenHandled: mayHaveBeenHandled)
    }

    /// The same error, as the end of a message whose handler threw it: the handler has begun, whatever the bus says of what it sent
    /// itself. A message that it only passed on, and that nobody above handles, is as unhandled as before.
    package func thrown(byHandlerOf message: String) -> MessageError {
        code == .unhandled && self.message == message ? self : maybeHandled
    }

    /// The same error, of a request that was sent before, or has begun.
    package var maybeHandled: MessageError {
        if mayHaveBeenHandled { return self }
        return MessageError(code, message: message, path: path, detail: detail, mayHaveBeenHandled: true)
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
        case .draining: return "'\(message)' was refused: its receiver is ending\(tail)"
        case .peerLost:
            let what =
                mayHaveBeenHandled
                ? "lost the process that had it, and may have been" : "could not be sent, and was not"
            return "'\(message)' \(what) handled\(tail)"
        case .malformed: return "'\(message)' could not be read\(tail)"
        }
    }
}

/// An error that a handler in another process threw.
public struct RemoteError: Error, Codable, Hashable, Sendable, CustomStringConvertible {
    /// The name of the error's type where it was thrown.
    public let type: String
    /// Its description.
    public let message: String
    /// Its code, when it has one: see ``CodedError``.
    public let code: String?

    public init(type: String, message: String, code: String? = nil) {
        self.type = type
        self.message = message
        self.code = code
    }

    /// What crosses the bus of an error that a handler threw.
    public init(_ error: any Error) {
        if let remote = error as? RemoteError {
            self = remote
        } else {
            self.init(
                type: String(describing: Swift.type(of: error)), message: String(explaining: error),
                code: (error as? any CodedError)?.code)
        }
    }

    public var description: String { message }
}

/// An error with a code that a caller in another process, or in another language, can tell apart.
public protocol CodedError: Error {
    /// What the caller gets as ``RemoteError/code``.
    var code: String { get }
}
