import Testing

@testable import Bus

/// Removed entries, which are kept only for peers whose copies are not much older.
@Suite(.timeLimit(.minutes(5)))
struct RemovedEntriesTests {
    private var table = DependencyRevisions(maximumRemovedSize: 10_000)

    private mutating func setAndRemove(_ keys: Range<Int>) {
        for key in keys {
            _ = table.apply(["k\(key)": [1]], owner: "")
            _ = table.apply(["k\(key)": nil], owner: "")
        }
    }

    private func content(after revision: UInt64) -> (previous: UInt64, entries: [String: [UInt8]?]) {
        var snapshot = table.snapshot(after: revision)
        let part = snapshot.part(0, size: .max)
        return (
            snapshot.previous,
            Dictionary(uniqueKeysWithValues: (part?.entries ?? []).map { ($0.key, $0.value) })
        )
    }

    @Test mutating func `Keys that come and go do not add up, and a newcomer gets few of them`() {
        _ = table.apply(["stays": [1]], owner: "")
        setAndRemove(0..<20_000)
        #expect(table.removedSize <= 10_000)
        #expect(table.entries.count < 100)
        #expect(table.history.count < 300)
        let (previous, entries) = content(after: 0)
        #expect(previous == 0)
        #expect(entries.count < 100)
        #expect(entries["stays"] == [1])
    }

    @Test mutating func `A removed key that is set again counts no longer`() {
        for _ in 0..<1000 { setAndRemove(0..<1) }
        #expect(table.floor == 0)
        _ = table.apply(["k0": [2]], owner: "")
        #expect(table.removedSize == 0)
    }

    @Test mutating func `A copy that is older than the forgotten removals is replaced, and a newer one is continued`() {
        _ = table.apply(["stays": [1], "goes": [1]], owner: "")
        let old = table.revision
        var replica = DependencyReplica()
        replica.linkOpened(epoch: 1)
        let now = MonotonicInstant.now
        let all = DependencyChange(entries: ["stays": [1], "goes": [1]], revision: old, previous: 0)
        _ = replica.received(snapshot: all, at: now)
        _ = table.apply(["goes": nil], owner: "")
        setAndRemove(0..<1000)
        let recent = table.revision
        _ = table.apply(["new": [2]], owner: "")
        #expect(content(after: recent).previous == recent)
        #expect(content(after: recent).entries == ["new": [2]])
        let (previous, entries) = content(after: old)
        #expect(previous == 0)
        #expect(entries["goes"] == nil)
        let snapshot = DependencyChange(
            entries: DependencyEntries(entries.filter { $0.value != nil }), revision: table.revision, previous: 0)
        #expect(replica.needsKeys(for: snapshot))
        #expect(!replica.needsKeys(for: DependencyChange(entries: [:], revision: 9, previous: old)))
        #expect(
            replica.received(snapshot: snapshot, keys: ["stays", "goes"], at: now) == [
                .apply(["stays": [1], "new": [2], "goes": nil])
            ])
    }
}
