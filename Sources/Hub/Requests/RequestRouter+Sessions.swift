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

    /// Returns the text of the actor of a message: of the one with whose message it begins that the peer handles, or else of
    /// the peer itself. What the peer says about that has no effect.
    func actor(of frame: borrowing Frame, from link: HubLink) -> String {
        if frame.parent == 0 { return link.actor }
        let actor = handled(frame.parent, by: link)?.actor ?? link.handed.actor(of: frame.parent)
        return actor.flatMap { $0.isEmpty ? nil : $0 } ?? link.actor
    }

    /// Returns a request that a peer handles.
    private func handled(_ id: UInt64, by link: HubLink) -> Forward? {
        link.traffic.handedOn.contains(id) ? state.forwards.waiter(id) : nil
    }
}
