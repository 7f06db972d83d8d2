/// Lets so many bodies run at a time; the others wait in their order. How many wait is bounded by ``LoginPlaces``.
@MainActor
final class HashGate: Sendable {
    private var free: Int
    /// The callers that wait for their turn.
    private(set) var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated init(width: Int) { free = width }

    /// Runs a body when it is its turn.
    /// - Throws: What the body throws; `CancellationError` when the caller was cancelled before its turn came.
    func run<Result: Sendable>(_ body: @MainActor () async throws -> Result) async throws -> Result {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
        defer {
            if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
        }
        try Task.checkCancellation()
        return try await body()
    }
}
