/// The fencing tokens, with which only one scene at a time may act for a session.
///
/// Each grant of a session to a worker has a new token, larger than all earlier ones, also those of earlier hosts: the
/// first token of a host is computed from its epoch.
extension SessionTable {
    /// The last token of the hosts before an epoch.
    static func lastToken(before epoch: UInt64) -> UInt64 { epoch << 20 }

    /// Gives a session a token for its next grant to a worker.
    mutating func nextToken(for id: String) -> UInt64 {
        lastToken += 1
        sessions[id]?.record.token = lastToken
        sessions[id]?.asks = Asks()
        return lastToken
    }

    /// Notes that a session was given to a worker, which may come back with it.
    mutating func given(_ id: String, to worker: WorkerID) {
        let key = workers[worker]?.key
        guard sessions[id]?.record.holder != key else { return }
        sessions[id]?.record.holder = key
        unsaved.insert(id)
    }

    /// Whether a worker may come back with a session. What it says of its scenes proves nothing, so one with a key has such
    /// sessions as were given to it last. One without a key may do everything.
    func mayHold(_ session: Session, _ worker: WorkerID) -> Bool {
        workers[worker]?.key.map { session.record.holder == $0 } ?? true
    }

    /// Whether a worker's scene may send messages for a session.
    func mayAct(_ id: String, token: UInt64, worker: WorkerID) -> Bool {
        guard let session = sessions[id], isCurrent(token, of: session) else { return false }
        switch session.phase {
        case .running(worker), .connecting(worker, _), .resuming(worker): return true
        case .freezing(let move): return move.from == worker
        // The request to resume the scene under a new token may not have reached the worker, so the scene may
        // still act under the old one.
        case .returning(worker): return session.kept != nil
        default: return false
        }
    }

    /// Whether a token is valid for a session: it is the newest one, or the newest one may not have replaced it yet. A
    /// scene that is resumed in place may have sent messages under its previous token.
    func isCurrent(_ token: UInt64, of session: Session) -> Bool {
        if token == session.token { return true }
        guard let kept = session.kept, kept.token < session.token else { return false }
        switch session.phase {
        case .resuming, .returning: return (kept.token..<session.token).contains(token)
        default: return false
        }
    }
}
