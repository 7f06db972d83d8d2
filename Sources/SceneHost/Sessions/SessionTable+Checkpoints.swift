import Bus
import CBOR

/// The state, and the links, with which a session's next scene starts.
extension SessionTable {
    // MARK: - Room

    /// Takes room for a new session; see ``SessionRoom/take(for:links:by:)``.
    mutating func takeRoom(
        for record: SessionRecord, links: [CBORRaw], by opener: String
    ) throws(SceneCommandError) -> SessionRoom.Share {
        try room.take(for: record, links: links, by: opener)
    }

    /// Gives back the room of a session that could not be opened.
    mutating func giveBackRoom(_ share: SessionRoom.Share) { room.giveBack(share) }

    /// Checks that there is room for a state that the worker of a session's scene has sent.
    /// - Throws: ``SceneCommandError`` when there is none.
    private func checkRoom(for state: CBORRaw, of session: Session) throws(SceneCommandError) {
        guard state.bytes.count > session.share.state else { return }
        let worker = sender(of: session)
        try room.check(state, from: worker?.name ?? "", by: worker?.sharer ?? "", session.share)
    }

    /// The worker that sends a session's state.
    private func sender(of session: Session) -> AttachedWorker? {
        session.phase.workers.first.flatMap { workers[$0] }
    }

    // MARK: - States

    /// Saves the state of a session's scene.
    /// - Returns: whether the state has changed.
    /// - Throws: ``SceneCommandError`` when the sender's token is outdated, the session is not open, or the state has no
    ///   room.
    mutating func checkpoint(_ id: String, state: CBORRaw, token: UInt64) throws -> Bool {
        guard let session = sessions[id] else { throw SceneCommandError.notOpen(id) }
        guard isCurrent(token, of: session) else {
            throw SceneCommandError(.staleToken, "session '\(id)' is no longer run by this scene")
        }
        try checkRoom(for: state, of: session)
        return keep(state, of: id)
    }

    /// Saves a session's state.
    /// - Returns: whether the state has changed.
    mutating func keep(_ state: CBORRaw, of id: String) -> Bool {
        guard let session = sessions[id], session.record.state != state else { return false }
        sessions[id]?.record.state = state
        if state.bytes.count != session.share.state { charge(state, to: session) }
        // Workers that could not read the old state may be able to read the new one.
        sessions[id]?.refusedBy = []
        return true
    }

    private mutating func charge(_ state: CBORRaw?, to session: Session) {
        var share = session.share
        room.keep(state, by: sender(of: session)?.sharer ?? "", &share)
        sessions[session.id]?.share = share
    }

    /// Drops a session's state.
    mutating func dropState(of id: String) {
        guard let session = sessions[id] else { return }
        sessions[id]?.record.state = nil
        charge(nil, to: session)
    }

    /// Keeps only these of the links that a session's next scene opens.
    mutating func keep(links: [CBORRaw], of id: String) {
        guard var share = sessions[id]?.share else { return }
        room.keep(links: links, &share)
        sessions[id]?.links = links
        sessions[id]?.share = share
    }
}
