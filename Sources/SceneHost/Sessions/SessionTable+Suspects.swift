import Bus

/// Sessions whose scenes may have crashed their workers.
///
/// A session whose scene is in its worker's hands when the worker crashes is suspect. If that happens again before the
/// scene has done what it was asked for, the session is held. A suspect is never in the hands of a worker together with
/// another suspect, so that the second crash shows which one it was.
///
/// A worker that this host has not started may only be cut off. Its silence counts as a crash until it comes back.
extension SessionTable {
    /// The names of what a worker does with a scene.
    enum Moment {
        static let connect = "connect", resume = "resume", freeze = "freeze"
        static let content = "content", open = "open"

        /// The name of an action may have megabytes, and is kept for a while.
        static func act(_ action: String) -> String {
            let name = "act "
            guard name.utf8.count + action.utf8.count > Suspicion.maximumMoment else { return name + action }
            return name + String(decoding: action.utf8.prefix(Suspicion.maximumMoment - name.utf8.count), as: UTF8.self)
        }

        /// Describes a moment, to follow "while".
        static func words(_ moment: String) -> String {
            switch moment {
            case connect: "it made the scene"
            case resume: "it resumed the scene"
            case freeze: "it froze the scene"
            case content: "the scene was asked for its content"
            case open: "the scene opened a link"
            case _ where moment.hasPrefix(act("")): "the scene did '\(moment.dropFirst(act("").count))'"
            default: "the scene was asked for '\(moment)'"
            }
        }
    }

    /// How a request to a scene has ended.
    enum AskOutcome: Hashable {
        /// The scene has replied, perhaps with an error.
        case answered
        /// The scene did not get it.
        case notHandled
        /// Nobody waits for it any more, or its worker is gone.
        case unknown
    }

    /// The requests that a running scene has not answered yet.
    struct Asks: Hashable {
        /// The number of requests, by moment.
        var pending: [String: Int] = [:]
        /// Moments of requests whose senders have stopped to wait, and until when they count: a worker that crashed in
        /// one is noticed later.
        private(set) var unanswered: Set<String> = []
        private(set) var unansweredUntil: MonotonicInstant?
        /// The maximum number of these. Others do not count after their senders have stopped to wait.
        static let maximumUnanswered = 16

        /// Moments under the former token, which count until the scene has resumed: its worker may have crashed in one.
        private(set) var former: Set<String> = []

        /// The moments that count for a worker that is found to be gone now.
        func moments(at now: MonotonicInstant) -> Set<String> {
            let isLate = unansweredUntil.map { now <= $0 } ?? false
            return Set(pending.keys).union(isLate ? unanswered : []).union(former)
        }

        /// What counts of these when the same worker is asked to resume the scene under another token.
        var beforeResuming: Asks {
            var asks = Asks()
            asks.former = Set(former.union(pending.keys).union(unanswered).sorted().prefix(Self.maximumUnanswered))
            return asks
        }

        /// Notes that the scene has resumed.
        mutating func resumed() { former = [] }

        /// Adds a moment whose sender has stopped to wait. Those whose time is over are forgotten.
        mutating func addUnanswered(_ moment: String, until: MonotonicInstant, at now: MonotonicInstant) {
            if let end = unansweredUntil, now > end { unanswered = [] }
            if unanswered.count < Self.maximumUnanswered { unanswered.insert(moment) }
            unansweredUntil = until
        }

        /// Forgets the moments whose senders have stopped to wait: the worker has not crashed in them.
        mutating func forgetUnanswered() {
            unanswered = []
            unansweredUntil = nil
        }
    }

    /// Notes that a running scene is about to be asked for something.
    mutating func asked(_ id: String, _ moment: String, token: UInt64) {
        guard sessions[id]?.token == token else { return }
        sessions[id]?.asks.pending[moment, default: 0] += 1
        updateTrial(of: id)
    }

