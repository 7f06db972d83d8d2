import Bus

/// What a worker does with a scene, or is asked for, and has not done yet.
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
        if outcome == .answered {
            disprove(moment, of: id)
            if let worker = session.phase.worker { note(heard: worker) }
        }
        updateTrial(of: id)
        return place()
    }
}
