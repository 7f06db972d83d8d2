package import Bus
package import Messaging

/// The sender of a request, which waits for its reply.
package enum RequestOrigin {
    /// A peer, with its own id of the request.
    case peer(HubLink, id: UInt64, session: String)
    /// A request that must not be handled twice.
    case once(RequestKey)
    /// This process.
    case local(PendingResult<Frame>)

    var isLocal: Bool {
        if case .local = self { true } else { false }
    }
}
