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

    @Test mutating func `the parts are put together with the last`() {
        #expect(received("a", 0) == .incomplete)
        #expect(parts.received(change(["b": nil]), number: 1, isLast: false) == .incomplete)
        #expect(received("c", 2, isLast: true) == .complete(change(["a": [1], "b": nil, "c": [1]])))
        #expect(received("d", 0, isLast: true) == .complete(change(["d": [1]])))
    }

    @Test mutating func `a missing part is noticed once, and the rest left out`() {
        #expect(received("a", 0) == .incomplete)
        #expect(received("c", 2) == .lost)
        #expect(received("d", 3) == .incomplete)
        #expect(received("e", 4, isLast: true) == .incomplete)
        #expect(received("a", 0, isLast: true) == .complete(change(["a": [1]])))
    }

    @Test mutating func `a missing first part is noticed, each time`() {
        #expect(received("b", 1, isLast: true) == .lost)
        #expect(received("b", 1, isLast: true) == .lost)
        #expect(received("b", .max) == .lost)
        #expect(received("c", 2, isLast: true) == .incomplete)
        #expect(received("b", 1) == .lost)
    }

    @Test mutating func `the parts of two snapshots are not mixed`() {
        #expect(received("a", 0, revision: 9) == .incomplete)
        #expect(received("b", 1, isLast: true, revision: 10) == .lost)
    }

    @Test mutating func `a new snapshot forgets the parts of one that never ended`() {
        #expect(received("removed", 0) == .incomplete)
        #expect(received("a", 0, isLast: true) == .complete(change(["a": [1]])))
    }
}
