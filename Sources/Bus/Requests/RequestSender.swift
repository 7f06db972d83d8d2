package import Messaging

/// The sender of requests that this process handles, to which it replies.
@MainActor
package protocol RequestSender: AnyObject {
    /// How many names of the ``NameTable`` it knows.
    var names: Int { get }

    /// Ends a request. Each request ends once.
    /// - Parameters:
    ///   - id: the request's id.
    ///   - name: the request's name.
    ///   - session: the session in whose name it was sent; empty for none.
    func end(_ id: UInt64, _ name: String, _ session: String, with end: RequestEnd)

    /// Ends a request with a reply, which is written into the message that is about to be sent.
    ///
    /// The reply is written by code of the application.
    /// - Parameter frame: the reply's frame without its payload.
    func end<M: ResponderRequest>(with frame: borrowing Frame, _ reply: M.Reply, to message: M.Type) -> EndInPlace
}

/// Whether a request has ended with a reply that was to be written into the message that is about to be sent.
package enum EndInPlace {
    /// The request has ended.
    case ended
    /// The reply was encoded, but cannot be sent in place. The request has not ended.
    case encoded([UInt8])
    /// The reply was not encoded, or could not be. The request has not ended.
    case notWritten
}
