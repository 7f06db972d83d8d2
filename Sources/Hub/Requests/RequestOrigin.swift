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

    /// The text of the actor of a request that begins here; empty for this process, and for one on record, which names its
    /// actor itself.
    @MainActor var actor: String {
        if case .peer(let link, _, _) = self { link.actor } else { "" }
    }

    var isLocal: Bool {
        if case .local = self { true } else { false }
    }
}
