/// The sender of requests that this process handles. It gets the reply or the failure that ends each of them.
@MainActor
package protocol RequestSender: AnyObject {
    /// How many names of the ``NameTable`` it knows.
    var names: Int { get }

    /// Ends a request. Each request ends once.
    /// - Parameters:
    ///   - id: the request's id.
    ///   - name: the request's name.
    func end(_ id: UInt64, _ name: String, with end: RequestEnd)
}
