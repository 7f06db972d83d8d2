import Foundation
import Testing

/// The example packages of the pages, built outside of this package, run, and attached to a host.
///
/// The first build compiles everything that the executables link, which takes minutes. So this is part of
/// `deploy/test --long` only. It goes on beside the other tests, and leaves them the machine.
@Suite(
    .timeLimit(.minutes(20)),
    .enabled(if: ProcessInfo.processInfo.environment["SCENEBUS_LONG"] != nil))
struct OutsidePackageTests {
    let installation: Installation

    init() throws {
        installation = try Installation(isLarge: true)
    }

    /// The fenced blocks that follow a line `<!-- file: PATH -->`, by path.
    static func files(in markdown: String) -> [String: String] {
        var files: [String: String] = [:]
        var path: String?
        var block: [Substring]?
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
            if let begun = block, line.hasPrefix("```") {
                if let path { files[path] = begun.joined(separator: "\n") + "\n" }
                (path, block) = (nil, nil)
            } else if block != nil {
                block?.append(line)
            } else if line.hasPrefix("```") {
                block = []
            } else if line.hasPrefix("<!-- file: "), line.hasSuffix(" -->") {
                path = String(line.dropFirst("<!-- file: ".count).dropLast(" -->".count))
            } else if !line.allSatisfy(\.isWhitespace) {
                path = nil
            }
        }
        return files
    }

    @Test("Only blocks that name a file are extracted from a text")
    func extraction() {
        let text = """
            <!-- file: a/b.swift -->
            ```swift
            let a = 1

            let b = 2
            ```
            ```sh
            not this
            ```
            <!-- file: c -->
            Something else comes between.
            ```
            nor this
            ```
            """
        #expect(Self.files(in: text) == ["a/b.swift": "let a = 1\n\nlet b = 2\n"])
    }

    @Test("The packages of Write your own and of the tutorial build, and do as processes what the pages say")
    func builds() async throws {
        try await writeYourOwn()
        try await tutorial()
    }

    /// Builds a package on what the tests that run meanwhile leave of the processors. `nice` would not do: the processes of
    /// a build get an ordinary priority again.
    ///
    /// The packages share the folder of the build, so that what they depend on is compiled once.
    private func swift(_ command: String..., in package: String) async throws -> Outcome {
        try await installation.run(
            "chrt", ["--idle", "0", "swift"] + command + ["--scratch-path", "\(installation.folder)/build"],
            folder: package)
    }

    private var bin: String { "\(installation.folder)/build/debug" }

    private func tutorial() async throws {
        let made = try await installation.run(
            "\(Installation.executables)/scenebus", ["new", "app", "Board"], folder: installation.folder)
        try #require(made.code == 0, "\(made.error)")
        let board = "\(installation.folder)/Board"
        let page = try String(
            contentsOfFile: "\(Installation.package)/Sources/SceneHost/SceneHost.docc/Tutorial.md", encoding: .utf8)
        for (path, text) in Self.files(in: page) { try installation.write(text, to: "Board/\(path)") }
        try FileManager.default.createSymbolicLink(
            atPath: "\(board)/.build", withDestinationPath: "\(installation.folder)/build")
        let tested = try await swift("test", in: board)
        #expect(tested.code == 0, "\(tested.output)\(tested.error)")
        #expect(tested.output.contains("Test run with 3 tests"), "\(tested.output)\(tested.error)")
        // As this test runs the host, it does not run the page's first command.
        let commands = Array(Self.commands(inSection: 8, of: page).dropFirst().joined())
        try #require(commands.count > 10)
        let script = commands.map { command in
            // The host refuses it.
            command.hasSuffix(" post") ? "\(command) || [ $? -eq 1 ]" : command
        }
        let host = try await installation.run("\(bin)/board-host") { host in
            let outcome = try await installation.run(
                "bash",
                [
                    "-c",
                    (["set -e", "trap 'kill $(jobs -p)' EXIT", "export PATH=$1:$PATH"] + script)
                        .joined(separator: "\n"),
                    "bash", Installation.executables,
                ], folder: board)
            #expect(outcome.code == 0, "\(outcome.output)\(outcome.error)")
            #expect(outcome.output.contains("- The lift is out of order  [1]"), "\(outcome.output)")
            #expect(outcome.error.contains("a notice needs a text"), "\(outcome.error)")
            #expect(outcome.output.contains("Notice 1\n========"), "\(outcome.output)")
            try host.send(SIGINT)
        }
        #expect(host.code == 0, "\(host.error)")
        // A host of one's own has the options of `scenebus host`.
        let help = try await installation.run("\(bin)/board-host", ["--help"])
        #expect(help.code == 0)
        #expect(help.output.contains("USAGE: board-host"), "\(help.output)")
        for wrong in [["--nmae", "other"], ["--once-window", "119"]] {
            let outcome = try await installation.run("\(bin)/board-host", wrong)
            #expect(outcome.code == 2)
            #expect(outcome.error.contains(wrong[0]), "\(outcome.error)")
        }
        #expect(
            FileManager.default.fileExists(atPath: "\(installation.folder)/state/scenebus/board/default.sqlite"))
        try await console(Self.commands(inSection: 10, of: page), in: board)
    }

    /// The lines of each block of commands in a section of a page.
    private static func commands(inSection number: Int, of page: String) -> [[String]] {
        let section = page.components(separatedBy: "\n## ").first { $0.hasPrefix("\(number). ") } ?? ""
        return section.components(separatedBy: "```sh\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0].split(separator: "\n").map(String.init)
        }
    }

    /// Runs the tutorial's host with the console, which a build without the trait does not have.
    private func console(_ blocks: [[String]], in board: String) async throws {
        #if Console
            try #require(blocks.count == 3)
            func bash(_ lines: [String]) -> [String] {
                let script = ["set -e", "export PATH=$1:$PATH"] + lines
                return ["-c", script.joined(separator: "\n"), "bash", Installation.executables]
            }
            // The shell would not pass a signal on to the host.
            let start = blocks[0].map { $0.hasPrefix(".build/") ? "exec \($0)" : $0 }
            let host = try await installation.run("bash", bash(start), folder: board) { host in
                let outcome = try await installation.run("bash", bash(blocks[1] + blocks[2]), folder: board)
                #expect(outcome.code == 0, "\(outcome.output)\(outcome.error)")
                #expect(outcome.output.contains("/login?token="), "\(outcome.output)")
                #expect(outcome.output.contains("/wall/Board?device="), "\(outcome.output)")
                try host.send(SIGINT)
            }
            #expect(host.code == 0, "\(host.error)")
        #endif
    }

    private func writeYourOwn() async throws {
        let page = "\(Installation.package)/Sources/SceneWorker/SceneWorker.docc/WriteYourOwn.md"
        let readme = try String(contentsOfFile: page, encoding: .utf8)
        let files = Self.files(in: readme)
        try #require(files["Package.swift"] != nil)
        for (path, text) in files { try installation.write(text, to: "Wall/\(path)") }
        // The page refers to this package by its folder's name in a clone, which may differ here.
        try FileManager.default.createSymbolicLink(
            atPath: "\(installation.folder)/scenebus", withDestinationPath: Installation.package)
        let wall = "\(installation.folder)/Wall"
        let built = try await swift("build", in: wall)
        try #require(built.code == 0, "\(built.output)\(built.error)")
        #expect(!built.output.contains("\(wall)/Sources") || !built.output.contains("warning:"), "\(built.output)")

        try installation.write(
            """
            {"id": "counter", "version": "1.0.0", "protocol": {"min": 1, "max": 1},
             "executable": "\(bin)/counter-plugin", "handles": ["counterAdd"], "provides": ["total"]}
            """, to: "plugins/counter/plugin.json")
        try installation.write(
            """
            {"id": "wall", "version": "1.0.0", "protocol": {"min": 1, "max": 1},
             "executable": "\(bin)/wall-worker", "scenes": ["Wall"]}
            """, to: "plugins/wall/plugin.json")
        try await installation.withHost("--no-store", plugins: "\(installation.folder)/plugins") { _ in
            try await counts("counter", "wall")
            try await client()
        }
        let alone = try await installation.run("\(bin)/wall-client")
        #expect(alone.code == 3)
        #expect(alone.error.hasPrefix("wall-client: no host answers at "), "\(alone.error)")
        // Started by hand, as on the page: they find this machine's default host and need no manifest.
        try await installation.withHost("--no-store", waitFor: []) { _ in
            let plugin = try await installation.run("\(bin)/counter-plugin") { plugin in
                let worker = try await installation.run("\(bin)/wall-worker") { worker in
                    try await counts("counter-\(plugin.pid)", "wall-\(worker.pid)")
                    try worker.send(SIGTERM)
                }
                #expect(worker.code == 0, "\(worker.error)")
                try plugin.send(SIGTERM)
            }
            #expect(plugin.code == 0, "\(plugin.error)")
        }
    }

    /// Builds and runs the client of OperatorKit's page while a session of the wall runs, whose total is 1.
    private func client() async throws {
        let page = try String(
            contentsOfFile: "\(Installation.package)/Sources/OperatorKit/OperatorKit.docc/OperatorKit.md",
            encoding: .utf8)
        for (path, text) in Self.files(in: page) { try installation.write(text, to: "WallClient/\(path)") }
        let built = try await swift("build", in: "\(installation.folder)/WallClient")
        try #require(built.code == 0, "\(built.output)\(built.error)")
        #expect(!built.output.contains("warning:"), "\(built.output)")
        let outcome = try await installation.run("\(bin)/wall-client")
        #expect(outcome.code == 0, "\(outcome.error)")
        #expect(outcome.output == "Counter [\"Total: 2\"]\n", "\(outcome.output)")
    }

    /// Checks that the worker's scene shows the total that the plugin counts.
    /// - Parameters:
    ///   - plugin: what the name of the plugin begins with.
    ///   - worker: what the name of the worker begins with.
    private func counts(_ plugin: String, _ worker: String) async throws {
        try await installation.until("status", "--json") {
            let peers = try $0.json(StatusReply.self).links.map(\.peer)
            return [plugin, worker].allSatisfy { name in peers.contains { $0.hasPrefix(name) } }
        }
        let opened = try await installation.scenebus("sessions", "open", "Wall")
        #expect(opened.code == 0, "\(opened.error)")
        let session = opened.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let shown = try await installation.scenebus("scene", "show", session)
        #expect(shown.output.contains("Total: 0"), "\(shown.output)\(shown.error)")
        let acted = try await installation.scenebus("scene", "act", session, "add")
        #expect(acted.output.contains("Total: 1"), "\(acted.output)\(acted.error)")
    }
}
