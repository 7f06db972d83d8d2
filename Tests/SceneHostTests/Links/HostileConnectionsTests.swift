@testable import Hub
import SeededRandom
import Bus
import CoordinatorKit
import Glibc
import PeerLink
import PluginKit
import Testing
import ZeroMQ

@testable import SceneHost

extension LiveTests {
    /// Connections that do not speak ZeroMQ, or stop in the middle of a handshake or frame.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct HostileConnectionsTests {
        /// The addresses of both sockets, over both transports.
        private func addresses(of live: LiveHost) -> [String] {
            live.host.hub.endpoints.filter { !$0.bus.hasPrefix("inproc") }.flatMap { [$0.bus, $0.publisher] }
        }

        /// Runs a host on both transports with a plugin. After the body, the plugin must still have the same link and
        /// reply.
        private func withServingHost(_ body: @MainActor (LiveHost) async throws -> Void) async throws {
            try await withHost(configure: { ($0.listen, $0.isInsecure) = (["tcp://127.0.0.1:*"], true) }) { live in
                try await live.plugin("greeter") { $0.respond(Greeter("plugin"), to: GreetingMessagesList.self) }
                let link = live.link(named: "greeter")?.id
                try await body(live)
                #expect(live.link(named: "greeter")?.id == link)
                for address in [live.ipc, try #require(live.addresses.last)] {
                    let client = try await live.client(to: address)
                    #expect(try await client.chain.greetingSay(name: "A") == "plugin greets A")
                }
            }
        }

        @Test("Connections with an incomplete or invalid handshake are closed")
        func handshakes() async throws {
            try await withServingHost { live in
                var connections: [PlainConnection] = []
                for address in addresses(of: live) {
                    let greeting = ZMTP.greeting()
                    let ready = ZMTP.ready(address == addresses(of: live)[0] ? "DEALER" : "SUB")
                    var sayings: [[UInt8]] = [0, 1, 9, 10, 11, 12, 20, 63, 64].map { Array(greeting.prefix($0)) }
                    sayings += [1, 2, 8, ready.count - 1].map { greeting + ready.prefix($0) }
                    sayings += [ZMTP.greeting(mechanism: "CURVE"), ZMTP.greeting(mechanism: "NOTHING")]
                    // Incompatible socket types, and properties that exceed their length fields.
                    sayings += ["PUSH", "", String(repeating: "X", count: 200)].map { greeting + ZMTP.ready($0) }
                    var long = ready
                    long[long.count - 7] = 0xFF
                    sayings += [
                        greeting + long, greeting + [4, 255], greeting + [6] + [UInt8](repeating: 255, count: 8),
                    ]
                    for saying in sayings {
                        let connection = try PlainConnection(to: address)
                        connection.send(saying)
                        connections.append(connection)
                    }
                }
                // A peer has five seconds for its handshake.
                #expect(await PlainConnection.open(of: connections, within: .seconds(20)) == 0)
            }
        }

