import ArgumentParser
import OperatorKit
import PeerLink

/// Runs all modes with their usual numbers.
struct AllCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "all",
        abstract: "Runs all modes but 'overload', 'scale' and 'strangers'; --markdown prints one table.",
        discussion: """
            It takes some minutes. Nothing else should run on the machine. With valgrind installed, it also counts \
            instructions.
            """)

    @Option(help: "The number of rounds of each mode.") var rounds = 3
    @Flag(help: "Print a table in Markdown.") var markdown = false
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        guard (1...1000).contains(rounds) else { throw ValidationError("--rounds must be from 1 to 1000") }
        guard !markdown || !json else { throw ValidationError("--markdown and --json exclude each other") }
    }

    /// The modes, with their arguments.
    private static let modes: [(any BenchMode.Type, [String])] = [
        (RoundTrip.self, ["--transport", "ipc"]),
        (RoundTrip.self, ["--transport", "tcp"]),
        (RoundTrip.self, ["--transport", "curve"]),
        (Pipeline.self, ["--transport", "ipc", "--size", "64"]),
        (Pipeline.self, ["--transport", "ipc", "--size", "256"]),
        (Pipeline.self, ["--transport", "tcp", "--size", "64"]),
        (Pipeline.self, ["--transport", "tcp", "--size", "256"]),
        (Pipeline.self, ["--transport", "curve", "--size", "256"]),
        (RequestMode.self, []),
        (EntryMode.self, []),
        (FanOut.self, []),
        (SceneMode.self, []),
        (Connect.self, []),
        (Footprint.self, []),
        (Chain.self, []),
        (BatchMode.self, []),
        (TapMode.self, []),
        (ConformancesMode.self, []),
    ]

    func execute() async throws { try await BenchInterruption.run(measure) }

    @MainActor
    private func measure() async throws {
        var modes = Self.modes.map { ($0, $1 + ["--rounds", "\(rounds)"]) }
        if InstructionsCommand.valgrind != nil { modes.append((InstructionsCommand.self, [])) }
        var all: [(arguments: [String], comparison: Comparison)] = []
        var failed: [String] = []
        for (number, (type, arguments)) in modes.enumerated() {
            let name = type.configuration.commandName ?? ""
            StandardError.write(
                "scenebus bench: \(number + 1) of \(modes.count): "
                    + ([name] + arguments).joined(separator: " "))
            guard let mode = try type.parseAsRoot(arguments) as? any BenchMode else { continue }
            // What the other modes have measured in some minutes is not lost with one that fails.
            do { all.append((arguments, try await mode.measure())) } catch {
                try BenchInterruption.check()
                failed.append(name)
                StandardError.write("scenebus bench: \(name) failed: \(error)")
            }
        }
        try show(all)
        guard failed.isEmpty else {
            StandardError.write("scenebus bench: without \(failed.joined(separator: ", ")), which failed")
            throw ExitCode.failure
        }
    }

    private func show(_ all: [(arguments: [String], comparison: Comparison)]) throws {
        if json {
            return try printJSON(
                all.map {
                    Entry(mode: $0.comparison.mode, arguments: $0.arguments, figures: $0.comparison.object)
                })
        }
        guard markdown else {
            for (_, comparison) in all { try comparison.show(json: false) }
            return
        }
        for line in Comparison.header + all.flatMap(\.comparison.rows) { printLine(line) }
    }

    private struct Entry: Encodable {
        let mode: String
        let arguments: [String]
        let figures: [String: [String: Double]]
    }
}
