import Foundation
import Synchronization

/// The storage of one run of a host: the store with its lock, and the epoch file beside it.
@MainActor
final class HostStorage {
    let store: HostStore
    /// The store's lock; `nil` when the store is in memory.
    let lock: StoreLock?
    /// The epoch of the previous host.
    let lastEpoch: UInt64
    /// Whether the previous host shut down in order.
    let endedCleanly: Bool
    /// What the store has lost since the previous host wrote it; `nil` when nothing is missing.
    let loss: String?
    private let epochFile: EpochFile?

    /// - Throws: ``HostError`` for a store that another host uses, or that cannot be opened.
    init(_ configuration: HostConfiguration) async throws {
        let lock = try configuration.store.map { try StoreLock($0) }
        do {
            if let lock { try HostStore.finishRestoring(lock.path) }
            let store = try HostStore(path: lock?.path, maximumPages: configuration.maximumStorePages)
            let last = try await store.lastLife()
            let epochFile = lock.map { EpochFile(store: $0.path) }
            // The file has the later epoch when the previous host could not write the store, and when the store is a
            // copy from before that host. Then the store does not know how that host has ended.
            let file = try epochFile?.content()
            let fileEpoch = file?.epoch ?? 0
            loss = Self.loss(of: store, expecting: file?.changes ?? 0, path: lock?.path ?? "")
            store.epochFile.withLock { $0 = epochFile }
            store.lock.withLock { $0 = lock }
            lastEpoch = max(last.epoch, fileEpoch)
            endedCleanly = last.endedCleanly && fileEpoch <= last.epoch
            self.epochFile = epochFile
            self.store = store
            self.lock = lock
        } catch {
            lock?.release()
            if let error = error as? StoreError { throw HostError(error) }
            throw error
        }
    }

    /// Describes the writes that are missing.
    private static func loss(of store: HostStore, expecting changes: UInt64, path: String) -> String? {
        guard changes > store.changes else { return nil }
        return """
            \(path) is older than \(path).epoch says: its last \(changes - store.changes) writes are missing, because the \
            file or its log (-wal) was removed or damaged, or because an older copy was put in its place. Sessions can \
            be missing, closed ones can be open again, and states can be older; restore a newer copy if you have one. \
            This is said until the next start of the host
            """
    }

    /// Whether a host has run on this store before.
    var isLaterLife: Bool { lastEpoch > 0 }

    /// Returns the epoch of this run.
    ///
    /// It is greater than the previous one even when the clock was set back: fencing tokens and revisions must not go
    /// back.
    /// - Throws: ``HostError`` when the clock or the stored epoch is too late for a valid epoch.
    func nextEpoch() throws -> UInt64 {
        try HostEpoch.next(after: lastEpoch, at: Date())
    }

    /// Writes the epoch of this run to the epoch file.
    func record(_ epoch: UInt64) throws { try epochFile?.record(epoch, changes: store.changes) }
}
