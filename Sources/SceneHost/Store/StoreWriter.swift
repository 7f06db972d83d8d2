import Synchronization
import Bus
import Glibc

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
    /// Why the host does not hold the store's lock.
    private var lockProblem: String?
    /// Whether a look at the files is under way, which takes long on a slow disk.
    private var isLooking = false
    /// Whether the host ends. A look that is under way then must not write to a store that is closed.
    private var isEnding = false
    /// The error after another host has taken over the store. From then on nothing is written.
    private(set) var superseded: StoreError?

    /// Returns what the host has in memory, to write a store anew whose files are gone.
    var memory: @MainActor () -> [StoreOperation] = { [] }
    /// Called when a store was written anew, with a description of what happened.
    var onRestored: @MainActor (String) -> Void = { _ in }
    /// Called with the reason why the store cannot be used, when there is one and when it changes; with `nil` when the
    /// store can be used again.
    var onProblem: @MainActor (String?) -> Void = { _ in }
    private var reported: String?
    private var damages = StoreDamages()
    private var nextRestoring = MonotonicInstant.now
    /// Why the last attempt to write the store anew failed.
    private var restoringFailure: StoreError?
    /// The shortest time between two attempts to write the store anew.
    private static let restoringInterval = Duration.seconds(1)

    /// How often a write is attempted while another process has locked the database. Each attempt waits for the lock
    /// until the store's busy timeout.
    private let tries: Int
    /// The size of the log beyond which ``problems`` reports it.
    private let maximumLog: Int
    /// How often a store is written anew for one write. Somebody may remove it again and again.
    private static let maximumRestorings = 1

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
        [problem, store.logProblem(limit: maximumLog)].compactMap { $0 } + damages.descriptions + unreadable
    }

    /// Why the store cannot be used. A store whose folder is gone lacks its lock, too, and one problem is enough.
    private var problem: String? { superseded?.description ?? writeProblem ?? lockProblem }

    private func report() {
        guard problem != reported else { return }
        reported = problem
        onProblem(problem)
    }

    /// Finds out whether the store can be written again after the last write has failed, unless a write is under way.
    func probe() {
        guard writeProblem != nil, superseded == nil, writing == nil, !isEnding else { return }
        write(.probe) { _ in }
    }

    /// Looks whether the store's lock and files are in place. Takes the lock and writes the files anew if they are not.
    func look() async {
        guard superseded == nil, !isLooking, !isEnding else { return }
        isLooking = true
        let seen = await store.look()
        isLooking = false
        guard !isEnding else { return }
        lockProblem = seen.lock?.description
        if seen.lock?.kind == .superseded { superseded = seen.lock }
        report()
        guard superseded == nil, seen.damage != nil, writing == nil else { return }
        write(.probe) { _ in }
    }

    /// Writes a store anew whose files are gone.
    private func restore(after loss: StoreError) async throws {
        // Later attempts fail with the same problem until then.
        if let restoringFailure, MonotonicInstant.now < nextRestoring { throw restoringFailure }
        nextRestoring = .now + Self.restoringInterval
        let restored: HostStore.Restored
        do {
            restored = try await store.restore(from: memory())
        } catch let error as StoreError where error.kind == .superseded {
            throw error
        } catch {
            let reason = (error as? StoreError)?.reason ?? "\(error)"
            let failure = StoreError(
                path: loss.path, "\(loss.reason), and cannot be written anew: \(reason)", kind: .lost)
            restoringFailure = failure
            throw failure
        }
        restoringFailure = nil
        damages.add(loss, restored, at: time(nil))
        onRestored(StoreDamages.text(of: loss, restored))
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
        // Detached, because it goes on to write for others than the request that is being handled now.
        writing = Task.detached { await self.writeAll() }
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
            if let failure, batch.count > 1, (failure as? StoreError)?.kind == .other {
                await writeEach(of: batch)
            } else {
                // That there is room for a line of the audit does not show that there is room for what has failed.
                if failure != nil || !batch.allSatisfy(\.operation.isAudit) { note(failure) }
                for (_, completion) in batch { completion(failure) }
            }
        }
        writing = nil
    }

    /// Writes operations that cannot be written together in transactions of their own: one of them may need room that
    /// the disk does not have, and another may be the one that makes room.
    private func writeEach(of batch: [(operation: StoreOperation, completion: Completion)]) async {
        var results: [(failure: (any Error)?, completion: Completion)] = []
        for (operation, completion) in batch { results.append((await write([operation]), completion)) }
        note(results.lazy.compactMap(\.failure).first)
        for (failure, completion) in results { completion(failure) }
    }

    /// Notes how the last write has ended.
    private func note(_ failure: (any Error)?) {
        writeProblem = failure.map { "\($0)" }
        report()
    }

    /// - Returns: the error; `nil` when the operations are on the disk.
    private func write(_ operations: [StoreOperation]) async -> (any Error)? {
        if let superseded { return superseded }
        var restorings = 0
        for attempt in 1... {
            do {
                do {
                    try await store.write(operations)
                } catch let error as StoreError where error.kind == .lost && restorings < Self.maximumRestorings {
                    restorings += 1
                    try await restore(after: error)
                    // They may be in the new copy already; to write them again changes nothing.
                    let epoch = store.epoch.withLock { $0 }
                    try await store.write(operations.filter { !$0.isBegun(in: epoch) })
                }
                return nil
            } catch {
                if let error = error as? StoreError, error.kind == .superseded { superseded = error }
                // Retry: the operations are still in memory, and the other process may release its lock.
                guard (error as? StoreError)?.kind == .busy, attempt < tries else { return error }
                note(error)
            }
        }
        return nil
    }

    /// Waits until all operations are on the disk or have failed.
    func finish() async {
        await writing?.value
    }

    /// Does the same, and tries a last time to write a store anew whose files are gone.
    /// - Returns: why there is no store that the next host could read; `nil` when there is one, or another host has it.
    func end() async -> StoreError? {
        isEnding = true
        await finish()
        guard superseded == nil, await store.look().damage != nil else { return nil }
        restoringFailure = nil
        do {
            try await write(.probe)
            return nil
        } catch {
            guard superseded == nil, await store.look().damage != nil else { return nil }
            return error as? StoreError
        }
    }
}
