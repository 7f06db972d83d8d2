import Bus

/// Which sessions a peer may name in its messages.
extension RequestRouter {
    /// Returns whether a message of a peer belongs to the session that it names, as far as the peer's links show it.
    ///
    /// A worker proves that with the session's token, which the hub's owner checks. Any peer may pass on a message of a
    /// session that was handed on to it.
    func provesSession(_ frame: borrowing Frame, of link: HubLink) -> Bool {
        if frame.session.isEmpty { return true }
        guard frame.flags.contains(.passedOn), frame.token == 0 else { return link.hello.role == .worker }
        if frame.kind == .post { return link.handedPosts.contains(frame.name, frame.session) }
        guard link.traffic.handedOn.contains(frame.parent), let forward = state.forwards.waiter(frame.parent) else {
            return false
        }
        return forward.session == frame.session
    }
}
