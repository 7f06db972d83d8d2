import Bus
import Hub
import Messaging
import OperatorKit
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
