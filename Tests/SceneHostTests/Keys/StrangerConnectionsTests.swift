import Bus
import Hub
import Messaging
import OperatorKit
import TestKit
import Testing
import ZeroMQ

@testable import SceneHost

extension LiveTests {
    /// Connections of strangers to a host that lets in keys, before their handshake is over.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct StrangerConnectionsTests {
        private func count(_ reason: String, of host: KeyedHost) -> UInt64 {
            host.live.host.hub.counters.values[reason, default: 0]
        }

        /// What the host has refused or dropped of what it has read.
        private func faults(of host: KeyedHost) -> [String: UInt64] {
            host.live.host.hub.counters.values.filter { $0.key.hasPrefix("refused") || $0.key.hasPrefix("dropped") }
        }

        enum Saying: CaseIterable {
            /// The head of a command of 1 MiB.
            case largeCommand
            case manyBytes

            var bytes: [UInt8] {
                switch self {
                case .largeCommand: [6, 0, 0, 0, 0, 0, 0x10, 0, 0]
                case .manyBytes: [UInt8](repeating: 0, count: 5 << 10)
                }
            }
        }

        @Test("A stranger cannot make the host keep more than some KiB, and is counted", arguments: Saying.allCases)
        func unread(saying: Saying) async throws {
            try await KeyedHost.with { host in
                let reason = "closed: connection with too many bytes without a hello"
                let connection = try PlainConnection(to: host.address)
                connection.send(ZMTP.greeting(mechanism: "CURVE") + saying.bytes)
                try await host.live.until("it is closed") { count(reason, of: host) == 1 }
                #expect(await PlainConnection.open(of: [connection], within: .seconds(20)) == 0)
                // It is counted once.
                #expect(count("closed: connection that ended during its handshake", of: host) == 0)
            }
        }

        @Test("A connection that ends during its handshake is counted, and one of a peer that is let in is not")
        func unfinished() async throws {
            try await KeyedHost.with { host in
                let reason = "closed: connection that ended during its handshake"
                try await host.allow("desk operator")
                try await host.client("desk").close()
                for saying in [[], Array(ZMTP.greeting(mechanism: "CURVE").prefix(20)), ZMTP.greeting()] {
                    let before = count(reason, of: host)
                    do { try PlainConnection(to: host.address).send(saying) }
                    try await host.live.until("it is counted") { count(reason, of: host) == before + 1 }
                }
            }
        }

        @Test("What somebody on the way has recorded of an allowed peer lets nobody in, and nothing of it is parsed")
        func replayed() async throws {
            try await KeyedHost.with { host in
                try await host.allow("desk operator")
                let relay = try RecordingRelay(to: host.address)
                async let passed: Void = relay.run()
                do {
                    let desk = try host.raw("desk", to: relay.address)
                    #expect(try await desk.hello("desk", role: .operator, endpoint: host.address).kind == .welcome)
                    desk.close()
                }
                try await passed
                // The handshake, and the hello behind it.
                let recorded = relay.recorded
                #expect(recorded.count > 64 + 200 + 257)
                let (refused, links) = (faults(of: host), host.live.host.hub.links.count)
                let connection = try PlainConnection(to: host.address)
                #expect(connection.send(recorded) == recorded.count)
                try await host.live.until("it is closed") {
                    count("closed: connection that ended during its handshake", of: host) == 1
                }
                #expect(await PlainConnection.open(of: [connection], within: .seconds(20)) == 0)
                #expect(host.live.host.hub.links.count == links)
                #expect(faults(of: host) == refused)
            }
        }

        @Test("A machine whose handshakes fail is not listened to for a while; its links stay, and peers get in later")
        func manyFailures() async throws {
            try await KeyedHost.with { host in
                try await host.allow("desk operator")
                try await host.allow("late operator")
                let desk = try await host.client("desk")
                let reason = "refused: connection from a machine whose handshakes fail too often"
                try await host.live.until("connections are refused") {
                    for _ in 0..<64 { _ = try? PlainConnection(to: host.address).send(Array("stranger".utf8)) }
                    return count(reason, of: host) > 0
                }
                _ = try await desk.chain.hostStatus()
                var late: HostClient?
                try await host.live.until("fewer have failed") {
                    late = try? await host.client("late")
                    return late != nil
                }
                late?.close()
                desk.close()
            }
        }

        @Test("A peer with an allowed key may say a large hello")
        func largeHello() async throws {
            try await KeyedHost.with { host in
                try await host.allow("greeter plugin")
                let names = (0..<1000).map { "greeting\(String(repeating: "x", count: 200))\($0)" }
                _ = try await host.attached("greeter", role: .plugin, handles: names)
            }
        }
    }
}
