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

    /// Returns the text of the actor of the message because of which a peer sends a frame, which is also that of the frame; `nil`
    /// for a message of this process itself, and for one that was not handed to the peer lately.
    ///
    /// A worker with a key acts for others in the sessions of its scenes. Without a session it does so only with the same message,
    /// which it passes on: else whoever looks at one of its scenes would let it do all that they may do.
    func actor(ofParentOf frame: borrowing Frame, by link: HubLink) -> String? {
        let id = frame.parent
        let forward = handled(id, by: link).map { (name: $0.name, actor: $0.actor) }
        guard let (name, actor) = forward ?? link.handed.origin(of: id), !actor.isEmpty else { return nil }
        let isFree = !link.hasKey || link.hello.role != .worker || !frame.session.isEmpty
        return isFree || frame.flags.contains(.passedOn) && frame.name == name ? actor : nil
    }

    /// Returns a request that a peer handles.
    private func handled(_ id: UInt64, by link: HubLink) -> Forward? {
        link.traffic.handedOn.contains(id) ? state.forwards.waiter(id) : nil
    }
}
