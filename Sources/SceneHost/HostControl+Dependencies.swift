import Access
import Bus
import Messaging

/// Operators' requests for entries of the container.
extension HostControl {
    /// The maximum size of a page in bytes, and its maximum number of entries.
    private static let dependencyPage = (bytes: 256 << 10, count: 1000)

    func hostDependency(key: String) async throws -> DependencyStatus? {
        let access = try accessOfSender
        guard access.map({ mayRead(key, $0) }) ?? true else {
            throw MessageError(
                .unauthorized, message: HostMessagesList.hostDependency.name,
                detail: "the key '\(access?.entry.name ?? "")' may not read the entry '\(key)'")
        }
        return container.entries.entry(of: key).flatMap { status(of: key, $0, at: .now) }
    }

    func hostDependencies(after place: DependencyPlace?) async throws -> DependencyPage {
        let now = MonotonicInstant.now
        let access = try accessOfSender
        let (found, hasMore) = container.entries.list(
            after: place?.revision ?? 0, place?.key ?? "", size: Self.dependencyPage.bytes,
            count: Self.dependencyPage.count)
        let last = found.last.map { DependencyPlace(revision: $0.entry.revision, key: $0.key) }
        return DependencyPage(
            entries: found.filter { entry in access.map { mayRead(entry.key, $0) } ?? true }.compactMap {
                status(of: $0.key, $0.entry, at: now)
            },
            next: hasMore ? last : nil)
    }

    private func mayRead(_ key: String, _ access: PeerAccess) -> Bool {
        access.mayRead(key) { sessions.table.sessions[$0]?.record.configuration }
    }

    /// - Returns: `nil` for an entry that was removed.
    private func status(
        of key: String, _ entry: DependencyRecord, at now: MonotonicInstant
    ) -> DependencyStatus? {
        guard let value = entry.value else { return nil }
        return DependencyStatus(
            key: key, value: value, revision: entry.revision, owner: entry.owner,
            ownerGoneSeconds: container.table.owners.absence(of: entry.owner, at: now).map { $0 / .seconds(1) })
    }
}
