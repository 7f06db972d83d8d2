import Foundation
import Testing

extension CommandTests {
    /// A session whose scene ends the process of its worker when it is looked at.
    @Suite(.timeLimit(.minutes(5)))
    struct CrashingSceneTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        private var executable: String { "\(Installation.executables)/crashing-worker" }
        /// The working folder of the workers. The scenes are all right once a file "fixed" is in it.
        private var folder: String { "\(installation.folder)/plugins/crashing" }

        private func makePlugin() throws -> String {
            try installation.write(
                """
                {"id": "crashing", "version": "1.0.0", "protocol": {"min": 1, "max": 1},
                 "executable": "crashing-worker", "scenes": ["Good", "Bad", "Once"], "instances": 2, "capacity": 8}
                """, to: "plugins/crashing/plugin.json")
            return "\(installation.folder)/plugins"
        }

        private func open(_ scene: String) async throws -> String {
            let outcome = try await installation.scenebus("sessions", "open", scene)
            #expect(outcome.code == 0, "\(outcome.error)")
            return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        private func session(_ id: String) async throws -> SessionReply {
            let all: [SessionReply] = try await installation.scenebus("sessions", "ls", "--json").json()
            return try #require(all.first { $0.session == id })
        }

        private func instances() async throws -> [PluginReply] {
            try await installation.scenebus("plugins", "ls", "--json").json()
        }

        /// Looks at the session, which crashes two workers, and checks that the host holds it.
        private func crash(_ bad: String) async throws {
            let look = try await installation.scenebus("scene", "show", bad, "--timeout", "30")
            #expect(look.code == 4)
            #expect(look.error.contains("crashed 2 workers"), "\(look.error)")
            let held = try await session(bad)
            #expect(held.worker == nil)
            #expect(held.problem?.contains("scenebus sessions retry \(bad)") == true)
            // The workers are named, so that their logs can be found.
            #expect(held.problem?.hasPrefix("crashed 2 workers (") == true, "\(held.problem ?? "")")
        }

        private func show(_ id: String) async throws -> Outcome {
            try await installation.scenebus("scene", "show", id, "--timeout", "30")
        }

        @Test("A scene that crashes two workers is held, also by the next host, until it is tried again; others run on")
        func workersOfTheHost() async throws {
            let plugins = try makePlugin()
            var bad = ""
            try await installation.withHost(plugins: plugins) { _ in
                var good: [String] = []
                for _ in 0..<4 { good.append(try await open("Good")) }
                bad = try await open("Bad")
                try await crash(bad)
                // Both workers may be gone now, and a session without any that offers its scene has none to show.
                try await installation.until("plugins", "ls", "--json") {
                    try $0.json([PluginReply].self).allSatisfy { $0.state == "attached" }
                }
                for id in good {
                    let shown = try await show(id)
                    #expect(shown.output.hasPrefix("good"), "\(shown.output)\(shown.error)")
                }
                // The report of a crash says where, and not what was in the registers and behind them.
                for instance in try await instances() where instance.restarts > 0 {
                    let log = try await installation.scenebus("logs", instance.instance, "--previous")
                    #expect(log.output.contains("crashed:"), "\(log.output)")
                    #expect(!log.output.contains("Registers:"), "\(log.output)")
                }
                // Nobody waits for a session that gets no worker.
                let wait = try await installation.scenebus("wait", "--sessions", "--timeout", "60")
                #expect(wait.code == 1)
                #expect(wait.error.contains("session \(bad) is held: crashed 2 workers"), "\(wait.error)")
                #expect(wait.error.contains("scenebus sessions retry \(bad)"), "\(wait.error)")
                #expect(!wait.error.contains("--timeout"), "\(wait.error)")
                // Another look does no harm.
                #expect(try await show(bad).error.contains("crashed 2 workers"))
                #expect(try await instances().reduce(0) { $0 + $1.restarts } == 2)
                #expect(try await installation.scenebus("doctor").code == 1)
            }
            try await installation.withHost(plugins: plugins) { _ in
                try await installation.until("sessions", "ls", "--json") {
                    try $0.json([SessionReply].self).first { $0.session == bad }?.problem?
                        .hasPrefix("crashed 2 workers") == true
                }
                let status: StatusReply = try await installation.scenebus("status", "--json").json()
                #expect(
                    status.problems.contains { $0.hasPrefix("sessions: ") && $0.contains("one has crashed workers") })
                try installation.write("", to: "plugins/crashing/fixed")
                let retry = try await installation.scenebus("sessions", "retry", bad)
                #expect(retry.code == 0, "\(retry.error)")
                #expect(retry.output.contains("runs on crashing-"))
                let again = try await installation.scenebus("sessions", "retry", bad)
                #expect(again.code == 0, "\(again.error)")
                #expect(again.output.hasPrefix("\(bad) runs already, on crashing-"), "\(again.output)")
                #expect(try await show(bad).output.hasPrefix("bad, but fixed"))
                let reset = try await installation.scenebus("sessions", "reset", bad, "--json")
                #expect(try reset.json(SessionReply.self).problem == nil)
                #expect(try await show(bad).output.hasPrefix("bad, but fixed"))
                let nobody = try await installation.scenebus("sessions", "retry", "nobody")
                #expect(nobody.code == 4)
                #expect(nobody.error.contains("sessions ls"))
            }
        }

        @Test("A scene that crashes workers that nobody starts again leaves the third worker and its scenes alone")
        func workersOfTheirOwn() async throws {
            _ = try makePlugin()
            try await installation.withHost("--no-store", waitFor: []) { _ in
                try await withWorkers(3) {
                    var good: [String] = []
                    for _ in 0..<4 { good.append(try await open("Good")) }
                    let bad = try await open("Bad")
                    try await crash(bad)
                    for id in good { #expect(try await show(id).output.hasPrefix("good")) }
                    let workers = try await installation.scenebus("worker", "ls", "--json")
                    #expect(try workers.json([WorkerName].self).count == 1)
                }
            }
        }

        // Within less time than the suspicion lasts, after which any scene may be asked.
        @Test(
            "Who watches a scene that has crashed a worker sees it on the next worker, while it is still a suspect",
            .timeLimit(.minutes(1)))
        func watched() async throws {
            _ = try makePlugin()
            try await installation.withHost("--no-store", waitFor: []) { _ in
                try await withWorkers(3) {
                    let once = try await open("Once")
                    var lines: [String] = []
                    let code = try await installation.follow("scene", "watch", once, "--json") { line in
                        lines.append(line)
                        return !line.contains("all right now")
                    }
                    #expect(code == 0, "\(lines)")
                    let workers = try await installation.scenebus("worker", "ls", "--json")
                    #expect(try workers.json([WorkerName].self).count == 2)
                }
            }
        }

        private struct WorkerName: Decodable { var worker: String }

        /// Runs workers beside a body, and ends those that are still alive.
        private func withWorkers(_ count: Int, _ body: () async throws -> Void) async throws {
            guard count > 0 else {
                try await installation.until("worker", "ls", "--json") {
                    try $0.json([WorkerName].self).count == 3
                }
                return try await body()
            }
            _ = try await installation.run(executable, ["--name", "own-\(count)", "--capacity", "8"], folder: folder) {
                worker in
                try await withWorkers(count - 1, body)
                try? worker.send(SIGTERM)
            }
        }
    }
}
