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

    @Test
    func `A client of this process with the descriptor of a watched connection completes its handshake with keys`()
        async throws
    {
        try await withContext { context, folder in
            let gate = ConnectionGate(DescriptorBudget(limit: 1 << 16, processes: 0))
            let listener = socket()
            let address = try #require(SocketAddress("\(folder)/gated"))
            try #require(address.use { bind(listener, $0, $1) } == 0)
            gate.watch(isPublisher: false) { _ = listen(listener, 100) }
            // Their ends are not seen, because nothing is received from them.
            var descriptors: [Int32] = []
            for _ in 0..<50 {
                let client = socket()
                try #require(address.use { connect(client, $0, $1) } == 0)
                descriptors += [client, accept(listener, nil, nil)]
            }
            for descriptor in descriptors + [listener] { close(descriptor) }
            let (own, keys) = (try KeyPair(), try KeyPair())
            let handler = try AuthenticationHandler(in: context) { _ in true }
            var options = SocketOptions.mandatory
            options.security = .server(keys, handler, domain: nil)
            let router = try Socket(.router, in: context, options: options)
            try router.bind("tcp://127.0.0.1:*")
            let endpoint = router.lastEndpoint
            let inbox = Inbox(of: [UInt8].self)
            let server = SocketPort(router) { inbox.put($0.bytes) }
            options = .unbounded
            options.security = .client(own, host: keys.publicKey)
            var clients: [SocketPort] = []
            for number in 0..<5 as Range<UInt8> {
                let client = SocketPort(try Socket(.dealer, in: context, options: options)) { _ in }
                let outcomes = Inbox(of: HandshakeMonitor.Outcome.self)
                try client.watchHandshakes(in: context) { outcomes.put($0) }
                try client.withSocket { socket throws(ZeroMQError) in
                    try socket.connect(endpoint)
                    try socket.send([number])
                }
                clients.append(client)
                #expect(await outcomes.take(1) == [.succeeded])
                #expect(await inbox.take(1) == [[number]])
            }
            for client in clients { client.close() }
            server.close()
            handler.close()
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
