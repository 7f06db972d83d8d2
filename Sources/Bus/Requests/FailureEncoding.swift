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
            self = .message(error)
        } else {
            self = .handler(try fields.decode(RemoteError.self, forKey: .handler))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .message(let error): try fields.encode(error, forKey: .message)
        case .handler(let error): try fields.encode(error, forKey: .handler)
        }
    }

    /// The maximum length of a text in a failure, in bytes. An error's description may have any length, but a frame may
    /// not.
    private static let maximumText = 16 << 10

    package init(_ error: any Error) {
        if let error = error as? MessageError {
            self = .message(
                MessageError(
                    error.code, message: error.message, path: error.path, detail: Self.bounded(error.detail),
                    mayHaveBeenHandled: error.mayHaveBeenHandled))
        } else {
            let error = RemoteError(error)
            self = .handler(RemoteError(type: error.type, message: Self.bounded(error.message), code: error.code))
        }
    }

    private static func bounded(_ text: String) -> String {
        guard text.utf8.count > maximumText else { return text }
        return String(decoding: text.utf8.prefix(maximumText), as: UTF8.self) + "..."
    }

    package var error: any Error {
        switch self {
        case .message(let error): return error
        case .handler(let error): return error
        }
    }
}
