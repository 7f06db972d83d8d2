/// Writes to the host's store, and combines the waiting operations into one transaction, because each commit costs a
/// sync to the disk.
@MainActor
final class StoreWriter {
    typealias Completion = @MainActor ((any Error)?) -> Void

    let store: HostStore
    private var pending: [(operation: StoreOperation, completion: Completion)] = []
    private var writing: Task<Void, Never>?
    /// Why the last write failed.
    private var writeProblem: String?
    /// The error after another host has taken over the store. From then on nothing is written.
    private(set) var superseded: StoreError?

    /// How often a write is attempted while another process has locked the database. Each attempt waits for the lock
    /// until the store's busy timeout.
    private let tries: Int
    /// The size of the log beyond which ``problems`` reports it.
    private let maximumLog: Int

    /// - Parameters:
    ///   - tries: how often a write is attempted while another process has locked the database.
    ///   - maximumLog: the size of the store's log beyond which it is reported as a problem, in bytes.
    init(_ store: HostStore, tries: Int = 5, maximumLog: Int = 64 << 20) {
        self.store = store
        self.tries = tries
        self.maximumLog = maximumLog
    }

    /// The store's problems, for `status`.
    var problems: [String] {
        [writeProblem, store.logProblem(limit: maximumLog)].compactMap { $0 } + unreadable
    }

    /// Finds out whether the store can be written again after the last write has failed, unless a write is under way.
    func probe() {
        guard writeProblem != nil, superseded == nil, writing == nil else { return }
        write(.probe) { _ in }
    }

    /// The first rows that could not be read, and the number of the others.
    private var unreadable: [String] {
        let rows = store.unreadable
        let shown = rows.prefix(8).map(\.description)
        return rows.count > shown.count ? shown + ["\(rows.count - shown.count) more rows cannot be read"] : shown
    }

    /// Enqueues an operation. Operations are written in the order of the calls.
    /// - Parameter completion: called when the operation is on the disk, or with the error.
    func write(_ operation: StoreOperation, then completion: @escaping Completion) {
        pending.append((operation, completion))
        guard writing == nil else { return }
        writing = Task { await writeAll() }
    }

    /// Writes an operation, and returns when it is on the disk.
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
            for (_, completion) in batch { completion(failure) }
        }
        writing = nil
    }

    /// - Returns: the error; `nil` when the operations are on the disk.
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
                // Retry: the operations are still in memory, and the other process may release its lock.
                case .busy where attempt < tries: continue
                default: return error
                }
            }
        }
        return nil
    }

    /// Waits until all operations are on the disk or have failed.
    func finish() async {
        await writing?.value
    }
}
