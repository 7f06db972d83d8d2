/// Checks that an open session is not lost, and that its scene runs in only one place.
extension Checker {
    /// A scene that runs in a process.
    struct Incarnation: Sendable {
        var session: String
        var pid: Int32
        var token: UInt64
        var count: Int
        /// The numbers in its fields at its start.
        var typed: [String: Int]
        var start: UInt64
        /// When it was suspended or ended by the host or by itself, or was killed.
        var end: UInt64

        /// Whether the host created this one later. The start times alone do not tell: after a stop, a process may read
        /// an old request from its socket.
        func isNewer(than other: Incarnation) -> Bool {
            token > 0 && other.token > 0 ? token > other.token : start > other.start
        }
    }

    /// The scenes that ran, in the order of their starts.
    var incarnations: [Incarnation] {
        struct Key: Hashable {
            var session: String
            var pid: Int32
        }
        var all: [Incarnation] = []
        var running: [Key: Int] = [:]
        for record in records {
            switch record.event {
            case .active(let session, let token, let count, let typed):
                let key = Key(session: session, pid: record.pid)
                if let place = running[key] { all[place].end = min(all[place].end, record.time) }
                // A scene that resumes by itself has no new token.
                let known = all.last { $0.session == session && $0.pid == record.pid }?.token ?? 0
                running[key] = all.count
                all.append(
                    Incarnation(
                        session: session, pid: record.pid, token: token > 0 ? token : known, count: count,
                        typed: typed, start: record.time, end: processes.end(of: record.pid)))
            case .inactive(let session, _):
                if let place = running.removeValue(forKey: Key(session: session, pid: record.pid)) {
                    all[place].end = min(all[place].end, record.time)
                }
            default: break
            }
        }
        return all
    }

    mutating func checkSessions() {
        let bySession = Dictionary(grouping: incarnations, by: \.session)
        for (_, incarnations) in bySession {
            looked(at: "scenes", incarnations.count)
            checkOverlaps(of: incarnations)
        }
        checkDeeds(bySession)
        checkOpenSessions()
    }

    /// The times in which a scene could act. A stopped process does not act, and a continued one has a short time to
    /// notice the stop.
    private func spans(of incarnation: Incarnation) -> [(start: UInt64, end: UInt64)] {
        var spans = [(start: incarnation.start, end: incarnation.end)]
        for stop in faults.stops(of: incarnation.pid) {
            let wake = stop.end > .max - margins.wakeUp ? .max : stop.end + margins.wakeUp
            spans = spans.flatMap { span -> [(start: UInt64, end: UInt64)] in
                guard stop.start < span.end, wake > span.start else { return [span] }
                return [(span.start, stop.start), (wake, span.end)].filter { $0.start < $0.end }
            }
        }
        return spans
    }

    private mutating func checkOverlaps(of incarnations: [Incarnation]) {
        for (index, newer) in incarnations.enumerated() {
            if let other = incarnations[..<index].first(where: { $0.pid != newer.pid && $0.isNewer(than: newer) }) {
                violation(
                    .sessionInTwoPlaces, at: newer.start,
                    "session \(newer.session) begins in \(processes.name(of: newer.pid)) with an old token, \((newer.start - other.start) / 1_000_000) ms after a newer scene began in \(processes.name(of: other.pid))"
                )
            }
            for older in incarnations[..<index] where older.pid != newer.pid {
                let overlaps = spans(of: older).flatMap { one in
                    spans(of: newer).map { (start: max(one.start, $0.start), end: min(one.end, $0.end)) }
                }
                // After the last record nothing happened.
                let last = records.last?.time ?? 0
                guard
                    let overlap = overlaps.first(where: { mayAct(older.pid, from: $0.start, to: min($0.end, last)) })
                else { continue }
                let end = min(overlap.end, last)
                violation(
                    .sessionInTwoPlaces, at: overlap.start,
                    "session \(newer.session) runs in \(processes.name(of: older.pid)) and in \(processes.name(of: newer.pid)) for \((end - overlap.start) / 1_000_000) ms"
                )
            }
        }
    }

    /// Whether a process ran between two moments, and so may have acted. What it did is another check.
    ///
    /// One that gets no processor, such as on a busy machine, records nothing. It acts only when it has noticed the time.
    private func mayAct(_ pid: Int32, from start: UInt64, to end: UInt64) -> Bool {
        guard start < end, let times = recordTimes[pid] else { return false }
        guard let next = times[times.firstIndex(behind: { $0 <= start })...].first, next < end else { return false }
        return end - next > margins.suspension + waits.waited(from: next, to: end)
    }

    /// Checks that a scene does nothing after a newer one has started on another worker.
    private mutating func checkDeeds(_ incarnations: [String: [Incarnation]]) {
        let applied = Set(
            records.compactMap { record in
                if case .applied(let id) = record.event { id } else { nil }
            })
        for record in records {
            let deed: (session: String, what: String)
            switch record.event {
            case .input(let id, let session, _): deed = (session, "accepts input \(id)")
            case .asked(let request):
                // A request that was sent without effect does not count.
                guard let session = request.session, applied.contains(request.id) else { continue }
                deed = (session, "has request \(request.id) carried out")
            default: continue
            }
            guard let all = incarnations[deed.session],
                let own = all.last(where: { $0.pid == record.pid && $0.start <= record.time }),
                let newer = all.first(where: {
                    $0.pid != record.pid && $0.isNewer(than: own) && $0.start < record.time
                })
            else { continue }
            violation(
                .sessionInTwoPlaces, at: record.time,
                "session \(deed.session) in \(processes.name(of: record.pid)) \(deed.what) \((record.time - newer.start) / 1_000_000) ms after it began to run in \(processes.name(of: newer.pid))"
            )
        }
    }

    private mutating func checkOpenSessions() {
        guard let (time, look) = finalLook else { return }
        var open: Set<String> = []
        for record in records {
            switch record.event {
            case .opened(let session): open.insert(session)
            case .closing(let session): open.remove(session)
            default: break
            }
        }
        for session in open.sorted() {
            looked(at: "sessions")
            guard let placement = look.sessions[session] else {
                violation(.sessionLost, at: time, "session \(session) was opened but no longer exists")
                continue
            }
            if !placement.isRunning {
                violation(.sessionWithoutScene, at: time, "session \(session) has no scene")
            }
        }
    }
}
