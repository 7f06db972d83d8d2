import Foundation
import TestKit
import Testing

extension CommandTests {
    /// What of a process's output arrives at `scenebus logs`, and in which form.
    @Suite(.timeLimit(.minutes(5)))
    struct LogsCommandTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        private var plugins: String { installation.pluginFolder }

        @Test("A line that has no end yet is shown, and with -f again when it has changed and ended")
        func unfinished() async throws {
            try installation.makePlugin(
                "waiter", startSeconds: 0,
                script: "printf 'waiting for licence…'\nread go < pipe\necho ' done'\nexec sleep 1000")
            #expect(mkfifo("\(plugins)/waiter/pipe", 0o600) == 0)
            try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                try await installation.until("logs", "waiter") { $0.output == "waiting for licence…\n" }
                let json = try await installation.scenebus("logs", "waiter", "--json")
                #expect(json.output.contains(#""isUnfinished":true"#), "\(json.output)")
                let file = try installation.write("", to: "followed")
                let shown = { try String(contentsOfFile: file, encoding: .utf8) }
                let followed = try await installation.run(
                    "bash", ["-c", "exec \(Installation.executables)/scenebus logs waiter -f > \(file)"]
                ) { running in
                    try await until("the line's beginning is shown") { try shown() == "waiting for licence…\n" }
                    _ = try await installation.run("bash", ["-c", "echo go > \(plugins)/waiter/pipe"])
                    try await until("the line's end is shown") { try shown().hasSuffix(" done\n") }
                    try running.send(SIGINT)
                }
                #expect(followed.code == 0, "\(followed.error)")
                #expect(try shown() == "waiting for licence…\nwaiting for licence… done\n")
            }
        }

        @Test("Without -f the command ends, also for a process that never stops writing")
        func busy() async throws {
            try installation.makePlugin("flood", startSeconds: 0, script: "exec yes")
            try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                try await installation.until("logs", "flood") { $0.output.hasSuffix("y\n") }
                for _ in 0..<3 {
                    let shown = try await installation.scenebus("logs", "flood")
                    #expect(shown.code == 0)
                    #expect(shown.output.split(separator: "\n").count <= 502)
                }
            }
        }

        @Test("Tabs stay, colours are left out, and of a progress the last state is shown; JSON leaves out nothing")
        func forms() async throws {
            try installation.makePlugin(
                "writer", startSeconds: 0,
                script: #"printf 'a\tb\n\033[31mred\033[0m\n10 %%\r20 %%\r30 %%\nend\n'; exec sleep 1000"#)
            try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                let shown = try await installation.until("logs", "writer") { $0.output.contains("end") }
                #expect(shown.output == "a\tb\nred\n30 %\nend\n")
                let json = try await installation.scenebus("logs", "writer", "--json")
                #expect(json.output.contains(#"\u001b[31mred"#), "\(json.output)")
            }
        }

        @Test("What a plugin prints and logs arrives while it runs, under its name on the bus; the host has its own")
        func printing() async throws {
            try installation.makePlugin("printer", startSeconds: 0, executable: "printing-plugin")
            try installation.write("{}", to: "plugins/broken/plugin.json")
            let outcome = try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                let shown = try await installation.until("logs", "printer") {
                    $0.output.contains("logged by the plugin") && $0.output.contains("printed")
                }
                #expect(shown.output.contains("printed without a flush\n"), "\(shown.output)")
                #expect(shown.output.contains(" printer:"), "\(shown.output)")
            }
            #expect(outcome.error.contains(" host 'default':"), "\(outcome.error)")
            let lines = outcome.error.split(separator: "\n")
            #expect(lines.contains("printer: printed without a flush"), "\(outcome.error)")
        }

        @Test("An error with which a plugin ends makes one line, whatever it contains")
        func forgedLines() async throws {
            try installation.makePlugin(
                "printer", #", "configuration": {"fails": true}"#, startSeconds: 0, executable: "printing-plugin")
            let outcome = try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                let shown = try await installation.until("logs", "printer", "--previous") {
                    $0.output.contains("it broke")
                }
                #expect(shown.output.contains(#"printing: it broke\n2026"#), "\(shown.output)")
                try await installation.until("plugins", "ls", "--json") {
                    try $0.json([PluginReply].self).first?.problem?.contains("it broke") == true
                }
            }
            #expect(!outcome.error.contains("\n2026-01-01T00:00:00 error host"))
            #expect(!outcome.error.contains("\u{1B}"))
        }
    }
}
