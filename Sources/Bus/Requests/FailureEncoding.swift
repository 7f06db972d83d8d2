package import Messaging

/// How the error with which a request failed is encoded as the payload of a failure frame.
package enum FailureEncoding: Codable, Sendable {
    /// An error from the bus or the responder chain.
    case message(MessageError)
    /// An error from the handler.
    case handler(RemoteError)

    private enum CodingKeys: String, CodingKey {
        case message, handler
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        if let error = try fields.decodeIfPresent(MessageError.self, forKey: .message) {
            self = .message(Self.bounded(error))
        } else {
            self = .handler(Self.bounded(try fields.decode(RemoteError.self, forKey: .handler)))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .message(let error): try fields.encode(error, forKey: .message)
        case .handler(let error): try fields.encode(error, forKey: .handler)
        }
    }

    /// The maximum length of a description in a failure, in bytes. An error's description may have any length, but a
    /// frame may not. A peer may send a longer one all the same, so a failure that is received is cut, too: its text
    /// becomes the problem of a session, and part of other errors.
    private static let maximumText = 16 << 10
    /// The maximum length of a name, in bytes, and the maximum number of names in a path.
    private static let maximumName = 1 << 10
    private static let maximumPath = 256

    package init(_ error: any Error) {
        if let error = error as? MessageError {
            self = .message(Self.bounded(error))
        } else {
            self = .handler(Self.bounded(RemoteError(error)))
        }
    }

    private static func bounded(_ error: MessageError) -> MessageError {
        MessageError(
            error.code, message: bounded(error.message, maximumName),
            path: error.path.prefix(maximumPath).map { bounded($0, maximumName) },
            detail: bounded(error.detail, maximumText), mayHaveBeenHandled: error.mayHaveBeenHandled)
    }

    private static func bounded(_ error: RemoteError) -> RemoteError {
        RemoteError(
            type: bounded(error.type, maximumName), message: bounded(error.message, maximumText),
            code: error.code.map { bounded($0, maximumName) })
    }

    private static func bounded(_ text: String, _ maximum: Int) -> String {
        guard text.utf8.count > maximum else { return text }
        return String(decoding: text.utf8.prefix(maximum), as: UTF8.self) + "..."
    }

    package var error: any Error {
        switch self {
        case .message(let error): return error
        case .handler(let error): return error
        }
    }
}
