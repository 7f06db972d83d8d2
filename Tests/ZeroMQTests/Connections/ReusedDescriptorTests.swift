import Glibc
import Testing

@testable import ZeroMQ

/// Connections whose descriptors become those of other sockets, without a `recv` that sees their end.
@Suite(.timeLimit(.minutes(5)))
@MainActor
struct ReusedDescriptorTests {
    private func socket() -> Int32 { Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }

    @Test func `Another socket of the process with the descriptor of a watched connection receives everything`()
        async throws
    {
        try await withContext { _, folder in
            let gate = ConnectionGate(DescriptorBudget(limit: 1 << 16, processes: 0))
            let (listener, client) = (socket(), socket())
            let address = try #require(SocketAddress("\(folder)/bus"))
            try #require(address.use { bind(listener, $0, $1) } == 0)
            var isListening = false
            gate.watch(isPublisher: false) { isListening = listen(listener, 1) == 0 }
            try #require(isListening)
            try #require(address.use { connect(client, $0, $1) } == 0)
            let connection = accept(listener, nil, nil)
            try #require(connection >= 0)
            var pair: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
            // This closes the connection.
            try #require(dup2(pair[0], connection) == connection)
            defer { for descriptor in [listener, client, connection] + pair { close(descriptor) } }

            // Nothing that ZMTP allows.
            let sent = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
            for _ in 0..<3 {
                try #require(send(pair[1], sent, sent.count, 0) == sent.count)
                var received = [UInt8](repeating: 0, count: sent.count)
                #expect(recv(connection, &received, received.count, 0) == sent.count)
                #expect(received == sent)
            }
            #expect(gate.counts.allSatisfy { $0.count == 0 })
        }
    }

    @Test func `A watched connection over which no ZMTP arrives is closed and counted`() async throws {
        try await withContext { _, folder in
            let gate = ConnectionGate(DescriptorBudget(limit: 1 << 16, processes: 0))
            let (listener, client) = (socket(), socket())
            let address = try #require(SocketAddress("\(folder)/bus"))
            try #require(address.use { bind(listener, $0, $1) } == 0)
            gate.watch(isPublisher: false) { _ = listen(listener, 1) }
            try #require(address.use { connect(client, $0, $1) } == 0)
            let connection = accept(listener, nil, nil)
            try #require(connection >= 0)
            defer { for descriptor in [listener, client, connection] { close(descriptor) } }
            try #require(send(client, [UInt8(0)], 1, 0) == 1)
            var received: UInt8 = 1
            #expect(recv(connection, &received, 1, 0) == -1)
            #expect(errno == ECONNRESET)
            #expect(gate.counts.map(\.count).reduce(0, +) == 1)
        }
    }
}
