import CBOR

/// An error that a handler in another process threw.
public struct RemoteError: Error, Codable, Hashable, Sendable, CustomStringConvertible {
    /// The name of the error's type in the process that threw it.
    public let type: String
    /// The error's description.
    public let message: String
    /// The error's code; `nil` unless it is a ``CodedError``.
    public let code: String?

    public init(type: String, message: String, code: String? = nil) {
        self.type = type
        self.message = message
        self.code = code
    }

    /// Makes the error that is sent over the bus when a handler has thrown `error`.
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

/// An error with a code, by which a caller in another process, or in another language, can identify it.
public protocol CodedError: Error {
    /// The code that the caller gets as ``RemoteError/code``.
    var code: String { get }
}
