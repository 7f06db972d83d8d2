import TestKit
import Bus
import CoordinatorKit
import Glibc
import PeerLink
import PluginKit
import Testing
import ZeroMQ

@testable import SceneHost

extension LiveTests {
    /// The folder of a host's sockets, and peers that look for it.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct SocketFolderTests {
        private func mode(_ path: String) -> mode_t {
            var info = stat()
            return lstat(path, &info) == 0 ? info.st_mode & 0o777 : 0
        }

        @Test("Other users can neither enter a host's folder nor open its files", arguments: [nil, 0o755] as [mode_t?])
        func modes(before: mode_t?) async throws {
            let folder = try TemporaryFolder()
            if let before {
                mkdir("\(folder.path)/run", 0o700)
                chmod("\(folder.path)/run", before)
            }
            try await withHost(in: folder, configure: { $0.store = "\(folder.path)/sessions.sqlite" }) { live in
                #expect(mode("\(folder.path)/run") == 0o700)
                for name in [
                    "run/bus", "run/pub", "run/lock", "sessions.sqlite", "sessions.sqlite.lock",
                    "sessions.sqlite.epoch",
                ] {
                    #expect(mode("\(folder.path)/\(name)") == 0o600, "\(name)")
                }
                // The host serves clients with these modes.
                _ = try await live.client().chain.hostStatus()
            }
        }

        @Test("A peer sends no hello in a folder where another user could impersonate the host")
        func stranger() async throws {
            let folder = try TemporaryFolder()
            let run = "\(folder.path)/run"
            mkdir(run, 0o700)
            chmod(run, 0o777)
            let context = SocketContext()
            let listener = try Socket(.router, in: context)
            try listener.bind("ipc://\(run)/bus")
            var heard = 0
            let port = SocketPort(listener) { _ in heard += 1 }
            defer { port.close() }

            let client = LiveClient(endpoint: "ipc://\(run)/bus", name: "client", context: context)
            let refusal = await #expect(throws: Refusal.self) { try await client.attach() }
            #expect(refusal?.reason.contains(run) == true)
            #expect(refusal?.reason.contains("SCENEBUS_RUNTIME") == true)
            client.close()

            let plugin = try Plugin(
                PeerProcess(endpoint: "ipc://\(run)/bus", peer: BusName("plugin"), logger: LiveHost.logger),
                id: "plugin",
                version: "1", provides: [], context: context)
            let error = await #expect(throws: AttachmentUnsafe.self) { try await plugin.run() }
            #expect(error?.exitCode == .refused)
            #expect(error?.description.contains(run) == true)
            #expect(heard == 0)
        }

        @Test("A peer that starts before its host's folder exists finds the host")
        func early() async throws {
            let folder = try TemporaryFolder()
            let context = SocketContext()
            let plugin = try Plugin(
                PeerProcess(endpoint: "ipc://\(folder.path)/run/bus", peer: BusName("early"), logger: LiveHost.logger),
                id: "early",
                version: "1", provides: [], context: context)
            let running = Task { try await plugin.run() }
            try await withHost(in: folder) { live in
                try await live.until("the peer is attached") { live.link(named: "early") != nil }
                running.cancel()
                try await running.value
            }
            #expect(context.openSockets == 0)
        }
    }
}
