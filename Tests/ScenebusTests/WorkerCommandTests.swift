import Foundation
import Testing

extension CommandTests {
    /// Moving scenes, and draining and restarting workers.
    @Suite(.timeLimit(.minutes(5)))
    struct WorkerCommandTests {
        struct WorkerReply: Decodable {
            var worker: String
            var pid: Int32
            var software: String
            var sessions: Int
            var isDraining: Bool
        }

        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        private func workers() async throws -> [WorkerReply] {
            try await installation.scenebus("worker", "ls", "--json").json()
        }

        private func sessions(of worker: String) async throws -> [String] {
            try await installation.scenebus("sessions", "ls", "--worker", worker, "--json").json([SessionReply].self)
                .map(\.session)
        }

        /// Runs a host with two workers, and one session on the page of process 1.
        private func withSession(_ body: (_ session: String, _ worker: String) async throws -> Void) async throws {
            try await installation.withHost(
                "--open", "ControlRoom", plugins: Installation.plugins, waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let sessions: [SessionReply] = try await installation.scenebus("sessions", "ls", "--json").json()
                let session = try #require(sessions.first)
                _ = try await installation.scenebus("open-url", "controlroom://process/1", "--session", session.session)
                try await body(session.session, try #require(session.worker))
            }
        }

        @Test("A scene is moved to a named worker or to the host's choice, and resumes at its page")
        func move() async throws {
            try await withSession { session, worker in
                let other = worker == "controlroom-1" ? "controlroom-2" : "controlroom-1"
                let moved = try await installation.scenebus("scene", "move", session, "--to", other)
                #expect(moved.code == 0)
                #expect(moved.output.hasPrefix("\(session) runs in \(other), process "))
                #expect(try await installation.scenebus("scene", "show", session).output.hasPrefix("Process 1"))
                #expect(try await installation.scenebus("scene", "move", session).code == 0)
                #expect(try await sessions(of: worker) == [session])
                let nobody = try await installation.scenebus("scene", "move", session, "--to", "nobody")
                #expect(nobody.code == 4)
                #expect(nobody.error.contains("controlroom-1, controlroom-2"))
                let same = try await installation.scenebus("scene", "move", session, "--to", worker)
                #expect(same.code == 4)
                #expect(same.error.contains("already"))
            }
        }

        @Test("A drained worker gives up its scenes; without room elsewhere they stay and the command exits with 1")
        func drain() async throws {
            try await withSession { session, worker in
                let drained = try await installation.scenebus("worker", "drain", worker)
                #expect(drained.code == 0)
                #expect(drained.output.contains("undrain \(worker)"))
                let there = try await workers()
                #expect(there.first { $0.worker == worker }?.sessions == 0)
                #expect(there.first { $0.worker == worker }?.isDraining == true)
                let other = try #require(there.first { $0.worker != worker })
                #expect(other.sessions == 1)
                #expect(try await sessions(of: other.worker) == [session])
                let stuck = try await installation.scenebus("worker", "drain", other.worker, "--timeout", "0.5")
                #expect(stuck.code == 1)
                #expect(stuck.error.contains(session))
                // The session moves as soon as there is room.
                #expect(try await installation.scenebus("worker", "undrain", worker).code == 0)
                try await installation.until("worker", "ls", "--json") {
                    try $0.json([WorkerReply].self).first { $0.worker == worker }?.sessions == 1
                }
                let unknown = try await installation.scenebus("worker", "drain", "nobody")
                #expect(unknown.code == 4)
            }
        }

        @Test("A failed restart leaves a worker as it was before: drained or not")
        func failedRestart() async throws {
            try await withSession { session, worker in
                let other = worker == "controlroom-1" ? "controlroom-2" : "controlroom-1"
                // The scene cannot move to a drained worker, so its own worker cannot be restarted.
                #expect(try await installation.scenebus("worker", "drain", other).code == 0)
                #expect(try await installation.scenebus("worker", "drain", worker, "--timeout", "2").code == 1)
                for isDrained in [true, false] {
                    if !isDrained { #expect(try await installation.scenebus("worker", "undrain", worker).code == 0) }
                    let restart = try await installation.scenebus("worker", "restart", worker, "--timeout", "2")
                    #expect(restart.code == 1)
                    #expect(restart.error.contains("no other worker took over \(session)"), "\(restart.error)")
                    #expect(try await workers().first { $0.worker == worker }?.isDraining == isDrained)
                }
            }
        }

        @Test("Workers are restarted one after the other, and the scene continues on its page")
        func restart() async throws {
            try await withSession { session, _ in
                let before = try await workers()
                let names = before.map(\.worker).sorted()
                let restarted = try await installation.scenebus(
                    "worker", "restart", names[0], names[1], "--timeout", "20")
                #expect(restarted.code == 0, "\(restarted.error)")
                let after = try await workers()
                #expect(after.map(\.worker).sorted() == names)
                #expect(Set(after.map(\.pid)).isDisjoint(with: before.map(\.pid)))
                #expect(try await installation.scenebus("scene", "show", session).output.hasPrefix("Process 1"))
                #expect(try await installation.scenebus("worker", "restart", "nobody").code == 4)
                let lobby = try await installation.run(
                    "\(Installation.executables)/controlroom-worker",
                    ["--name", "lobby", "--host", "ipc://\(installation.folder)/run/default/bus"]
                ) { lobby in
                    try await installation.until("worker", "ls", "--json") {
                        try $0.json([WorkerReply].self).contains { $0.worker == "lobby" }
                    }
                    let version = try #require(try await workers().first { $0.worker == "lobby" }?.software)
                    let plugins = try await installation.scenebus("plugins", "ls")
                    let row = plugins.output.split(separator: "\n").first { $0.hasPrefix("lobby ") }
                    #expect(row?.split(separator: " ").dropFirst().first == Substring(version), "\(plugins.output)")
                    let foreign = try await installation.scenebus("worker", "restart", "lobby")
                    #expect(foreign.code == 4)
                    #expect(foreign.error.contains("has not started 'lobby'"))
                    #expect(try await workers().first { $0.worker == "lobby" }?.isDraining == false)
                    try lobby.send(SIGTERM)
                }
                #expect(lobby.code == 0, "\(lobby.error)")
            }
        }
    }
}
