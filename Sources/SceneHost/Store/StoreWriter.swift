import Store

/// Writes to the host's store, all that has come together in one transaction: a commit costs a trip to the disk, however
/// much is in it.
@MainActor
final class StoreWriter {
    typealias Completion = @MainActor ((any Error)?) -> Void

    let store: HostStore
    private var pending: [(operation: StoreOperation, completion: Completion)] = []
    private var writing: Task<Void, Never>?
    /// Why the store could not be written last time; for `status`.
    private(set) var problem: String?

    init(_ store: HostStore) {
        self.store = store
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
            var failure: (any Error)?
            do {
                try await store.write(batch.map(\.operation))
            } catch {
                failure = error
            }
            problem = failure.map { "\($0)" }
            for (_, completion) in batch { completion(failure) }
        }
        writing = nil
    }

    /// Waits until everything that was asked for is on the disk, or has failed.
    func finish() async {
        await writing?.value
    }
}
