import Foundation

/// What one run of a host keeps on the disk: the store, held by a lock, and the epoch of the last life beside it.
@MainActor
final class HostStorage {
    let store: HostStore
    /// `nil` without a store on the disk.
    let lock: StoreLock?
    /// The life before this one.
    let lastEpoch: UInt64
    /// Whether the life before this one ended in order.
    let endedCleanly: Bool
    private let epochFile: EpochFile?

    /// - Throws: ``HostError`` for a store that another host has, or that cannot be opened.
    init(_ configuration: HostConfiguration) async throws {
        let lock = try configuration.store.map { try StoreLock($0) }
        do {
            let store = try HostStore(path: lock?.path, maximumPages: configuration.maximumStorePages)
            let last = try await store.lastLife()
            let epochFile = lock.map { EpochFile(store: $0.path) }
            // A life that the store could not be told of.
            lastEpoch = max(last.epoch, try epochFile?.epoch() ?? 0)
            endedCleanly = last.endedCleanly
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

    /// The epoch of the life that begins. It is later than the one before also when the clock was put back: fencing tokens and
    /// revisions must not go back with it.
    /// - Throws: ``HostError`` for a clock, or a store, after which no epoch could follow.
    func nextEpoch() throws -> UInt64 {
        let time = max(0, Date().timeIntervalSince1970 * 1000)
        guard time < Double(HostStore.maximumEpoch) else {
            throw HostError(
                .failed,
                "the machine's clock says \(Date()), and no later host could count on from there; set the clock")
        }
        let epoch = max(UInt64(time), lastEpoch + 1)
        guard epoch < UInt64(HostStore.maximumEpoch) else {
            throw HostError(
                .failed, "the store's last epoch is \(lastEpoch), and there is no later one; name another store")
        }
        return epoch
    }

    /// Writes the epoch of the life that begins beside the store.
    func record(_ epoch: UInt64) throws { try epochFile?.record(epoch) }
}
