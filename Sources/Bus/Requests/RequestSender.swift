package import Messaging

/// The sender of requests that this process handles, to which it replies.
@MainActor
package protocol RequestSender: AnyObject {
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
    /// - Returns: `false` if the reply cannot be written there. The request has not ended then.
    func end<M: ResponderRequest>(with frame: borrowing Frame, _ reply: M.Reply, to message: M.Type) -> Bool
}
