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
}
