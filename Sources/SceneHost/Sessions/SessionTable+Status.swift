import Bus

extension SessionTable.Session {
    /// The session's phase as operators see it; see ``SessionStatus/state``.
    var state: SessionState {
        switch phase {
        case .waiting: .waiting
        case .collecting(.some): .resuming
        case .leased, .collecting: .cutOff
        case .returning, .resuming: .resuming
        case .connecting(_, nil): .connecting
        case .connecting, .freezing, .storing: .moving
        case .running: .running
        case .withdrawing: .withdrawing
        }
    }
}

extension SessionTable {
    /// Why a session has no scene, or cannot leave a draining worker; `nil` when there is no problem.
    /// - Parameter reasons: a cache, by configuration, of the reasons why no worker has room.
    func trouble(of session: Session, reasons: inout [String: String]) -> String? {
        let trouble = currentTrouble(of: session, reasons: &reasons)
        guard let unreadable = session.unreadable, let trouble, trouble != unreadable, session.state != .running else {
            return trouble
        }
        return "\(unreadable); now: \(trouble)"
    }

    private func currentTrouble(of session: Session, reasons: inout [String: String]) -> String? {
        switch session.phase {
        case .running(let id):
            // The session waits for the next attempt to move it.
            guard let worker = workers[id], worker.isDraining else { return nil }
            if let suspicion = session.record.suspicion, suspicion.isHeld {
                return "it cannot leave \(worker.name): it has \(suspicion.problem(of: session.id))"
            }
            if session.retry.due != nil || !session.refusedBy.isEmpty {
                return "it cannot leave \(worker.name): \(session.problem)"
            }
            let configuration = session.record.configuration
            guard (pools[configuration]?.roomy ?? 0) == 0 else { return nil }
            return "it cannot leave \(worker.name): no other worker that offers '\(configuration)' has room"
        case .waiting where session.isHeld: return session.record.suspicion?.problem(of: session.id)
        case .waiting where session.retry.due == nil && session.refusedBy.isEmpty:
            let configuration = session.record.configuration
            if let known = reasons[configuration] { return known }
            let reason = lack(of: configuration)
            reasons[configuration] = reason
            return reason
        case .collecting(.some): return "its worker has come back with it"
        case .waiting, .leased, .collecting, .withdrawing: return session.problem
        case .returning, .resuming: return "its worker has come back with it"
        case .connecting(_, nil): return "its scene is being made"
        case .connecting, .freezing, .storing: return "it is moving to another worker"
        }
    }

    /// What becomes of a session now, for errors.
    func summary(of session: Session) -> String {
        if session.isHeld, let suspicion = session.record.suspicion {
            return suspicion.problem(of: session.id, quotes: false)
        }
        var reasons: [String: String] = [:]
        return trouble(of: session, reasons: &reasons) ?? session.state.rawValue
    }

    /// Why no worker accepts a session of a configuration.
    private func lack(of configuration: String) -> String {
        if isHeld { return "the host's store cannot be written; 'scenebus status' shows why" }
        if expected != nil { return "the host is waiting for the workers that it has started" }
        let pool = pools[configuration] ?? ConfigurationPool()
        if pool.attached == 0 { return "no worker that offers '\(configuration)' is attached" }
        if pool.open == 0 { return "every worker that offers '\(configuration)' is being drained" }
        if pool.roomy == 0 { return "no worker that offers '\(configuration)' has room" }
        return "it is about to be given to a worker that offers '\(configuration)'"
    }

    /// Whether a session's scene may be running before a deadline, as far as is known now.
    func mayRun(_ session: Session, before end: MonotonicInstant) -> Bool {
        guard session.phase == .waiting else { return true }
        guard !session.isHeld else { return false }
        if let due = session.retry.due { return due < end && !session.isRefused }
        if expected != nil || isHeld { return true }
        let roomy = pools[session.record.configuration]?.roomy ?? 0
        guard roomy > 0, !session.refusedBy.isEmpty else { return roomy > 0 }
        let excluded = session.refusedBy.count { id in
            workers[id].map { $0.standing.isRoomy && $0.offers.contains(session.record.configuration) } ?? false
        }
        return roomy > excluded
    }
}
