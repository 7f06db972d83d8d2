import Foundation
import Testing

extension ProcessTests {
    /// More connections than a process may have open files.
    @Suite(.timeLimit(.minutes(5)))
    struct DescriptorTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        @Test("A host without free descriptors keeps running and counts the connections that it had to close")
        func exhaustion() async throws {
            let script = "ulimit -n 200; exec \"$1/scenebus\" host --no-store"
            let outcome = try await installation.run("bash", ["-c", script, "bash", Installation.executables]) { host in
                try await installation.until("status") { $0.code == 0 }
                for socket in ["bus", "pub"] {
                    let connections = (0..<400).map { _ in
                        connection(to: "\(installation.folder)/run/default/\(socket)")
                    }
                    #expect(!connections.contains(-1))
                    // The last connection is accepted after all others, and closed because no descriptor is free for
                    // it.
                    #expect(isClosed(try #require(connections.last)))
                    for connection in connections { close(connection) }
                }
                try await installation.until("status", "--json") { status in
                    guard status.code == 0 else { return false }
                    let reply = try status.json(StatusReply.self)
                    #expect(reply.pid == host.pid)
                    return reply.counters["refused: no descriptor for a connection", default: 0] > 0
                }
                try host.send(SIGTERM)
            }
            #expect(outcome.code == 0, "\(outcome.error)")
        }

        /// Waits until the host has closed a connection.
        private func isClosed(_ connection: Int32) -> Bool {
            var ready = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            return poll(&ready, 1, 20_000) == 1 && ready.revents & Int16(POLLHUP) != 0
        }

        /// - Returns: The connection's descriptor, or -1 if it could not be opened.
        private func connection(to path: String) -> Int32 {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            let result = withUnsafePointer(to: &name) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
            }
            guard result != 0 else { return descriptor }
            close(descriptor)
            return -1
        }
    }
}
