import Testing

@testable import AccountsModel

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct HashGateTests {
    /// The names of the callers that have had their turn.
    @MainActor
    private final class Turns {
        private(set) var names: [String] = []
        func add(_ name: String) { names.append(name) }
    }

    /// A caller that has its turn until it is released.
    private struct Holder {
        private let running: Task<Void, any Error>
        private let release: AsyncStream<Void>.Continuation

        @MainActor
        init(_ gate: HashGate) async {
            let (released, release) = AsyncStream<Void>.makeStream()
            let (begun, begin) = AsyncStream<Void>.makeStream()
            self.release = release
            running = Task {
                try await gate.run {
                    begin.yield()
                    for await _ in released {}
                }
            }
            for await _ in begun { break }
        }

        func end() async throws {
            release.finish()
            try await running.value
        }
    }

    private let turns = Turns()

    @Test func `No more hashes are made at a time than the gate is wide`() async throws {
        let gate = HashGate(width: 2)
        var (running, most) = (0, 0)
        try await withThrowingTaskGroup { group in
            for _ in 0..<10 {
                let work: @MainActor @Sendable () async throws -> Void = {
                    try await gate.run {
                        running += 1
                        most = max(most, running)
                        for _ in 0..<10 { await Task.yield() }
                        running -= 1
                    }
                }
                group.addTask(operation: work)
            }
            try await group.waitForAll()
        }
        #expect(most == 2)
        #expect(running == 0)
    }

    @Test func `The check of a password waits for its turn, as a new hash does`() async throws {
        let gate = HashGate(width: 1)
        let work = AccountWork(file: AccountFile(path: "/no/such/file"), gate: gate)
        let hashing = try PasswordHashing.cheap()
        let record = try AccountRecord(
            userName: "ada", displayName: "Ada", password: "difference", hashing: hashing)
        let table = try AccountTable(records: [record], hashing: hashing)
        let holder = await Holder(gate)
        let check = Task { [turns] in
            _ = try await work.verify(table, "ada", "difference")
            turns.add("check")
        }
        let hash = Task { [turns] in
            _ = try await work.hash("bob", "Bob", "difference", hashing)
            turns.add("hash")
        }
        while !Task.isCancelled, gate.waiting.count + turns.names.count < 2 { await Task.yield() }
        #expect(turns.names == [])
        try await holder.end()
        try await check.value
        try await hash.value
        #expect(turns.names.sorted() == ["check", "hash"])
    }

    @Test func `A caller that is cancelled while it waits leaves its turn to the next one`() async throws {
        let gate = HashGate(width: 1)
        let holder = await Holder(gate)
        let cancelled = Task { [turns] in try await gate.run { turns.add("cancelled") } }
        while !Task.isCancelled, gate.waiting.isEmpty, turns.names.isEmpty { await Task.yield() }
        cancelled.cancel()
        try await holder.end()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let next = Task { [turns] in try await gate.run { turns.add("next") } }
        // The next caller never has its turn if the gate believes that it is full.
        while !Task.isCancelled, gate.waiting.isEmpty, turns.names.isEmpty { await Task.yield() }
        #expect(turns.names == ["next"])
        next.cancel()
    }
}
