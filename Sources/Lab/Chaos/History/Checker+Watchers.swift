/// Checks what the watchers of scenes are shown: of one scene nothing older than before, no scene of the session again
/// that another one has followed, and at the end the last state.
extension Checker {
    private struct Watch: Hashable {
        var pid: Int32
        var session: String
    }

    mutating func checkWatchers() {
        let end = finalLook?.time ?? .max
        var shown: [Watch: ShownPicture?] = [:]
        var former: [Watch: Set<String>] = [:]
        var closing: Set<String> = []
        for record in records where record.time <= end {
            switch record.event {
            case .closing(let session): closing.insert(session)
            case .watching(let session):
                let watch = Watch(pid: record.pid, session: session)
                if shown[watch] == nil { shown.updateValue(nil, forKey: watch) }
            case .unwatched(let session, let reason):
                guard !closing.contains(session) else { continue }
                violation(
                    .watchEnded, at: record.time,
                    "\(processes.name(of: record.pid)) cannot watch session \(session) any more: \(reason)")
            case .shown(let session, let picture):
                looked(at: "pictures")
                let watch = Watch(pid: record.pid, session: session)
                if let last = shown[watch] ?? nil {
                    if let what = Self.whatIsOlder(in: picture, than: last, former[watch] ?? []) {
                        violation(
                            .shownBackwards, at: record.time,
                            "\(processes.name(of: record.pid)) was shown of session \(session) \(what)")
                        continue
                    }
                    if last.scene != picture.scene { former[watch, default: []].insert(last.scene) }
                }
                shown.updateValue(picture, forKey: watch)
            default: break
            }
        }
        checkLastPictures(shown)
    }

    /// - Parameter former: the scenes that others have followed.
    private static func whatIsOlder(
        in picture: ShownPicture, than last: ShownPicture, _ former: Set<String>
    ) -> String? {
        if picture.scene == last.scene { return picture.whatIsOlder(than: last) }
        return former.contains(picture.scene) ? "scene \(picture.scene) again, after scene \(last.scene)" : nil
    }

    /// Checks that each watcher has the state at the end of a scene that runs. The run waits some seconds for that after the
    /// last fault.
    private mutating func checkLastPictures(_ shown: [Watch: ShownPicture?]) {
        guard let (time, look) = finalLook else { return }
        var values: [String: Counter] = [:]
        for record in records where record.time <= time {
            if case .set(let entry, let value) = record.event { values[entry] = value }
        }
        let counts = lastCounts(at: time)
        let floors = typedFloors
        for (watch, picture) in shown where look.observers.contains(watch.pid) {
            // A session without a scene is a violation of its own.
            guard look.sessions[watch.session]?.isRunning == true, let count = counts[watch.session] else { continue }
            looked(at: "last pictures")
            let typed = floors[watch.session]?.numbers(at: time) ?? [:]
            let what: String
            if let picture {
                guard
                    !picture.isLive || picture.count != count || values.contains(where: { picture.values[$0] != $1 })
                        || typed.contains(where: { (picture.typed[$0] ?? 0) < $1 })
                else { continue }
                let entries = picture.values.sorted { $0.key < $1.key }.map { "'\($0.key)' as \($0.value)" }
                let fields = typed.sorted { $0.key < $1.key }.map { field, number in
                    "\(picture.typed[field] ?? 0) in the field '\(field)', in which \(number) was typed"
                }
                what =
                    (["\(picture.count) of \(count) inputs"] + entries + fields).joined(separator: ", ")
                    + (picture.isLive ? "" : ", as a scene that does not run")
            } else {
                what = "nothing"
            }
            violation(
                .lastStateNotShown, at: time,
                "\(processes.name(of: watch.pid)) is shown of session \(watch.session) at the end \(what)")
        }
    }

    /// The counts of the newest scenes of all sessions.
    private func lastCounts(at time: UInt64) -> [String: Int] {
        let scenes = Dictionary(grouping: incarnations.filter { $0.start <= time }, by: \.session)
        return scenes.compactMapValues { all in
            guard let newest = all.max(by: { $1.isNewer(than: $0) }) else { return nil }
            let last = inputs[newest.session]?.last {
                $0.pid == newest.pid && $0.time >= newest.start && $0.time <= time
            }
            if let last, case .input(_, _, let count) = last.event { return count }
            return newest.count
        }
    }
}
