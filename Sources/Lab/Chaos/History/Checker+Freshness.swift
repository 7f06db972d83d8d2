/// Checks that a watcher is shown each change of a scene in time, whether the change or a newer one.
extension Checker {
    /// A change of something that a scene shows.
    private struct Change {
        var time: UInt64
        /// When the scene ended that shows it, so that no watcher need be shown it any more.
        var end = UInt64.max
        var isIn: (ShownPicture) -> Bool
    }

    /// A watcher of a session.
    private struct Watcher {
        var pid: Int32
        var session: String
        var start: UInt64
        var pictures: [(time: UInt64, picture: ShownPicture)] = []
    }

    mutating func checkFreshness() {
        let watchers = watchers
        guard !watchers.isEmpty else { return }
        var entries: [String: [Change]] = [:]
        var owners: Set<Int32> = []
        for record in records {
            guard case .set(let entry, let value) = record.event else { continue }
            owners.insert(record.pid)
            let change = Change(time: record.time) { $0.values[entry].map { $0 >= value } ?? false }
            entries[entry, default: []].append(change)
        }
        let scenes = Dictionary(grouping: incarnations, by: \.session)
        let typings = Dictionary(grouping: typings, by: \.session)
        for watcher in watchers {
            let scenes = scenes[watcher.session] ?? []
            let ofScene = Excuses(excuses(for: watcher, of: scenes))
            check(countChanges(of: watcher.session, scenes), "the count", shownTo: watcher, ofScene)
            for (field, typings) in Dictionary(grouping: typings[watcher.session] ?? [], by: \.field) {
                check(fieldChanges(by: typings, scenes), "the field '\(field)'", shownTo: watcher, ofScene)
            }
            let ofEntries = Excuses(
                excuses(for: watcher, of: scenes)
                    + faults.all.compactMap { fault in
                        owners.contains { fault.record.concerns($0, on: machine(of: $0)) } ? span(of: fault) : nil
                    })
            for (entry, changes) in entries { check(changes, "'\(entry)'", shownTo: watcher, ofEntries) }
        }
    }

    private var watchers: [Watcher] {
        var all: [Watcher] = []
        var places: [Int32: [String: Int]] = [:]
        for record in records {
            switch record.event {
            case .watching(let session) where places[record.pid]?[session] == nil:
                places[record.pid, default: [:]][session] = all.count
                all.append(Watcher(pid: record.pid, session: session, start: record.time))
            case .shown(let session, let picture):
                guard let place = places[record.pid]?[session] else { continue }
                all[place].pictures.append((record.time, picture))
            default: break
            }
        }
        return all
    }

    // MARK: - Changes

    /// The changes of a session's count.
    private func countChanges(of session: String, _ scenes: [Incarnation]) -> [Change] {
        (inputs[session] ?? []).compactMap { record in
            guard case .input(_, _, let count) = record.event,
                let end = sceneEnd(in: record.pid, at: record.time, scenes)
            else { return nil }
            return Change(time: record.time, end: end) { $0.count >= count }
        }
    }

    /// The changes of a field.
    private func fieldChanges(by typings: [Typing], _ scenes: [Incarnation]) -> [Change] {
        typings.compactMap { typing in
            guard let (time, pid) = typing.stored, let end = sceneEnd(in: pid, at: time, scenes) else { return nil }
            return Change(time: time, end: end) { $0.typed[typing.field].map { $0 >= typing.number } ?? false }
        }
    }

    private func sceneEnd(in pid: Int32, at time: UInt64, _ scenes: [Incarnation]) -> UInt64? {
        scenes.last { $0.pid == pid && $0.start <= time }?.end
    }

    // MARK: - Excuses

    /// The time for which a fault excuses that a watcher is shown nothing new. A cut that spares new connections is over when the
    /// link begins anew. A container has one link to recover, and gets no time for that beyond the recovery; between a value and
    /// its watcher there are three, and a fault of another one may come before.
    private func span(of fault: Faults.Fault) -> Excuses.Span {
        let end = later(fault.end, by: margins.aftermath)
        return (fault.start, fault.record.sparesNew ? min(end, later(fault.start, by: margins.recovery)) : end)
    }

    /// The times in which a watcher, the host, or the worker that runs the session's scene is disturbed, and those in which the session
    /// has no scene, which may not last either: see ``checkAbsences()``.
    private func excuses(for watcher: Watcher, of scenes: [Incarnation]) -> [Excuses.Span] {
        let machine = machine(of: watcher.pid)
        var spans = faults.all.filter { $0.record.concerns(watcher.pid, on: machine) }.map(span(of:))
        var absentSince: UInt64 = 0
        for (place, scene) in scenes.enumerated() {
            if scene.start > absentSince { spans.append((absentSince, scene.start)) }
            // What happens to its worker does not matter any more when the next scene runs elsewhere.
            let next = scenes[(place + 1)...].first { $0.pid != scene.pid && $0.isNewer(than: scene) }
            let end = min(scene.end, next?.start ?? .max)
            absentSince = max(absentSince, end)
            for fault in faults.all where fault.record.concerns(scene.pid, on: self.machine(of: scene.pid)) {
                let span = span(of: fault)
                let clipped = (start: max(span.start, scene.start), end: min(span.end, end))
                if clipped.start < clipped.end { spans.append(clipped) }
            }
        }
        if absentSince < .max { spans.append((absentSince, .max)) }
        return spans
    }

    // MARK: - Pictures

    /// - Parameter changes: the changes of one thing, in their order.
    private mutating func check(_ changes: [Change], _ what: String, shownTo watcher: Watcher, _ excuses: Excuses) {
        let last = min(finalLook?.time ?? records.last?.time ?? 0, processes.end(of: watcher.pid))
        // The time up to which a violation was told.
        var told = watcher.start
        for change in changes where change.time >= told && change.time < last {
            looked(at: "changes for watchers")
            let later = watcher.pictures[watcher.pictures.firstIndex(behind: { $0.time <= change.time })...]
            let next = later.first { $0.time > change.end || change.isIn($0.picture) }
            let end = min(next?.time ?? last, change.end, last)
            let late = excuses.longestGap(from: change.time, to: end)
            guard late > waits.extended(margins.recovery, from: change.time, to: end) else { continue }
            violation(
                .shownTooLate, at: change.time,
                "\(processes.name(of: watcher.pid)) was shown no change of \(what) in session \(watcher.session) for \((end - change.time) / 1_000_000) ms, \(late / 1_000_000) ms of them without an excuse"
            )
            told = end
        }
    }
}
