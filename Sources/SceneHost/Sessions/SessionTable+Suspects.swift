import Bus

/// Sessions whose scenes may have crashed their workers.
///
/// A session whose scene is in its worker's hands when the worker crashes is suspect. If that happens again before the
/// scene has done what it was asked for, the session is held. A suspect is never in the hands of a worker together with
/// another suspect, so that the second crash shows which one it was. If a scene that is not suspect was in the worker's
/// hands, too, the second crash does not show it, and the third one counts.
///
/// A worker that this host has not started may only be cut off. Its silence counts as a crash until it comes back. Such
/// a worker gets a suspect only right after it has shown that it lives: one that was cut off or killed before it got the
/// scene has not crashed because of it. An operator's own move does not wait for that.
extension SessionTable {
    // MARK: - Crashes

    /// Suspects the sessions whose scenes were in the hands of a worker that has crashed.
    /// - Parameter mayComeBack: whether the worker may only be cut off.
    mutating func accuseSessions(
        of worker: AttachedWorker, _ crash: Suspicion.Crash?, mayComeBack: Bool, _ now: MonotonicInstant
    ) {
        let inHands = worker.sessions.sorted().compactMap { id in
            sessions[id].map { (id, moments(of: $0, at: worker.id, now)) }
        }.filter { !$0.1.isEmpty }
        for (id, moments) in inHands {
            var suspicion = sessions[id]?.record.suspicion ?? Suspicion()
            suspicion.add(moments, crash, isShared: inHands.count > 1)
            sessions[id]?.record.suspicion = suspicion
            updateSuspect(id)
            unsaved.insert(id)
            accused.append(id)
            if mayComeBack {
                sessions[id]?.accusers.append(worker.process)
                accusations[worker.process, default: []].insert(id)
            }
            watch(id, at: now)
        }
    }

    /// What a worker was doing with a session's scene when it crashed; empty if the scene was not in its hands.
    private func moments(of session: Session, at worker: WorkerID, _ now: MonotonicInstant) -> Set<String> {
        var moments = session.phase.workers.first == worker ? session.asks.moments(at: now) : []
        switch session.phase {
        case .connecting(worker, _), .withdrawing(worker): moments.insert(Moment.connect)
        case .resuming(worker): moments.insert(Moment.resume)
        case .freezing(let move) where move.from == worker: moments.insert(Moment.freeze)
        default: break
        }
        return moments
    }

    /// Takes back what sessions are suspected of because of a worker that has come back.
    mutating func withdrawAccusations(of process: ProcessIdentity) {
        for id in accusations.removeValue(forKey: process) ?? [] {
            sessions[id]?.accusers.removeAll { $0 == process }
            guard var suspicion = sessions[id]?.record.suspicion else { continue }
            guard !suspicion.withdraw(of: process.peer) else {
                forgive(id)
                continue
            }
            sessions[id]?.record.suspicion = suspicion
            updateSuspect(id)
            unsaved.insert(id)
            returnToQueues(id)
        }
    }

    /// Notes that a suspect scene has done something without a crash.
    mutating func disprove(_ moment: String, of id: String) {
        guard var suspicion = sessions[id]?.record.suspicion else { return }
        guard !suspicion.disprove(moment) else { return forgive(id) }
        guard suspicion != sessions[id]?.record.suspicion else { return }
        sessions[id]?.record.suspicion = suspicion
        unsaved.insert(id)
    }

    /// Ends the suspicion of a session.
    mutating func forgive(_ id: String) {
        guard let session = sessions[id], session.isSuspect else { return }
        forgetAccusers(of: id)
        sessions[id]?.record.suspicion = nil
        updateSuspect(id)
        sessions[id]?.watch = nil
        unsaved.insert(id)
        changed.insert(id)
        updateTrial(of: id)
        returnToQueues(id)
    }

    /// Notes whether a session is suspect, and whether it is held.
    mutating func updateSuspect(_ id: String) {
        if sessions[id]?.isSuspect == true { suspects.insert(id) } else { suspects.remove(id) }
        if sessions[id]?.isHeld == true { held.insert(id) } else { held.remove(id) }
    }

    /// Which sessions are held, for operators; `nil` for none.
    var heldProblem: String? {
        // All peers read it, also those that may not know of each session.
        guard !held.isEmpty else { return nil }
        let which = held.count == 1 ? "one has crashed workers and is" : "\(held.count) have crashed workers and are"
        return "\(which) held; 'scenebus sessions ls' shows which and why"
    }

