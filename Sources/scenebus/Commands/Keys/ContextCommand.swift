import ArgumentParser
import Bus
import OperatorKit
import PeerLink
import ZeroMQ

struct ContextCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "context", abstract: "Names hosts of other machines, with their addresses and keys.",
        discussion: """
            'scenebus join' makes a context. --host and SCENEBUS_HOST take its name. The context in use is the host of every \
            command without them.
            """,
        subcommands: [List.self, Add.self, Use.self, Remove.self])

    struct List: LoopCommand {
        static let configuration = CommandConfiguration(commandName: "ls", abstract: "Lists the contexts.")
        @OptionGroup var watching: WatchOptions
        @Flag(help: "Print JSON.") var json = false

        func execute() async throws {
            try await watching.show(from: nil, asJSON: json) { try Self.listing(of: try KeyFolder().contexts()) }
        }

        private static func listing(of contexts: HostContexts) throws -> TableListing {
            var table = Table("IN USE", "NAME", "ADDRESS", "HOST'S KEY", "OWN NAME", identity: "NAME")
            for context in contexts.contexts {
                table.add(
                    context.name == contexts.current ? "*" : "", context.name, context.address, context.key.beginning,
                    context.ownName)
            }
            return try TableListing(
                table, whenEmpty: "there is no context; 'scenebus join' and 'scenebus context add' make one",
                json: contexts.contexts.map { ShownContext($0, isInUse: $0.name == contexts.current) })
        }
    }

    struct Add: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Adds a context, or changes it.",
            discussion: """
                The host must allow this machine's key, which 'scenebus key own' prints.

                EXAMPLE:
                  scenebus context add wall tcp://192.0.2.7:5570 \(KeyCommand.example) --as wall-3
                """)
        @Argument(help: "The name.") var name: String
        @Argument(help: "The host's address.") var address: String
        @Argument(help: "The host's public key, which 'scenebus key show' prints there.") var key: String
        @Option(name: .customLong("as"), help: "The name of this machine's key at the host.") var ownName: String

        func execute() async throws {
            _ = try (BusName(name), BusName(ownName))
            if let problem = HostEndpoint.problem(of: address) { throw CommandError(.usage, problem) }
            guard address.hasPrefix("tcp://") else {
                throw CommandError(.usage, "a context is for a host of another machine, at a tcp:// address")
            }
            guard let key = PublicKey(key) else {
                throw CommandError(.usage, "'\(key)' is no public key, which has 64 hexadecimal digits")
            }
            let folder = try KeyFolder()
            _ = try folder.keyOrNew(in: folder.ownKeyFile)
            var contexts = try folder.contexts()
            contexts.set(HostContext(name: name, address: address, key: key, ownName: ownName))
            try folder.save(contexts)
            printLine("'\(name)' is the host at \(address); try it with 'scenebus status --host \(name)'")
        }
    }

    struct Use: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "use", abstract: "Makes a context the host of the commands that name none.",
            discussion: """
                Without a name, the commands go to this machine's own host again.
                """)
        @Argument(help: "The name.") var name: String?

        func execute() async throws {
            let folder = try KeyFolder()
            var contexts = try folder.contexts()
            guard contexts.use(name) else { throw unknownContext(name ?? "") }
            try folder.save(contexts)
            printLine(name.map { "commands go to '\($0)' now" } ?? "commands go to the host on this machine now")
        }
    }

    struct Remove: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm", abstract: "Removes a context. The host still allows this machine's key.")
        @Argument(help: "The name.") var name: String

        func execute() async throws {
            let folder = try KeyFolder()
            var contexts = try folder.contexts()
            guard contexts.remove(name) else { throw unknownContext(name) }
            try folder.save(contexts)
            printLine("'\(name)' is removed")
        }
    }
}

/// A context as `--json` shows it.
private struct ShownContext: Encodable {
    let name: String
    let address: String
    let key: String
    let ownName: String
    let isInUse: Bool

    init(_ context: HostContext, isInUse: Bool) {
        (name, address, key) = (context.name, context.address, "\(context.key)")
        (ownName, self.isInUse) = (context.ownName, isInUse)
    }
}

private func unknownContext(_ name: String) -> CommandError {
    CommandError(.refused, "there is no context '\(name)'; see 'scenebus context ls'")
}
