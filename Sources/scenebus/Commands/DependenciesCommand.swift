import PeerLink
import ArgumentParser
import Bus
import CBOR
import Messaging
import OperatorKit

struct DependenciesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deps", abstract: "Shows the entries of the application's container.",
        subcommands: [List.self, Get.self, Watch.self])

    struct List: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "Lists the entries without their values.",
            discussion: """
                SIZE is that of the value in bytes, as it is sent. OWNER is the peer that has set the entry. An entry that \
                has a value for each session is listed for each: its key is the name, an "@" and the session's id.
                """)
        @OptionGroup var client: ClientOptions
        @OptionGroup var watching: WatchOptions

        private struct Row: Encodable {
            let key: String
            /// The session whose entry it is; `nil` for one that all sessions share.
            let session: String?
            let revision: UInt64
            let owner: String
            let ownerGoneSeconds: Double?
            let size: Int
        }

        func execute() async throws {
            try await watching.show(of: client) { try listing(of: try await $0.chain.hostDependencies()) }
        }

        private func listing(of entries: [DependencyStatus]) throws -> TableListing {
            var table = Table("KEY", "REVISION", "SIZE", "OWNER")
            for entry in entries {
                let shown = ShownEntry(entry)
                table.add(
                    entry.key, "\(entry.revision)", "\(entry.value.count)", shown.ownerInWords,
                    comparing: shown.withoutAge)
            }
            var listing = try TableListing(
                table, whenEmpty: "the container has no entries",
                json: entries.map {
                    Row(
                        key: $0.key, session: SessionEntryKey($0.key)?.session, revision: $0.revision, owner: $0.owner,
                        ownerGoneSeconds: $0.ownerGoneSeconds,
                        size: $0.value.count)
                })
            listing.ages = ShownEntry.ages
            return listing
        }
    }

    struct Get: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "get", abstract: "Prints all entries, or one entry.",
            discussion: """
                'scenebus deps ls' lists the entries without their values. 'scenebus deps watch' prints those that change, \
                without a look in between; --watch shows all of them again.

                An entry that has a value for each session has a key such as account@k3m9xw2p. Its name alone, account, \
                prints it for all sessions.

                OWNER is the peer that has set the entry. An owner that is "gone" is not attached; the entry keeps the \
                last value that it set.

                In JSON, a number that JSON cannot represent is a string: "NaN", "Infinity" or "-Infinity". So is a whole \
                number beyond 2^53, which most readers would round. Bytes are base64. A map whose keys would be equal in JSON, such as 1 and "1", is a list of [key, value] pairs.
                """)
        @OptionGroup var client: ClientOptions
        @OptionGroup var watching: WatchOptions
        @Argument(help: "The entry's key.") var key: String?

        func validate() throws {
            if let key, watching.watch {
                throw ValidationError("--watch is for the table of all entries; see 'scenebus deps watch \(key)'")
            }
        }

        func execute() async throws {
            if let key { return try await printEntry(key) }
            try await watching.show(of: client) {
                try listing(of: try await $0.chain.hostDependencies().map { ShownEntry($0) })
            }
        }

        private func listing(of entries: [ShownEntry]) throws -> TableListing {
            var table = Table("KEY", "REVISION", "OWNER", "VALUE")
            for entry in entries {
                table.add(
                    entry.key, "\(entry.revision)", entry.ownerInWords,
                    entry.value.diagnostic(maximumLength: 100), comparing: entry.withoutAge)
            }
            var listing = try TableListing(table, json: entries)
            listing.ages = ShownEntry.ages
            return listing
        }

        private func printEntry(_ key: String) async throws {
            let (entry, ofSessions) = try await client.withHost { host -> (ShownEntry?, [ShownEntry]) in
                if let entry = try await host.chain.hostDependency(key: key) { return (ShownEntry(entry), []) }
                let all = try await host.chain.hostDependencies()
                let ofSessions = all.filter { SessionEntryKey($0.key)?.name == key }.map { ShownEntry($0) }
                if !ofSessions.isEmpty { return (nil, ofSessions) }
                let keys = all.map(\.key)
                throw CommandError(
                    .refused,
                    "there is no entry '\(key)'; "
                        + (keys.isEmpty
                            ? "the container has none at all" : "the entries are: \(keys.joined(separator: ", "))"))
            }
            guard let entry else { return try listing(of: ofSessions).print(asJSON: client.json) }
            if client.json { return printJSON(entry.value) }
            if let time = entry.goneFor {
                StandardError.write(
                    "scenebus: '\(entry.owner)', the owner, has been gone for \(time): the value may be out of date"
                        .printable)
            }
            printLine(entry.value.diagnostic)
        }
    }

    struct Watch: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch", abstract: "Prints entries as they change, until Ctrl-C.",
            discussion: "When the link to the host is lost, the command says so on standard error and reconnects.")
        @OptionGroup var client: ClientOptions
        @Argument(help: "The keys to watch, or the names of sessions' entries (default: all).") var keys: [String] = []

        func execute() async throws {
            let keys = Set(keys)
            let json = client.json
            let shown = ShownKeys()
            let host = try await HostClient(
                client, synchronizes: true, knownKeys: { shown.keys }
            ) { action in
                let entries = shown.news(of: action)
                for (key, bytes) in entries.sorted(by: { $0.key < $1.key })
                where keys.isEmpty || keys.contains(key) || keys.contains(SessionEntryKey.name(in: key)) {
                    let value = bytes.map { CBORValue(encoded: $0) } ?? .null
                    if json {
                        printJSON(CBORValue.map(["key": .string(key), "value": value]))
                    } else {
                        printLine("\(key) \(value.diagnostic(maximumLength: 200))")
                    }
                }
                flushOutput()
            }
            defer { host.close() }
            for key in keys.sorted() {
                guard try await host.chain.hostDependency(key: key) == nil else { continue }
                let entries = try await host.chain.hostDependencies()
                guard !entries.contains(where: { SessionEntryKey.name(in: $0.key) == key }) else { continue }
                StandardError.write("scenebus: there is no entry '\(key.printable)' yet")
            }
            try await host.goOnUntilInterrupted()
        }
    }
}

