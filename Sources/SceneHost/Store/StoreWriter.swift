/// Writes to the host's store, all that has come together in one transaction: a commit costs a trip to the disk, however
/// much is in it.
@MainActor
final class StoreWriter {
    typealias Completion = @MainActor ((any Error)?) -> Void

    let store: HostStore
    private var pending: [(operation: StoreOperation, completion: Completion)] = []
    private var writing: Task<Void, Never>?
    /// Why the store could not be written last time.
    private var writeProblem: String?
    private var logProblem: String?
    /// Another host has the store: nothing is written any more.
    private(set) var superseded: StoreError?

    /// How often a write is tried while another process has the database locked: each try waits for its lock for a while.
    private let tries: Int
    /// The log's size beyond which somebody is in the way of its end.
    private let maximumLog: Int

    /// - Parameters:
    ///   - tries: how often a write is tried while another process has the database locked.
    ///   - maximumLog: how large the store's log may grow before that is a problem, in bytes.
    init(_ store: HostStore, tries: Int = 5, maximumLog: Int = 64 << 20) {
        self.store = store
        self.tries = tries
        self.maximumLog = maximumLog
    }

    /// What is wrong with the store; for `status`.
    var problems: [String] {
        [writeProblem, logProblem].compactMap { $0 } + unreadable
    }

    /// What could not be read: the first of it, and how much more there is.
    private var unreadable: [String] {
        let rows = store.unreadable
        let shown = rows.prefix(8).map(\.description)
        return rows.count > shown.count ? shown + ["\(rows.count - shown.count) more of it cannot be read"] : shown
    }

    /// Writes in the order of the calls.
    /// - Parameter completion: called when it is on the disk, or with the reason why it is not.
    func write(_ operation: StoreOperation, then completion: @escaping Completion) {
        pending.append((operation, completion))
        guard writing == nil else { return }
        writing = Task { await writeAll() }
    }

    /// Writes, and returns when it is on the disk.
    func write(_ operation: StoreOperation) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            write(operation) { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    private func writeAll() async {
        while !pending.isEmpty {
            let batch = pending
            pending = []
            let failure = await write(batch.map(\.operation))
            logProblem = store.logProblem(limit: maximumLog)
            for (_, completion) in batch { completion(failure) }
        }
        writing = nil
    }

    /// - Returns: why it is not on the disk.
    private func write(_ operations: [StoreOperation]) async -> (any Error)? {
        if let superseded { return superseded }
        for attempt in 1... {
            do {
                try await store.write(operations)
                writeProblem = nil
                return nil
            } catch {
                writeProblem = "\(error)"
                switch (error as? StoreError)?.kind {
                case .superseded:
                    superseded = error as? StoreError
                    return error
                // What waits for it is in memory, and the other process is about to let go of its lock.
                case .busy where attempt < tries: continue
                default: return error
                }
            }
        }
        return nil
    }

    /// Waits until everything that was asked for is on the disk, or has failed.
    func finish() async {
        await writing?.value
    }
}
