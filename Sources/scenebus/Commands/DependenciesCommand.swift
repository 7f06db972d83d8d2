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
            let entries = try await client.withHost { try await $0.chain.hostDependencies() }
            if let key {
                guard let entry = entries.first(where: { $0.key == key }) else {
                    throw CommandError(
                        CommandError.refused,
                        "there is no entry '\(key)'; there are: \(entries.map(\.key).joined(separator: ", "))")
                }
                return client.json ? print(entry.value.json) : printLine(entry.value.diagnostic)
            }
            if client.json { return try printJSON(entries) }
            var table = Table("KEY", "REVISION", "OWNER", "VALUE")
            for entry in entries {
                table.add(
                    entry.key, "\(entry.revision)", entry.owner.isEmpty ? "host" : entry.owner,
                    entry.value.diagnostic(maximumLength: 100))
            }
            table.print()
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
                    let value = bytes.flatMap { try? CBORValue(decoding: $0) } ?? .null
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
        var entries: [String: [UInt8]?]
        switch action {
        case .apply(let changes): entries = changes
        case .replace(let all):
            entries = all
            for key in keys where all[key] == nil { entries.updateValue(nil, forKey: key) }
        case .synchronize: return [:]
        }
        entries = entries.filter { $0.value != nil || keys.contains($0.key) }
        for (key, value) in entries {
            if value == nil { keys.remove(key) } else { keys.insert(key) }
        }
        return entries
    }
}