/// The keys that a watch has shown and that still exist. The removal of any other key is not shown.
@MainActor
private final class ShownKeys {
    private(set) var keys: Set<String> = []

    /// The changes to show: all new values, and the removals of keys that were shown before.
    func news(of action: DependencyReplica.Action) -> [String: [UInt8]?] {
        guard case .apply(let changes) = action else { return [:] }
        let entries = changes.values.filter { $0.value != nil || keys.contains($0.key) }
        for (key, value) in entries {
            if value == nil { keys.remove(key) } else { keys.insert(key) }
        }
        return entries
    }
}

/// An entry as it is printed, as a table row or as JSON.
struct ShownEntry: Encodable, Sendable {
    var key: String
    /// The session whose entry it is; `nil` for one that all sessions share.
    var session: String?
    var value: CBORValue
    var revision: UInt64
    var owner: String
    /// How long the owner has not been attached, in seconds; `nil` while it is attached.
    var ownerGoneSeconds: Double?

    init(_ entry: DependencyStatus) {
        key = entry.key
        session = SessionEntryKey(entry.key)?.session
        value = CBORValue(encoded: entry.value)
        revision = entry.revision
        owner = entry.owner
        ownerGoneSeconds = entry.ownerGoneSeconds
    }

    /// The paths of what differs with each look, in the JSON of a list of entries.
    static let ages = [["ownerGoneSeconds"]]

    /// What differs when the entry has changed: a value has a revision of its own.
    var withoutAge: [String] { [key, "\(revision)", owner, "\(ownerGoneSeconds == nil)"] }

    /// The owner, and for how long it has been gone.
    var ownerInWords: String { (owner.isEmpty ? "host" : owner) + (goneFor.map { " (gone for \($0))" } ?? "") }

    var goneFor: String? {
        ownerGoneSeconds.map { (Int(exactly: $0.rounded(.down)).map(String.init) ?? "?") + " s" }
    }
}

extension CBORValue {
    /// Decodes a value of the container. One that cannot be decoded is shown as bytes; the host accepts no such value.
    init(encoded bytes: [UInt8]) {
        self = (try? CBORValue(decoding: bytes)) ?? .bytes(bytes)
    }
}
