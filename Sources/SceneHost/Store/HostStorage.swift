import Foundation

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
    private let epochFile: EpochFile?

    /// - Throws: ``HostError`` for a store that another host uses, or that cannot be opened.
    init(_ configuration: HostConfiguration) async throws {
        let lock = try configuration.store.map { try StoreLock($0) }
        do {
            let store = try HostStore(path: lock?.path, maximumPages: configuration.maximumStorePages)
            let last = try await store.lastLife()
            let epochFile = lock.map { EpochFile(store: $0.path) }
            // The file has the later epoch when the previous host could not write the store, and when the store is a
            // copy from before that host. Then the store does not know how that host has ended.
            let fileEpoch = try epochFile?.epoch() ?? 0
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
    func record(_ epoch: UInt64) throws { try epochFile?.record(epoch) }
}
