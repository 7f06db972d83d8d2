import Bus
import Foundation
import TestKit
import Testing
import ZeroMQ

extension MachineTests {
    /// More connections than a process may have open files, and more subscriptions than a peer may have.
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
                    // On the bus, the first one was silent for the longest time, and makes room. To the publisher, a process
                    // without links has a few connections only.
                    #expect(isClosed(try #require(socket == "bus" ? connections.first : connections.last)))
                    for connection in connections { close(connection) }
                }
                try await installation.until("status", "--json") { status in
                    guard status.code == 0 else { return false }
                    let reply = try status.json(StatusReply.self)
                    #expect(reply.pid == host.pid)
                    return reply.counters.contains { $0.key.hasPrefix("closed: ") && $0.value > 0 }
                }
                try host.send(SIGTERM)
            }
            #expect(outcome.code == 0, "\(outcome.error)")
        }

        /// A script that runs a host with few descriptors.
        private func host(_ limit: Int, _ arguments: String...) -> [String] {
            let script = "ulimit -n \(limit); exec \"$0/scenebus\" host --no-store \"$@\""
            return ["-c", script, Installation.executables] + arguments
        }

        private func makePlugin() throws {
            try installation.makePlugin(
                "machine",
                #"""
                , "handles": ["alertAcknowledge"], "configuration": {"intervalSeconds": 1},
                 "provides": ["machineIdentity", "cpu", "memory", "load", "disks", "networks", "processes", "alerts"]
                """#, executable: "machine-plugin")
        }

        @Test("Connections that never say hello keep nobody out, and the host restarts its plugins")
        @MainActor
        func silence() async throws {
            try makePlugin()
            let outcome = try await installation.run(
                "bash", host(256, "--plugins", "\(installation.folder)/plugins")
            ) { host in
                defer { try? host.send(SIGTERM) }
                let first = try await attachedPlugin(other: nil)
                let context = SocketContext()
                let quiet = try RawPeer(
                    .dealer, endpoint: "ipc://\(installation.folder)/run/default/bus", context: context)
                try await installation.until("status", "--json", within: .seconds(60)) {
                    try $0.json(StatusReply.self).counters["closed: connection that said nothing", default: 0] > 0
                }
                quiet.close()
                // More than the host may have open files. libzmq opens those that are closed again and again.
                let silent = try (0..<300).map { number in
                    try RawPeer(
                        number % 2 == 0 ? .dealer : .subscriber,
                        endpoint: "ipc://\(installation.folder)/run/default/\(number % 2 == 0 ? "bus" : "pub")",
                        context: context)
                }
                defer { for peer in silent { peer.close() } }
                try await installation.until("status", "--json", within: .seconds(60)) { status in
                    guard status.code == 0 else { return false }
                    let reply = try status.json(StatusReply.self)
                    return reply.problems.contains {
                        $0.hasPrefix("connections: ") && $0.contains(" from process \(getpid()) (")
                    }
                        && reply.counters["closed: connection in favor of a newer one", default: 0] > 0
                }
                #expect(try await installation.scenebus("doctor").output.contains("BAD  host: connections: "))
                // The plugins do not suffer from it.
                let wait = try await installation.scenebus("wait", "--plugins", "--timeout", "60")
                #expect(wait.code == 0, "\(wait.error)")
                kill(first, SIGKILL)
                _ = try await attachedPlugin(other: first)
            }
            #expect(outcome.code == 0, "\(outcome.error)")
            #expect(outcome.error.contains("connections belong to no peer, or were closed"), "\(outcome.error)")
        }

        /// Waits until the plugin is attached, as another process than before.
        private func attachedPlugin(other: pid_t?) async throws -> pid_t {
            let outcome = try await installation.until("plugins", "ls", "--json", within: .seconds(60)) {
                guard $0.code == 0, let plugin = try $0.json([PluginReply].self).first else { return false }
                return plugin.state == "attached" && plugin.pid != nil && plugin.pid != other
            }
            return try #require(try outcome.json([PluginReply].self).first?.pid)
        }

        @Test(
            "With too few descriptors, a host does not start and says how many it needs", arguments: [24, 32, 48, 127])
        func tooFew(limit: Int) async throws {
            let outcome = try await installation.run("bash", host(limit))
            #expect(outcome.code == 4, "\(outcome.error)")
            #expect(outcome.error.contains("needs at least"), "\(outcome.error)")
            #expect(outcome.error.contains("\(limit) open files"), "\(outcome.error)")
        }

        @Test(
            "With hardly any descriptors, nothing crashes: each command says how many it needs",
            arguments: [8, 14, 16, 23])
        func hardlyAny(limit: Int) async throws {
            for command in [["host", "--no-store"], ["status"], ["monitor"]] {
                let outcome = try await installation.run(
                    "bash",
                    [
                        "-c", "ulimit -n \(limit) && exec \"$@\"", "bash", "\(Installation.executables)/scenebus",
                    ] + command)
                #expect(outcome.code == 1, "\(command) \(outcome.error)")
                #expect(outcome.error.contains("needs at least"), "\(outcome.error)")
                #expect(outcome.error.contains("\(limit) open files"), "\(outcome.error)")
            }
        }

        @Test("With the fewest descriptors, a host ends in order while connections take all that they may")
        func fewest() async throws {
            let outcome = try await installation.run("bash", host(128)) { host in
                try await installation.until("status") { $0.code == 0 }
                let connections = (0..<400).map { _ in connection(to: "\(installation.folder)/run/default/bus") }
                #expect(isClosed(try #require(connections.first)))
                try host.send(SIGTERM)
                for connection in connections { _ = isClosed(connection) }
                for connection in connections { close(connection) }
            }
            #expect(outcome.code == 0, "\(outcome.error)")
            #expect(installation.runtimeFiles.isEmpty)
        }

        @Test("One subscriber with 150,000 subscriptions costs the host no memory, and nobody a link")
        func subscriptions() async throws {
            try makePlugin()
            try await installation.withHost("--no-store", plugins: "\(installation.folder)/plugins") { host in
                func links() async throws -> [UInt64] {
                    try await installation.scenebus("status", "--json").json(StatusReply.self).links
                        .filter { $0.role == "plugin" }.map(\.link)
                }
                let linksBefore = try await links()
                #expect(linksBefore.count == 1)
                let before = try residentKilobytes(of: host.pid)
                var greedy = subscriber()
                defer { close(greedy) }
                for number in 0..<150_000 where !send(Self.subscription(number), over: greedy) {
                    // The host has closed the connection.
                    close(greedy)
                    greedy = subscriber()
                }
                try await installation.until("status", "--json", within: .seconds(60)) { status in
                    let reply = try status.json(StatusReply.self)
                    return reply.counters["closed: connection with too many subscriptions", default: 0] > 0
                        && reply.problems.contains { $0.hasPrefix("connections: ") }
                }
                let after = try residentKilobytes(of: host.pid)
                #expect(after < before + 64 << 10, "\(before) KiB, then \(after) KiB")
                #expect(try await links() == linksBefore)
            }
        }

        /// What ZMTP 3.0 begins with: the greeting, and the command READY of a SUB socket.
        private static let greetingOfSubscriber: [UInt8] =
            [0xFF] + [UInt8](repeating: 0, count: 8) + [0x7F, 3, 0] + Array("NULL".utf8)
            + [UInt8](repeating: 0, count: 48) + [4, 25, 5] + Array("READY".utf8) + [11] + Array("Socket-Type".utf8)
            + [0, 0, 0, 3] + Array("SUB".utf8)

        /// Connects to the publisher, and begins as a subscriber does.
        /// - Returns: The connection's descriptor. The host may have closed it already.
        private func subscriber() -> Int32 {
            let subscriber = connection(to: "\(installation.folder)/run/default/pub")
            _ = send(Self.greetingOfSubscriber, over: subscriber)
            return subscriber
        }

        /// A frame that subscribes to one of many topics of 501 bytes.
        private static func subscription(_ number: Int) -> [UInt8] {
            let topic =
                (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + [UInt8](repeating: 7, count: 497)
            return [2, 0, 0, 0, 0, 0, 0, 1, 0xF6, 1] + topic
        }

        /// - Returns: whether the connection is still open.
        private func send(_ bytes: [UInt8], over connection: Int32) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        private func residentKilobytes(of process: pid_t) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
            return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        }

        /// Waits until the host has closed a connection.
        private func isClosed(_ connection: Int32) -> Bool {
            // Without an event to wait for, it returns at the end of the connection.
            var ready = pollfd(fd: connection, events: 0, revents: 0)
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
