import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(1)))
struct SnapshotPartsTests {
    private var parts = SnapshotParts()

    private func change(_ entries: [String: [UInt8]?], revision: UInt64 = 9) -> DependencyChange {
        DependencyChange(entries: entries, revision: revision, previous: 4)
    }

    private mutating func received(
        _ key: String, _ number: UInt64, isLast: Bool = false, revision: UInt64 = 9
    ) -> SnapshotParts.Outcome {
        parts.received(change([key: [1]], revision: revision), number: number, isLast: isLast)
    }

    @Test mutating func `a snapshot of one part is complete at once`() {
        #expect(received("a", 0, isLast: true) == .complete(change(["a": [1]])))
        #expect(parts.received(change([:]), number: 0, isLast: true) == .complete(change([:])))
    }

    @Test mutating func `each part is asked for, and they are put together with the last`() {
        #expect(received("a", 0) == .next(1, of: 9))
        #expect(parts.received(change(["b": nil]), number: 1, isLast: false) == .next(2, of: 9))
        #expect(received("c", 2, isLast: true) == .complete(change(["a": [1], "b": nil, "c": [1]])))
        #expect(received("d", 0, isLast: true) == .complete(change(["d": [1]])))
    }

    @Test mutating func `a part that was not asked for changes nothing`() {
        #expect(received("b", 1, isLast: true) == .ignored)
        #expect(received("a", 0) == .next(1, of: 9))
        #expect(received("c", 2, isLast: true) == .ignored)
        #expect(received("c", .max) == .ignored)
        #expect(received("b", 1) == .next(2, of: 9))
        // Asked for twice, and answered twice.
        #expect(received("b", 1) == .ignored)
        #expect(received("c", 2, isLast: true) == .complete(change(["a": [1], "b": [1], "c": [1]])))
        #expect(received("c", 2, isLast: true) == .ignored)
    }

    @Test mutating func `the parts of two snapshots are not mixed`() {
        #expect(received("a", 0, revision: 9) == .next(1, of: 9))
        #expect(received("b", 1, isLast: true, revision: 10) == .lost)
        #expect(received("c", 2, revision: 10) == .ignored)
        #expect(received("a", 0, isLast: true, revision: 10) == .complete(change(["a": [1]], revision: 10)))
    }

    @Test mutating func `a new snapshot forgets the parts of one that never ended`() {
        #expect(received("removed", 0) == .next(1, of: 9))
        #expect(received("a", 0, isLast: true) == .complete(change(["a": [1]])))
    }
}
