import Foundation
import TestKit
import Testing

extension CommandTests {
    /// Tables that are shown again when they have changed.
    @Suite(.timeLimit(.minutes(5)))
    struct TableWatchTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        private var errors: String { "\(installation.folder)/errors" }
        private var shown: String { "\(installation.folder)/shown" }

        private func lines(_ file: String) -> [String] {
            ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").map {
                $0.split(separator: " ").joined(separator: " ")
            }
        }

        /// Runs a command that watches from the time at which a host is there, until Ctrl-C.
        private func watch(
            _ command: String, to output: String, _ body: (Installation.Running) async throws -> Void
        ) async throws -> Outcome {
            try await installation.run(
                "sh",
                [
                    "-c",
                    "export TERM=xterm; \"$0\" wait --timeout 30 && exec \"$0\" \(command) --watch --interval 0.1 > \"$1\" 2> \"$2\"",
                    "\(Installation.executables)/scenebus", output, errors,
                ], whileRunning: body)
        }

        @Test(
            "In a file, a watched table is a line for each row that comes, changes or goes, also after the host was away"
        )
        func file() async throws {
            let outcome = try await watch("sessions ls", to: shown) { watching in
                try await installation.withHost(waitFor: []) { _ in
                    try await until("the head is shown") { lines(shown).count == 1 }
                    let opened = try await installation.scenebus("sessions", "open", "Wall", "--id", "first")
                    #expect(opened.code == 0, "\(opened.error)")
                    try await until("the session is shown as open") {
                        lines(shown).contains { $0.hasPrefix("+ first Wall") }
                    }
                }
                try await installation.withHost(waitFor: []) { _ in
                    try await until("it is attached again") { lines(errors).contains("scenebus: attached again") }
                    let closed = try await installation.scenebus("sessions", "close", "first")
                    #expect(closed.code == 0, "\(closed.error)")
                    try await until("the session is shown as closed") {
                        lines(shown).contains { $0.hasPrefix("- first Wall") }
                    }
                }
                try watching.send(SIGINT)
            }
            #expect(outcome.code == 0, "\(lines(errors))")
            #expect(lines(shown).first == "SESSION CONFIGURATION ROLE STATE WORKER PID PROBLEM")
            let absence = lines(errors).prefix { $0 != "scenebus: attached again" }
            #expect(absence.filter { $0.contains("trying again") }.count == 1, "\(lines(errors))")
        }

        /// The commands that watch a table, each with its header.
        private static let headers = [
            "status": "LINK PEER ROLE PID SILENT PENDING SESSIONS",
            "sessions ls": "SESSION CONFIGURATION ROLE STATE WORKER PID PROBLEM",
            "worker ls": "WORKER PID VERSION SCENES USED STATE",
            "deps ls": "KEY REVISION SIZE OWNER",
            "deps get": "KEY REVISION OWNER VALUE",
            "plugins ls": "PLUGIN VERSION STATE PID RESTARTS ADDS",
            "key ls": "NAME ROLE KEY GRANTS EXPIRES",
            "context ls": "IN USE NAME ADDRESS HOST'S KEY OWN NAME",
            "audit": "TIME PEER KEY USER ROLE ACTION OBJECT OUTCOME",
        ]

        @Test("Every command with --watch shows the header at once, and ends with 0 when it is interrupted after that")
        func every() async throws {
            let help: CommandHelp.Root = try await installation.scenebus("--experimental-dump-help").json()
            #expect(help.command.commands(with: "watch").sorted() == Self.headers.keys.sorted())
            try await installation.withHost("--no-store", waitFor: []) { _ in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (command, header) in Self.headers {
                        group.addTask { [installation] in
                            var shown: String?
                            let arguments = command.split(separator: " ").map(String.init) + ["--watch"]
                            let code = try await installation.follow(arguments) { line in
                                // Rows, and lines around the table, have a sign in front.
                                guard line.hasPrefix("  ") else { return true }
                                shown = line.split(separator: " ").joined(separator: " ")
                                return false
                            }
                            #expect(code == 0, "\(command)")
                            #expect(shown == header, "\(command)")
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }

        @Test("With --json, each change is a line with the whole list")
        func json() async throws {
            let outcome = try await watch("sessions ls --json", to: shown) { watching in
                try await installation.withHost("--no-store", waitFor: []) { _ in
                    try await until("the empty list is shown") { lines(shown) == ["[]"] }
                    _ = try await installation.scenebus("sessions", "open", "Wall", "--id", "first")
                    try await until("the change is shown") { lines(shown).count > 1 }
                    try watching.send(SIGINT)
                }
            }
            #expect(outcome.code == 0, "\(lines(errors))")
            for (line, count) in zip(lines(shown), [0, 1]) {
                #expect(try JSONDecoder().decode([SessionReply].self, from: Data(line.utf8)).count == count)
            }
        }

        @Test("On a terminal, a watched table is drawn in place, and the terminal is given back at the end")
        func terminal() async throws {
            let terminal = try PseudoTerminal()
            let outcome = try await watch("sessions ls", to: terminal.path) { watching in
                try await installation.withHost("--no-store", waitFor: []) { _ in
                    // Each word is placed by itself.
                    let empty = try await terminal.shown(until: "session")
                    #expect(empty.contains("\u{1B}[?1049h"))
                    #expect(!terminal.echoes)
                    _ = try await installation.scenebus("sessions", "open", "Wall", "--id", "first")
                    let opened = try await terminal.shown(until: "first")
                    #expect(opened.contains("SESSION"))
                    #expect(!opened.contains("\u{1B}[2J"))
                }
                try await terminal.shown(until: "the host is away")
                try watching.send(SIGTERM)
                try await terminal.shown(until: "\u{1B}[?25h\u{1B}[?1049l")
            }
            #expect(outcome.code == 0, "\(lines(errors))")
            #expect(terminal.echoes)
        }
    }
}

/// What a command says about itself for programs.
private struct CommandHelp: Decodable {
    struct Root: Decodable {
        var command: CommandHelp
    }
    struct Argument: Decodable {
        struct Name: Decodable {
            var name: String
        }
        var names: [Name]?
    }
    var commandName: String
    var arguments: [Argument]?
    var subcommands: [CommandHelp]?

    /// The command and those below it that have an option, as they are typed after the program's name.
    func commands(with option: String) -> [String] {
        let own = arguments?.contains { $0.names?.contains { $0.name == option } ?? false } ?? false
        return (own ? [""] : [])
            + (subcommands ?? []).flatMap { command in
                command.commands(with: option).map { $0.isEmpty ? command.commandName : "\(command.commandName) \($0)" }
            }
    }
}