        @Test("An invalid ZeroMQ frame after the handshake closes the connection")
        func frames() async throws {
            try await withServingHost { live in
                var connections: [PlainConnection] = []
                for endpoint in live.host.hub.endpoints where !endpoint.bus.hasPrefix("inproc") {
                    let opening = ZMTP.greeting() + ZMTP.ready("DEALER")
                    let largest = UInt64(Frame.maximumSize) + 1
                    for size in [largest, 1 << 40, 1 << 63, .max] {
                        let connection = try PlainConnection(to: endpoint.bus)
                        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: size >> (56 - 8 * UInt64($0))) }
                        connection.send(opening + [2] + bytes)
                        connections.append(connection)
                    }
                }
                #expect(await PlainConnection.open(of: connections, within: .seconds(20)) == 0)
            }
        }

        private func count(_ reason: String, of live: LiveHost) -> UInt64 {
            live.host.hub.counters.values[reason, default: 0]
        }

        @Test("Connections that set a routing id are closed, so that libzmq can generate it for another peer")
        func routingIDs() async throws {
            try await withServingHost { live in
                let reason = "closed: connection that sets a routing id"
                var connections: [PlainConnection] = []
                let addresses = live.host.hub.endpoints.map(\.bus).filter { !$0.hasPrefix("inproc") }
                for address in addresses {
                    for number in UInt8(0)..<20 {
                        let connection = try PlainConnection(to: address)
                        connection.send(ZMTP.greeting() + ZMTP.ready("DEALER", routingID: [0, 1, 2, 3, number]))
                        connections.append(connection)
                    }
                }
                try await live.until("all are closed") { count(reason, of: live) == UInt64(connections.count) }
                #expect(await PlainConnection.open(of: connections, within: .seconds(20)) == 0)
            }
        }

        @Test("Connections of older versions of ZMTP are closed")
        func versions() async throws {
            try await withServingHost { live in
                let reason = "closed: connection that does not speak ZMTP 3"
                let connections = try [0, 1, 2].map { (version: UInt8) in
                    let connection = try PlainConnection(to: live.ipc)
                    connection.send(ZMTP.greeting(version: version))
                    return connection
                }
                try await live.until("all are closed") { count(reason, of: live) == UInt64(connections.count) }
            }
        }

        @Test("A connection without a hello is closed when more has arrived over it than a hello may have")
        func unread() async throws {
            try await withServingHost { live in
                let reason = "closed: connection with too many bytes without a hello"
                let connection = try PlainConnection(to: live.ipc)
                // The head of a message of 15 MiB.
                connection.send(ZMTP.greeting() + ZMTP.ready("DEALER") + [2, 0, 0, 0, 0, 0, 0xF0, 0, 0])
                let piece = [UInt8](repeating: 0, count: 64 << 10)
                try await live.until("it is closed") {
                    connection.send(piece)
                    return count(reason, of: live) > 0
                }
                #expect(count(reason, of: live) == 1)
            }
        }

        @Test("Random bytes on any of its addresses leave the host serving")
        func noise() async throws {
            try await withServingHost { live in
                var random = SeededGenerator(seed: 7)
                var connections: [PlainConnection] = []
                for address in addresses(of: live) {
                    for round in 0..<60 {
                        let connection = try PlainConnection(to: address)
                        var bytes = (0..<Int.random(in: 1...5000, using: &random)).map { _ in
                            UInt8.random(in: 0...255, using: &random)
                        }
                        // One third follow a greeting, one third follow a complete handshake.
                        if round % 3 > 0 { bytes = ZMTP.greeting() + bytes }
                        if round % 3 > 1 { bytes.insert(contentsOf: ZMTP.ready("DEALER"), at: 64) }
                        // Sent in two pieces, as a network may split them.
                        let cut = Int.random(in: 0...bytes.count, using: &random)
                        connection.send(bytes[..<cut])
                        connection.send(bytes[cut...])
                        connections.append(connection)
                    }
                    try await live.turn()
                }
            }
        }

        @Test("Thousands of silent connections are closed, and the host keeps serving meanwhile")
        func silence() async throws {
            try await withServingHost { live in
                let addresses = addresses(of: live)
                let before = try sockets(at: addresses)
                // Both sockets of each connection are in this process.
                let count = min(2000, live.context.descriptorLimit / 8)
                var connections = try (0..<count).map { try PlainConnection(to: addresses[$0 % addresses.count]) }
                #expect(try await live.client().chain.greetingSay(name: "B") == "plugin greets B")
                #expect(await PlainConnection.open(of: connections, within: .seconds(30)) == 0)
                connections = []
                // The host has closed its sides too. The client that has asked it has two connections.
                #expect(try sockets(at: addresses) <= before + 2)
            }
        }

        /// The number of sockets of the host at its addresses: those that listen, and those of connections.
        ///
        /// Not all descriptors of this process: other tests that run meanwhile open thousands.
        private func sockets(at addresses: [String]) throws -> Int {
            let folder = try #require(opendir("/proc/self/fd"))
            defer { closedir(folder) }
            var count = 0
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if let address = Int32(name).flatMap(PlainConnection.localAddress), addresses.contains(address) {
                    count += 1
                }
            }
            return count
        }
    }
}
