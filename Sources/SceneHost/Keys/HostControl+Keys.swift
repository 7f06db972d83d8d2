import Access
import Bus
import Foundation
import Hub
import Messaging

/// The list of keys, for administrators.
extension HostControl {
    func hostKeys(after: String?, limit: Int?) async throws -> KeyPage {
        try listedKeys.page(after: after, limit: limit)
    }

    func hostAllowKey(
        name: String, role: String, key: String, invites: String?, grants: [String], expires: Double?, lasts: Double?,
        comment: String?
    ) async throws -> KeyChange {
        try await audit.keeping(
            "\(KeyList.isNameOrKey(name) ? name : "(no name)") \(invites.map { "invitation to \($0)" } ?? role)"
        ) {
            let now = Date()
            let end = expires.map { Date(timeIntervalSince1970: $0) } ?? lasts.map { now.addingTimeInterval($0) }
            // The file has years of four digits.
            if let end, !(end > now && end.timeIntervalSince1970 < 250_000_000_000) {
                throw SceneCommandError(
                    .refused,
                    "the time at which the key expires is over, or not possible: this host's clock is at \(now.formatted(.iso8601))"
                )
            }
            let entry: KeyEntry
            do throws(KeyEntry.Invalid) {
                entry = try KeyEntry(
                    name: name, role: role, key: key, invites: invites, grants: grants, expires: end, comment: comment)
            } catch {
                throw SceneCommandError(.refused, error.reason)
            }
            return try listedKeys.allow(entry, by: try accessOfSender)
        }
    }

    func hostRevokeKey(key: String) async throws -> KeyChange {
        let shown = KeyList.isNameOrKey(key) ? key : "(no name and no beginning of a key)"
        return try await audit.keeping(shown) { try listedKeys.revoke(key, by: try accessOfSender) }
    }

    func hostUnmatchedGrants(grants texts: [String]) async throws -> [String] {
        var grants = Grants()
        for text in texts {
            if let problem = grants.add(text) { throw SceneCommandError(.refused, problem) }
        }
        return grants.unmatched(among: knownNames)
    }

    /// The names that the host, its application, its peers and the manifests of its plugins have now.
    private var knownNames: [Grants.Kind: Set<String>] {
        let hellos = hub.links.values.map(\.hello)
        let manifests = plugins?.instances.map(\.manifest) ?? []
        let own = lists.flatMap { list in list.messages.map { $0.name } }
        let handled = Set(own + hellos.flatMap(\.handles) + manifests.flatMap(\.handles))
        let services = Set(hellos.flatMap(\.services) + manifests.flatMap(\.services))
        let entries =
            hellos.flatMap(\.provides) + manifests.flatMap(\.provides)
            + container.entries.entries.filter { $0.value.value != nil }.map { SessionEntryKey.name(in: $0.key) }
        return [
            .send: handled, .handle: handled.union(services), .provide: Set(entries),
            .offer: Set(hellos.flatMap(\.scenes) + manifests.flatMap(\.scenes)), .read: Set(entries), .watch: handled,
        ]
    }

    private var listedKeys: HostKeys {
        get throws {
            guard let keys else {
                throw SceneCommandError(
                    .refused, "this host lets in no keys: it does not listen on TCP, or was started with --insecure")
            }
            return keys
        }
    }
}