    /// Notes how a request to a scene has ended.
    /// - Parameter token: the scene's token when it was asked.
    /// - Returns: the actions that follow; `nil` when nothing has changed for other sessions or inputs.
    mutating func ended(
        _ id: String, _ moment: String, token: UInt64, _ outcome: AskOutcome, at now: MonotonicInstant
    ) -> [Action]? {
        guard let session = sessions[id], session.token == token, let count = session.asks.pending[moment] else {
            return nil
        }
        sessions[id]?.asks.pending[moment] = count > 1 ? count - 1 : nil
        switch outcome {
        case .answered:
            if session.asks.unansweredUntil != nil { sessions[id]?.asks.forgetUnanswered() }
        case .unknown:
            let until = now + timing.lease * 2
            sessions[id]?.asks.addUnanswered(moment, until: until, at: now)
        case .notHandled: break
        }
        guard session.isSuspect else { return nil }
        if outcome == .answered { disprove(moment, of: id) }
        updateTrial(of: id)
        return place()
    }

    // MARK: - Crashes

    /// Suspects a session of having crashed its worker, if its scene was in the worker's hands.
    /// - Parameter mayComeBack: whether the worker may only be cut off.
    mutating func accuse(
        _ id: String, at worker: AttachedWorker, _ crash: Suspicion.Crash?, mayComeBack: Bool, _ now: MonotonicInstant
    ) {
        guard let session = sessions[id] else { return }
        var moments = session.phase.workers.first == worker.id ? session.asks.moments(at: now) : []
        switch session.phase {
        case .connecting(worker.id, _), .withdrawing(worker.id): moments.insert(Moment.connect)
        case .resuming(worker.id): moments.insert(Moment.resume)
        case .freezing(let move) where move.from == worker.id: moments.insert(Moment.freeze)
        default: break
        }
        guard !moments.isEmpty else { return }
        var suspicion = session.record.suspicion ?? Suspicion()
        suspicion.add(moments, crash)
        sessions[id]?.record.suspicion = suspicion
        updateHeld(id)
        unsaved.insert(id)
        accused.append(id)
        if mayComeBack {
            sessions[id]?.accusers.append(worker.process)
            accusations[worker.process, default: []].insert(id)
        }
        watch(id, at: now)
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
            updateHeld(id)
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
        updateHeld(id)
        sessions[id]?.watch = nil
        unsaved.insert(id)
        changed.insert(id)
        updateTrial(of: id)
        returnToQueues(id)
    }

    /// Notes whether a session is held.
    mutating func updateHeld(_ id: String) {
        if sessions[id]?.isHeld == true { held.insert(id) } else { held.remove(id) }
    }

    /// Which sessions are held, for operators; `nil` for none.
    var heldProblem: String? {
        guard let first = held.min() else { return nil }
        let others = held.count == 1 ? "" : " and \(held.count - 1) more"
        return "crashed their workers and are held: \(first)\(others); 'scenebus sessions ls' shows why"
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
        case .waiting where session.retry.due == nil:
            enqueue(id)
            // It may be in this queue already, because other suspects had the workers.
            let configuration = session.record.configuration
            let count = pools[configuration]?.choosy.count ?? 0
            pools[configuration]?.choosyLeft = count
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
        guard session.isSuspect, let worker = session.phase.worker, let other = workers[worker]?.trial else {
            return true
        }
        return other == session.id
    }

    /// The workers that cannot get a session now.
    func excluded(for session: Session) -> Set<WorkerID> {
        guard session.isSuspect else { return session.refusedBy }
        return session.refusedBy.union(
            workers.values.lazy.filter { $0.trial != nil && $0.trial != session.id }.map(\.id))
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
        guard let offers = workers[worker]?.offers, let others = workers[worker]?.sessions else { return }
        for configuration in offers {
            guard let pool = pools[configuration] else { continue }
            pools[configuration]?.choosyLeft = pool.choosy.count
            pending.insert(configuration)
        }
        changed.formUnion(others.filter { sessions[$0]?.isSuspect == true })
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
