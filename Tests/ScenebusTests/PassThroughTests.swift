import Foundation
import Testing

extension PluginProcessTests {
    /// A hub in a process that is not a host.
    @Suite(.timeLimit(.minutes(5)))
    struct PassThroughTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        private var host: String { "ipc://\(installation.folder)/run/default/bus" }

        /// - Returns: A pass-through to the host, with a folder of its own.
        @MainActor private func passThrough(_ name: String) throws -> PassThrough {
            let folder = "\(installation.folder)/\(name)"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            return try PassThrough(to: host, in: folder)
        }

        /// Runs a peer behind its own pass-through for the duration of a body.
        @MainActor private func withPeer(
            _ executable: String, name: String, _ body: () async throws -> Void
        ) async throws {
            let passThrough = try passThrough(name)
            let outcome = try await installation.run(
                "\(Installation.executables)/\(executable)", ["--host", passThrough.address, "--name", name]
            ) { peer in
                try await body()
                try peer.send(SIGTERM)
            }
            #expect(outcome.code == 0, "\(outcome.error)")
            await passThrough.stop()
        }

        @Test("A worker, a plugin and the command line work through a pass-through as if attached to the host")
        func passThrough() async throws {
            try await installation.withHost("--no-store", waitFor: ["--plugins"]) { _ in
                try await withPeer("accounts-plugin", name: "accounts") {
                    try await withPeer("controlroom-worker", name: "wall") {
                        let commands = try await passThrough("commands")
                        try await use(through: commands.address)
                        await commands.stop()
                    }
                }
            }
        }

        private func use(through address: String) async throws {
            func scenebus(_ arguments: String...) async throws -> Outcome {
                try await installation.run(
                    "\(Installation.executables)/scenebus", arguments + ["--host", address])
            }
            // The plugin's entry reaches the host through one pass-through, and this client through another.
            try await installation.until("deps", "get", "accountsExist", "--host", address) { $0.code == 0 }
            let status: StatusReply = try await scenebus("status", "--json").json()
            #expect(Set(status.links.map(\.peer)).isSuperset(of: ["accounts", "wall"]))
            #expect(status.links.first { $0.peer == "wall" }?.role == "worker")

            // The host calls the worker, and its scene calls the plugin. The plugin's entry reaches the scene before
            // the reply.
            let opened = try await scenebus("sessions", "open")
            #expect(opened.code == 0, "\(opened.error)")
            let id = opened.output.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(try await scenebus("scene", "show", id).output.hasPrefix("Create the first account"))
            let password = try installation.secret("password", "difference")
            let created = try await scenebus("scene", "act", id, "create", "username=ada", password)
            #expect(created.code == 0, "\(created.error)")
            #expect(try await scenebus("deps", "get", "account@\(id)").output.contains("ada"))
            let wrong = try installation.secret("password", "indifference")
            let refused = try await scenebus("request", "accountLogin", "username=ada", wrong, "--session", id)
            #expect(refused.code != 0)
            #expect(refused.error.contains("password"))
            let unknown = try await scenebus("scene", "act", id, "explode")
            #expect(unknown.code == 1)
            #expect(unknown.error.contains("explode"))

            // The host itself reports that no responder handles the message.
            let unhandled = try await scenebus("request", "wallExplode")
            #expect(unhandled.code == 4)
            #expect(unhandled.error.contains("no responder handles 'wallExplode'"))
            #expect(try await scenebus("sessions", "close", id).code == 0)
        }
    }
}
