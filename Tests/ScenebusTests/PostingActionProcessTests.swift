import Foundation
import Testing

extension PluginProcessTests {
    /// An action that posts a message, whose handler in another process changes what the screen shows.
    @Suite(.timeLimit(.minutes(5)))
    struct PostingActionProcessTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        /// Writes a program that runs the application in a role.
        @discardableResult
        private func program(_ role: String, in folder: String) throws -> String {
            try installation.write(
                "#!/bin/sh\nPOSTING_ROLE=\(role) exec '\(Installation.executables)/posting-app' \"$@\"\n",
                to: "\(folder)/run", mode: 0o755)
        }

        private func addWorker() throws {
            try program("worker", in: "plugins/wall")
            try installation.write(
                """
                {"id": "wall", "version": "1.0.0", "protocol": {"min": 1, "max": 1}, "executable": "run",
                 "scenes": ["Tally"]}
                """, to: "plugins/wall/plugin.json")
        }

        private var plugins: String { "\(installation.folder)/plugins" }

        private func expectFreshScreens() async throws {
            let opened = try await installation.scenebus("sessions", "open")
            #expect(opened.code == 0, "\(opened.error)")
            let id = opened.output.trimmingCharacters(in: .whitespacesAndNewlines)
            for round in 1...10 {
                let act = try await installation.scenebus("scene", "act", id, "add")
                #expect(act.code == 0, "\(act.error)")
                #expect(act.output.hasPrefix("Tally: \(round)\n"), "\(act.output)")
            }
        }

        @Test("The screen after an action shows what a plugin has set because of the action's post")
        func plugin() async throws {
            try addWorker()
            try program("plugin", in: "plugins/tally")
            try installation.write(
                """
                {"id": "tally", "version": "1.0.0", "protocol": {"min": 1, "max": 1}, "executable": "run",
                 "handles": ["tallyAdd"], "provides": ["tally"]}
                """, to: "plugins/tally/plugin.json")
            try await installation.withHost("--no-store", plugins: plugins) { _ in try await expectFreshScreens() }
        }

        @Test("The screen after an action shows what the host's delegate has set because of the action's post")
        func hostItself() async throws {
            try addWorker()
            let host = try program("host", in: "host")
            let outcome = try await installation.run(host, ["--no-store", "--plugins", plugins]) { host in
                let ready = try await installation.scenebus("wait", "--plugins", "--timeout", "30")
                #expect(ready.code == 0, "\(ready.error)")
                try await expectFreshScreens()
                try host.send(SIGTERM)
            }
            #expect(outcome.code == 0, "\(outcome.error)")
        }
    }
}
