import ArgumentParser
import Bus
import CBOR
import CoordinatorKit

struct DependenciesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deps", abstract: "Shows the entries of the application's container.",
        subcommands: [Get.self, Watch.self])

    struct Get: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "get", abstract: "Prints the entries, or one of them.")
        @OptionGroup var client: ClientOptions
        @Argument(help: "The entry's key.") var key: String?

        func execute() async throws {
            if let key { return try await printEntry(key) }
            let entries = try await client.withHost { try await $0.dependencies() }
            if client.json { return try printJSON(entries) }
            var table = Table("KEY", "REVISION", "OWNER", "VALUE")
            for entry in entries {
                table.add(
                    entry.key, "\(entry.revision)", entry.owner.isEmpty ? "host" : entry.owner,
                    entry.value.diagnostic(maximumLength: 100))
            }
            table.print()
        }

        private func printEntry(_ key: String) async throws {
            let value = try await client.withHost { host in
                if let entry = try await host.chain.hostDependency(key: key) { return CBORValue(encoded: entry.value) }
                let keys = try await host.dependencies().map(\.key).joined(separator: ", ")
                throw CommandError(CommandError.refused, "there is no entry '\(key)'; there are: \(keys)")
            }
            if client.json { print(value.json) } else { printLine(value.diagnostic) }
        }
    }

    struct Watch: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch", abstract: "Prints entries as they change, until Ctrl-C.")
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
                        print(CBORValue.map(["key": .string(key), "value": value]).json)
                    } else {
                        printLine("\(key) \(value.diagnostic(maximumLength: 200))")
                    }
                }
                flushOutput()
            }
            defer { host.close() }
            await untilInterrupted()
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
}

extension HostClient {
    /// All entries of the container, by key.
    func dependencies() async throws -> [ShownEntry] {
        var entries: [String: ShownEntry] = [:]
        var place: DependencyPlace?
        repeat {
            let page = try await chain.hostDependencies(after: place)
            for entry in page.entries {
                entries[entry.key] = ShownEntry(
                    key: entry.key, value: CBORValue(encoded: entry.value), revision: entry.revision,
                    owner: entry.owner)
            }
            place = page.next
        } while place != nil
        return entries.values.sorted { $0.key < $1.key }
    }
}

extension CBORValue {
    /// A value of the container. What cannot be read, which the host takes from nobody, is shown as its bytes.
    init(encoded bytes: [UInt8]) {
        self = (try? CBORValue(decoding: bytes)) ?? .bytes(bytes)
    }
}
