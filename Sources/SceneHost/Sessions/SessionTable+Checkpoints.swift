import Bus
import CBOR

/// The state, and the links, with which a session's next scene starts.
extension SessionTable {
    /// Saves the state of a session's scene.
    /// - Returns: whether the state has changed.
    /// - Throws: ``SceneCommandError`` when the sender's token is outdated, or the session is not open.
    mutating func checkpoint(_ id: String, state: CBORRaw, token: UInt64) throws -> Bool {
        guard let session = sessions[id] else { throw SceneCommandError.notOpen(id) }
        guard isCurrent(token, of: session) else {
            throw SceneCommandError(.staleToken, "session '\(id)' is no longer run by this scene")
        }
        return keep(state, of: id)
    }

    /// Saves a session's state.
    /// - Returns: whether the state has changed.
    mutating func keep(_ state: CBORRaw, of id: String) -> Bool {
        guard sessions[id]?.record.state != state else { return false }
        sessions[id]?.record.state = state
        // Workers that could not read the old state may be able to read the new one.
        sessions[id]?.refusedBy = []
        return true
    }

    /// Replaces the links that a session's next scene opens.
    mutating func keep(links: [CBORRaw], of id: String) { sessions[id]?.links = links }
}
