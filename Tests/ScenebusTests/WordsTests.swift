import Bus
import CBOR
import Foundation
import Hub
import Messaging
import TestKit
import Testing

extension CommandTests {
    /// What commands say, and with which code they end, where the reason is not the obvious one.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct WordsTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        @Test("An address in SCENEBUS_HOST that is none is a wrong usage, not a host that is away")
        func environment() async throws {
            let outcome = try await installation.run(
                "env", ["SCENEBUS_HOST=http://127.0.0.1:5570", "\(Installation.executables)/scenebus", "status"])
            #expect(outcome.code == 2)
            #expect(outcome.error.contains("SCENEBUS_HOST: 'http://127.0.0.1:5570' is not an address"))
            let relative = try await installation.run(
                "env", ["SCENEBUS_HOST=ipc://bus", "\(Installation.executables)/scenebus", "status"])
            #expect(relative.code == 2)
            #expect(relative.error.contains("SCENEBUS_HOST: 'ipc://bus' has no folder"), "\(relative.error)")
        }

        @Test("A request that was handled says so if its reply cannot be read, or its handler found no responder")
        func handledRequests() async throws {
            let host = try FakeHost()
            defer { host.close() }
            host.isReplying = false
            host.onFrame = { [weak host] frame in
                guard frame.kind == .request, let host else { return }
                var answer =
                    frame.name == "odd"
                    ? Frame(.reply)
                    : Frame.failure(
                        MessageError(.unhandled, message: "inner", mayHaveBeenHandled: true), of: frame.name)
                if frame.name == "odd" { answer.payload = [0xFF] }
                answer.id = frame.id
                host.say(answer.encoded())
            }
            let odd = try await installation.scenebus("request", "odd", "--host", host.endpoint)
            #expect(odd.code == 1)
            #expect(
                odd.error.contains("'odd' has been handled, but its reply of 1 bytes cannot be read"), "\(odd.error)")
            let inner = try await installation.scenebus("request", "outer", "--host", host.endpoint)
            #expect(inner.code == 1)
            #expect(inner.error.contains("no responder handles 'inner'"), "\(inner.error)")
            #expect(inner.error.contains("may have been done in part"), "\(inner.error)")
        }

        @Test("A notification's secret that is read from a file is marked as one")
        func notifiedSecret() async throws {
            let host = try FakeHost()
            defer { host.close() }
            let token = try installation.secret("token", "zwiebelkuchen-4711")
            let text = try installation.secret("alert", "cpu")
            _ = try await installation.scenebus("notify", token, text, "--host", host.endpoint)
            let request = try #require(host.lastRequest)
            #expect(request.name == "hostOpen")
            let link = try CBORValue(decoding: request.payload)["link"]?["notification"]
            #expect(link?["token"] == .secret(Secret("zwiebelkuchen-4711")))
            #expect(link?["alert"] == "cpu")
        }

        @Test("A host without entries says so, and 'deps ls' lists keys, owners and sizes")
        func entries() async throws {
            struct Row: Decodable {
                var key: String
                var owner: String
                var size: Int
                var revision: UInt64
            }
            try await installation.withHost("--no-store", waitFor: []) { _ in
                let missing = try await installation.scenebus("deps", "get", "nothing")
                #expect(missing.code == 4)
                #expect(missing.error.contains("there is no entry 'nothing'; the container has none at all"))
                #expect(try await installation.scenebus("deps", "ls").output == "the container has no entries\n")
                let plugin = try await installation.run("\(Installation.executables)/machine-plugin", ["--name", "m"]) {
                    running in
                    let listed = try await installation.until("deps", "ls", "--json") {
                        try $0.json([Row].self).contains { $0.key == "cpu" }
                    }
                    let cpu = try #require(try listed.json([Row].self).first { $0.key == "cpu" })
                    #expect(cpu.owner == "m")
                    #expect(cpu.size > 0)
                    let table = try await installation.scenebus("deps", "ls")
                    #expect(table.output.hasPrefix("KEY"))
                    // The host has not started it, and says so.
                    let plugins = try await installation.scenebus("plugins", "ls")
                    #expect(plugins.output.contains("(plugin, not started by this host)"), "\(plugins.output)")
                    let json = try await installation.scenebus("plugins", "ls", "--json")
                    #expect(try json.json([PluginReply].self).map(\.instance) == ["m"])
                    #expect(json.output.contains(#""startedByHost":false"#))
                    try running.send(SIGTERM)
                }
                #expect(plugin.code == 0, "\(plugin.error)")
            }
        }

        @Test("The problem of a plugin is on a line of its own below it")
        func problem() async throws {
            try installation.makePlugin("quitter", script: "exit 3")
            try await installation.withHost("--no-store", plugins: installation.pluginFolder, waitFor: []) { _ in
                let table = try await installation.until("plugins", "ls") { $0.output.contains("ended with code 3") }
                let lines = table.output.split(separator: "\n")
                #expect(lines.first?.hasPrefix("PLUGIN") == true)
                #expect(lines.dropFirst().first?.hasPrefix("quitter") == true)
                #expect(lines.last?.hasPrefix("  ended with code 3") == true)
            }
        }

        @Test("An interrupted drain says that the worker stays drained, and how to undo that")
        func interruptedDrain() async throws {
            try await installation.withHost("--no-store", waitFor: []) { _ in
                let worker = try await installation.run(
                    "\(Installation.executables)/controlroom-worker", ["--name", "only"]
                ) { worker in
                    let wait = try await installation.scenebus("wait", "--scene", "ControlRoom", "--timeout", "30")
                    #expect(wait.code == 0, "\(wait.error)")
                    #expect(try await installation.scenebus("sessions", "open", "ControlRoom").code == 0)
                    // There is no other worker, so that the drain would wait.
                    let drain = try await installation.run(
                        "\(Installation.executables)/scenebus", ["worker", "drain", "only", "--timeout", "60"]
                    ) { running in
                        try await installation.until("worker", "ls") { $0.output.contains("draining") }
                        try running.send(SIGINT)
                    }
                    #expect(drain.code == 1)
                    #expect(drain.error.contains("interrupted: 'only' stays drained"), "\(drain.error)")
                    #expect(drain.error.contains("'scenebus worker undrain only'"), "\(drain.error)")
                    try worker.send(SIGTERM)
                }
                #expect(worker.code == 0, "\(worker.error)")
            }
        }

        @Test("Without /proc, commands have their arguments", .enabled(if: getuid() == 0, "needs a mount of its own"))
        func withoutProc() async throws {
            let outcome = try await installation.run(
                "unshare",
                [
                    "--mount", "sh", "-c", "mount -t tmpfs none /proc && exec \"$0\" status --timeout 1",
                    "\(Installation.executables)/scenebus",
                ])
            #expect(outcome.code == 3, "\(outcome.error)")
            #expect(outcome.error.contains("no host answers"), "\(outcome.error)")
            #expect(!outcome.output.contains("OVERVIEW"))
        }
    }
}
