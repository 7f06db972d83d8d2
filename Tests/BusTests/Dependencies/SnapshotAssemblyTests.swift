import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct SnapshotAssemblyTests {
    private var parts = SnapshotAssembly()

    private func change(_ entries: [String: [UInt8]?], revision: UInt64 = 9) -> DependencyChange {
        DependencyChange(entries: DependencyEntries(entries), revision: revision, previous: 4)
    }

    private mutating func received(
        _ change: DependencyChange, _ number: UInt64, isLast: Bool = false
    ) throws -> SnapshotAssembly.Outcome {
        var frame = Frame(.snapshot)
        frame.flags = isLast ? .last : []
        frame.part = number
        frame.revision = change.revision
        frame.previous = change.previous
        frame.payload = DependencyPayload.encode(change.entries)[...]
        return try parts.received(frame)
    }

    private mutating func received(
        _ key: String, _ number: UInt64, isLast: Bool = false, revision: UInt64 = 9
    ) throws -> SnapshotAssembly.Outcome {
        try received(change([key: [1]], revision: revision), number, isLast: isLast)
    }

    @Test mutating func `A snapshot of one part is complete at once`() throws {
        #expect(try received("a", 0, isLast: true) == .complete(change(["a": [1]])))
        #expect(try received(change([:]), 0, isLast: true) == .complete(change([:])))
    }

    @Test mutating func `Each next part is requested, and the last one completes the snapshot`() throws {
        #expect(try received("a", 0) == .next(1, of: 9))
        #expect(try received(change(["b": nil]), 1) == .next(2, of: 9))
        #expect(try received("c", 2, isLast: true) == .complete(change(["a": [1], "b": nil, "c": [1]])))
        #expect(try received("d", 0, isLast: true) == .complete(change(["d": [1]])))
    }

    @Test mutating func `A part that was not requested changes nothing`() throws {
        #expect(try received("b", 1, isLast: true) == .ignored)
        #expect(try received("a", 0) == .next(1, of: 9))
        #expect(try received("c", 2, isLast: true) == .ignored)
        #expect(try received("c", .max) == .ignored)
        #expect(try received("b", 1) == .next(2, of: 9))
        // The part was requested twice and answered twice.
        #expect(try received("b", 1) == .ignored)
        #expect(try received("c", 2, isLast: true) == .complete(change(["a": [1], "b": [1], "c": [1]])))
        #expect(try received("c", 2, isLast: true) == .ignored)
    }

    @Test mutating func `Parts of two snapshots are not mixed`() throws {
        #expect(try received("a", 0, revision: 9) == .next(1, of: 9))
        #expect(try received("b", 1, isLast: true, revision: 10) == .lost)
        #expect(try received("c", 2, revision: 10) == .ignored)
        #expect(try received("a", 0, isLast: true, revision: 10) == .complete(change(["a": [1]], revision: 10)))
    }

    @Test mutating func `A new snapshot discards the parts of an unfinished one`() throws {
        #expect(try received("removed", 0) == .next(1, of: 9))
        #expect(try received("a", 0, isLast: true) == .complete(change(["a": [1]])))
    }

    @Test mutating func `A part that cannot be read or that repeats an entry aborts the snapshot`() throws {
        #expect(try received("a", 0) == .next(1, of: 9))
        #expect(throws: FrameError.self) { try received("a", 1, isLast: true) }
        #expect(parts.awaited == nil)
        #expect(try received("b", 1, isLast: true) == .ignored)
        #expect(try received("b", 0) == .next(1, of: 9))
        #expect(try #require(parts.awaited) == (1, 4, 9))
        var broken = Frame(.snapshot)
        broken.payload = [0xFF]
        #expect(throws: FrameError.self) { try parts.received(broken) }
        #expect(parts.awaited == nil)
    }
}
