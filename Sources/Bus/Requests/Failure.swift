package import CoordinatorKit

/// The payload of a failure frame: how a request ended without a reply.
package enum Failure: Codable, Sendable {
    /// The bus's or the chain's answer.
    case message(MessageError)
    /// The handler's error.
    case handler(RemoteError)

    package init(_ error: any Error) {
        self = (error as? MessageError).map { .message($0) } ?? .handler(RemoteError(error))
    }

    package var error: any Error {
        switch self {
        case .message(let error): return error
        case .handler(let error): return error
        }
    }
}
