import Messaging
import Bus

/// Which sessions a peer may name in its messages, and for whom it acts with them.
extension RequestRouter {
    /// Returns whether a message of a peer belongs to the session that it names, as far as the peer's links show it.
    ///
    /// A worker proves that with the session's token, which the hub's owner checks. Any peer may pass on a message of a
    /// session that was handed on to it.
    func provesSession(_ frame: borrowing Frame, of link: HubLink) -> Bool {
        if frame.session.isEmpty { return true }
        guard frame.flags.contains(.passedOn), frame.token == 0 else { return link.hello.role == .worker }
        if frame.kind == .post { return link.handed.contains(passedOn: frame) }
        return handled(frame.parent, by: link)?.session == frame.session
    }

    /// Returns the text of the actor of a message that was handed to a peer, which is also that of what the peer sends because
    /// of it; `nil` for a message of this process itself, and for one that was not handed to the peer lately.
    func actor(ofParent id: UInt64, by link: HubLink) -> String? {
        let actor = handled(id, by: link)?.actor ?? link.handed.actor(of: id)
        return actor.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns a request that a peer handles.
    private func handled(_ id: UInt64, by link: HubLink) -> Forward? {
        link.traffic.handedOn.contains(id) ? state.forwards.waiter(id) : nil
    }
}
