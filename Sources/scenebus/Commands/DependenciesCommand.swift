import PeerLink
import ArgumentParser
import Bus
import CBOR
import Messaging
import OperatorKit

struct DependenciesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deps", abstract: "Shows the entries of the application's container.",
        subcommands: [Get.self, Watch.self])

    struct Get: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "get", abstract: "Prints the entries, or one of them.",
            discussion: """
                An OWNER that is gone is not attached: the value is the last that it said.

                In JSON a number that JSON cannot write is a text: "NaN", "Infinity" or "-Infinity". Bytes are base64. A map whose \
                keys would be equal in JSON, such as 1 and "1", is a list of [key, value] pairs.
                """)
        @OptionGroup var client: ClientOptions
        @Argument(help: "The entry's key.") var key: String?

        func execute() async throws {
            if let key { return try await printEntry(key) }
            let entries = try await client.withHost { try await $0.chain.hostDependencies() }.map { ShownEntry($0) }
            if client.json { return try printJSON(entries) }
            var table = Table("KEY", "REVISION", "OWNER", "VALUE")
            for entry in entries {
                table.add(
                    entry.key, "\(entry.revision)",
                    (entry.owner.isEmpty ? "host" : entry.owner)
                        + (entry.goneFor.map { " (gone for \($0))" } ?? ""),
                    entry.value.diagnostic(maximumLength: 100))
            }
            table.print()
        }

        private func printEntry(_ key: String) async throws {
            let entry = try await client.withHost { host in
                if let entry = try await host.chain.hostDependency(key: key) { return ShownEntry(entry) }
                let keys = try await host.chain.hostDependencies().map(\.key).joined(separator: ", ")
                throw CommandError(.refused, "there is no entry '\(key)'; there are: \(keys)")
            }
            if client.json { return printJSON(entry.value) }
            if let time = entry.goneFor {
                StandardError.write(
                    "scenebus: '\(entry.owner)', which has set it, has been gone for \(time): it may be out of date"
                        .printable)
            }
            printLine(entry.value.diagnostic)
        }
    }

    struct Watch: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch", abstract: "Prints entries as they change, until Ctrl-C.",
            discussion: "While the host is away it says so on the standard error and goes on when the host is back.")
        @OptionGroup var client: ClientOptions
        @Argument(help: "The keys to watch; all when left out.") var keys: [String] = []

        func execute() async throws {
            let keys = Set(keys)
            let json = client.json
            let shown = ShownKeys()
            let host = try await HostClient(
                client, synchronizes: true, knownKeys: { shown.keys }
            ) { action in
                let entries = shown.news(of: action)
                for (key, bytes) in entries.sorted(by: { $0.key < $1.key }) where keys.isEmpty || keys.contains(key) {
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
                StandardError.write("scenebus: there is no entry '\(key.printable)' yet")
            }
            try await host.goOnUntilInterrupted()
        }
    }
}

/// The entries that a watch has shown and that are there still: only the end of one of these is news.
@MainActor
private final class ShownKeys {
    private(set) var keys: Set<String> = []

    func news(of action: DependencyReplica.Action) -> [String: [UInt8]?] {
        guard case .apply(let changes) = action else { return [:] }
        let entries = changes.filter { $0.value != nil || keys.contains($0.key) }
        for (key, value) in entries {
            if value == nil { keys.remove(key) } else { keys.insert(key) }
        }
        return entries
    }
}

/// An entry as it is printed.
struct ShownEntry: Encodable, Sendable {
    var key: String
    var value: CBORValue
    var revision: UInt64
    var owner: String
    /// How long its owner has not been attached; `nil` while it is.
    var ownerGoneSeconds: Double?

    init(_ entry: DependencyStatus) {
        key = entry.key
        value = CBORValue(encoded: entry.value)
        revision = entry.revision
        owner = entry.owner
        ownerGoneSeconds = entry.ownerGoneSeconds
    }

    var goneFor: String? {
        ownerGoneSeconds.map { (Int(exactly: $0.rounded(.down)).map(String.init) ?? "?") + " s" }
    }
}

extension CBORValue {
    /// A value of the container. What cannot be read, which the host takes from nobody, is shown as its bytes.
    init(encoded bytes: [UInt8]) {
        self = (try? CBORValue(decoding: bytes)) ?? .bytes(bytes)
    }
}
