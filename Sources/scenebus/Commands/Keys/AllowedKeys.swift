import Access
import Bus
import Foundation
import Messaging
import OperatorKit
import PeerLink
import SceneHost
import ZeroMQ

/// The keys that a host allows, as commands read and change them.
@MainActor
enum AllowedKeys {
    /// The file of a host of this machine.
    case file(KeyFolder, of: BusName)
    /// A host that is asked.
    case host(HostClient)

    /// The link to the host that is asked; `nil` for a file.
    var client: HostClient? {
        guard case .host(let client) = self else { return nil }
        return client
    }

    /// The host, for people.
    var name: String {
        switch self {
        case .file(_, let host): "\(host)"
        case .host(let client): client.reference.context?.name ?? client.welcome.host
        }
    }

    func list() async throws -> (keys: [KeyStatus], problems: [String]) {
        switch self {
        case .file(let folder, let host):
            let file = KeyListFile(folder.listFile(of: host))
            let list = try file.read()
            return (list.entries.map(\.status), list.problems.map { "\(file.path), \($0)" })
        case .host(let client): return try await client.chain.hostKeys()
        }
    }

    /// Allows a key, or changes what it may do.
    func allow(_ entry: KeyEntry, until end: KeyEnd?) async throws -> KeyChange {
        switch self {
        case .file(let folder, let host):
            var entry = entry
            let now = Date()
            entry.added = now
            entry.expires = end?.date(after: now)
            let hostKey = try folder.keyOrNew(in: folder.keyFile(of: host)).keys.publicKey
            try edit(folder, host) { list in
                if let refusal = list.refusal(of: entry) { throw CommandError(.refused, refusal) }
                try list.allow(entry)
            }
            return KeyChange(
                name: entry.name, hostKey: "\(hostKey)", expires: entry.expires?.timeIntervalSince1970)
        case .host(let client):
            return try await client.chain.hostAllowKey(
                name: entry.name, role: entry.role.rawValue, key: "\(entry.key)", invites: entry.invites?.rawValue,
                grants: entry.grants.texts, expires: end?.time?.timeIntervalSince1970, lasts: end?.span,
                comment: entry.comment)
        }
    }

    /// Removes a key.
    /// - Parameter key: its name, or the beginning of the key.
    /// - Returns: its name.
    func revoke(_ key: String) async throws -> String {
        switch self {
        case .file(let folder, let host):
            guard let name = try edit(folder, host, { $0.remove(key) }) else {
                throw CommandError(
                    .refused, "no key, or more than one, matches \(KeyList.quoted(key)); see 'scenebus key ls'")
            }
            return name
        case .host(let client): return try await client.chain.hostRevokeKey(key: key).name
        }
    }

    /// Says on standard error which grants match nothing that the host knows now, if it runs.
    func warn(of grants: Grants) async {
        let texts = grants.texts
        guard !texts.isEmpty, let unmatched = try? await unmatched(texts) else { return }
        for grant in unmatched {
            StandardError.write(
                ("scenebus: warning: the host knows nothing now that the grant '\(grant)' matches; check how it is written, "
                    + "unless that comes later").printable)
        }
    }

    /// Says on standard error when the host has another key before an invitation ends.
    func warnOfNextKey(before end: Double) {
        guard case .file(let folder, let host) = self, let next = try? NextHostKey(of: host, in: folder),
            next.from.timeIntervalSince1970 < end
        else { return }
        StandardError.write(
            "scenebus: warning: the host has another key from \(next.from.formatted(.iso8601)) on, and the invitation does not "
                + "work after that")
    }

    private func unmatched(_ grants: [String]) async throws -> [String] {
        switch self {
        case .file(_, let name):
            // A host that hangs holds the command up only for so long.
            let options = ClientOptions(name: name, timeout: 2)
            let client = try await HostClient(options, at: HostReference(local: options.directory.endpoint))
            defer { client.close() }
            return try await client.chain.hostUnmatchedGrants(grants: grants)
        case .host(let client): return try await client.chain.hostUnmatchedGrants(grants: grants)
        }
    }

    private func edit<Result>(
        _ folder: KeyFolder, _ host: BusName, _ change: (inout KeyList) throws -> Result
    ) throws -> Result {
        try folder.make()
        do {
            return try KeyListFile(folder.listFile(of: host)).edit(change)
        } catch let error as KeyEntry.Invalid {
            throw CommandError(.usage, error.reason)
        }
    }
}

/// When a key stops being valid: at a time, or after a span, which a host of another machine counts with its own clock.
struct KeyEnd {
    let time: Date?
    /// In seconds.
    let span: Double?

    /// Reads a time such as `2027-01-31T18:00:00Z`, or a span such as `12h`.
    init(_ text: String) throws {
        span = TimeSpan(text)?.seconds
        time = span == nil ? try TimeSpan.time(text, .after, Date()) : nil
        if let time, time <= Date() { throw CommandError(.usage, "\(text) is over") }
    }

    func date(after now: Date) -> Date? { time ?? span.map { now.addingTimeInterval($0) } }
}
