/// Checks that the container's values never go backwards, that the latest value arrives everywhere, and that a writer
/// reads its own writes.
extension Checker {
    private struct Observer: Hashable {
        var pid: Int32
        var entry: String
    }

    mutating func checkDependencies() {
        checkStaleness()
        var seen: [Observer: Counter] = [:]
        var latest: [String: Counter] = [:]
        var held: [Observer: Counter?] = [:]
        for record in records {
            switch record.event {
            case .set(let entry, let value):
                latest[entry] = value
            case .saw(let entry, let value):
                looked(at: "values seen")
                let observer = Observer(pid: record.pid, entry: entry)
                held.updateValue(value, forKey: observer)
                guard let value else { continue }
                if let last = seen[observer], value < last {
                    violation(
                        .wentBackwards, at: record.time,
                        "\(processes.name(of: record.pid)) saw '\(entry)' go from \(last) back to \(value)")
                }
                seen[observer] = max(seen[observer] ?? value, value)
            case .wrote(let id, let entry, let value, let found):
                looked(at: "own writes")
                if found.map({ $0 < value }) ?? true {
                    violation(
                        .ownWriteNotRead, at: record.time,
                        "request \(id) of \(processes.name(of: record.pid)) set '\(entry)' to \(value), but its container has \(found.map { "\($0)" } ?? "nothing")"
                    )
                }
            default: break
            }
        }
        guard let (time, look) = finalLook else { return }
        for pid in look.observers {
            for (entry, latest) in latest.sorted(by: { $0.key < $1.key }) {
                looked(at: "last values")
                let value = held[Observer(pid: pid, entry: entry)] ?? nil
                guard value != latest else { continue }
                violation(
                    .latestValueMissed, at: time,
                    "\(processes.name(of: pid)) has '\(entry)' as \(value.map { "\($0)" } ?? "nothing"), but the latest is \(latest)"
                )
            }
        }
    }
}