    /// Removes a session from those that workers may come back for.
    mutating func forgetAccusers(of id: String) {
        for process in sessions[id]?.accusers ?? [] {
            accusations[process]?.remove(id)
            if accusations[process]?.isEmpty == true { accusations[process] = nil }
        }
        sessions[id]?.accusers = []
    }

    /// Enqueues a session that was held until now, or that had to stay on a draining worker.
    private mutating func returnToQueues(_ id: String) {
        guard let session = sessions[id], !session.isHeld else { return }
        changed.insert(id)
        switch session.phase {
        case .waiting where session.retry.due == nil: enqueue(id)
        case .running(let worker) where workers[worker]?.isDraining == true: leave(id)
        default: break
        }
    }

    // MARK: - Time

    /// Checks from time to time whether a suspect's scene runs without a crash.
    mutating func watch(_ id: String, at now: MonotonicInstant) {
        let due = now + timing.suspicion
        var token: UInt64?
        if case .running = sessions[id]?.phase { token = sessions[id]?.token }
        sessions[id]?.watch = (due, token)
        agenda.add(.session(id), at: due)
    }

    /// Forgives a session whose scene has run since the last check.
    mutating func check(_ id: String, at now: MonotonicInstant) {
        guard let session = sessions[id], let watch = session.watch, watch.due <= now else { return }
        if case .running = session.phase, watch.token == session.token { return forgive(id) }
        self.watch(id, at: now)
    }

    // MARK: - Trials

    /// Whether a running scene may be asked for something now.
    func mayAsk(_ session: Session) -> Bool {
        guard session.isSuspect, let id = session.phase.worker, let worker = workers[id] else { return true }
        return mayTry(session, at: worker)
    }

    /// Whether a worker may make or ask the scene of a suspect now.
    private func mayTry(_ session: Session, at worker: AttachedWorker) -> Bool {
        (worker.trial ?? session.id) == session.id && (!worker.needsSign || signed.contains(worker.id))
    }

    /// The workers that cannot get a session now.
    func excluded(for session: Session) -> Set<WorkerID> {
        guard session.isSuspect else { return session.refusedBy }
        return session.refusedBy.union(workers.values.lazy.filter { !mayTry(session, at: $0) }.map(\.id))
    }

    /// Notes whether a suspect is in its worker's hands.
    mutating func updateTrial(of id: String) {
        guard let session = sessions[id], let worker = session.phase.workers.first else { return }
        updateTrial(of: session, at: worker)
    }

    mutating func updateTrial(of session: Session, at worker: WorkerID) {
        guard let trial = workers[worker]?.trial else {
            if session.isSuspect, session.isInHands(of: worker) { workers[worker]?.trial = session.id }
            return
        }
        guard trial == session.id, !session.isSuspect || !session.isInHands(of: worker) else { return }
        workers[worker]?.trial = nil
        invite(worker)
    }

    /// Notes that a worker has shown that it lives, so that it may get a suspect now.
    mutating func heard(_ id: WorkerID) -> [Action] {
        note(heard: id) ? place() : []
    }

    /// - Returns: whether suspects that have waited for this worker may be given to it.
    @discardableResult
    mutating func note(heard id: WorkerID) -> Bool {
        guard !suspects.isEmpty, workers[id]?.needsSign == true else { return false }
        signed.insert(id)
        invite(id)
        return true
    }

    /// Ends the time in which the workers that were heard may get suspects, unless placing goes on in the next turn.
    mutating func forgetHeard() {
        guard !hasMore else { return }
        signed = []
    }

    /// Lets the suspects that have waited for a worker be checked again.
    private mutating func invite(_ worker: WorkerID) {
        guard let offers = workers[worker]?.offers, let others = workers[worker]?.sessions else { return }
        for configuration in offers { checkChoosyAgain(of: configuration) }
        changed.formUnion(others.intersection(suspects))
    }
}

extension SessionTable.Session {
    /// Whether a worker has crashed while it had the scene in its hands; see ``Suspicion``.
    var isSuspect: Bool { record.suspicion != nil }
    /// Whether it gets no worker because it has crashed several.
    var isHeld: Bool { record.suspicion?.isHeld ?? false }

    /// Whether a worker makes, resumes or freezes the scene, or is to answer a request to it.
    func isInHands(of worker: WorkerID) -> Bool {
        switch phase {
        case .connecting(worker, _), .withdrawing(worker), .resuming(worker): true
        case .running(worker): !asks.pending.isEmpty
        case .freezing(let move): move.from == worker
        default: false
        }
    }
}
