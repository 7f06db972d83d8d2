import TestKit
import Testing

@testable import ZeroMQ

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct CurveTests {
    @Test func `A key pair is computed from its secret, and its text says nothing of it`() throws {
        let keys = try KeyPair()
        #expect(KeyPair(secret: keys.secret)?.publicKey == keys.publicKey)
        #expect(KeyPair(secret: []) == nil)
        #expect(!"\(keys)".contains(Hexadecimal.text(keys.secret)))
        #expect(PublicKey("\(keys.publicKey)") == keys.publicKey)
        #expect(PublicKey("\(keys.publicKey)".uppercased()) == keys.publicKey)
        #expect(PublicKey("\(keys.publicKey)x") == nil)
        #expect(PublicKey("\(keys.publicKey)".dropLast()) == nil)
    }

    /// A ROUTER that allows some keys, on TCP and on ipc.
    @MainActor
    private final class Server {
        let keys: KeyPair
        let handler: AuthenticationHandler
        let port: SocketPort
        let inbox = Inbox(of: SocketMessage.self)
        private(set) var endpoints: [String] = []

        init(_ context: SocketContext, _ folder: String, allowing allowed: Set<PublicKey>) throws {
            keys = try KeyPair()
            handler = try AuthenticationHandler(in: context) { allowed.contains($0.key) }
            var options = SocketOptions.mandatory
            options.security = .server(keys, handler, domain: nil)
            let socket = try Socket(.router, in: context, options: options)
            for address in ["tcp://127.0.0.1:*", "ipc://\(folder)/bus"] {
                try socket.bind(address)
                endpoints.append(socket.lastEndpoint)
            }
            let inbox = inbox
            port = SocketPort(socket, asksOrigin: { _ in true }) { inbox.put($0) }
        }

        func close() {
            port.close()
            handler.close()
        }
    }

    private func client(
        _ context: SocketContext, to endpoint: String, _ security: SocketSecurity?,
        onOutcome: @escaping @MainActor (HandshakeMonitor.Outcome) -> Void = { _ in }
    ) throws -> SocketPort {
        var options = SocketOptions.unbounded
        options.security = security
        let port = SocketPort(try Socket(.dealer, in: context, options: options)) { _ in }
        try port.watchHandshakes(in: context, onOutcome: onOutcome)
        try port.withSocket { socket throws(ZeroMQError) in try socket.connect(endpoint) }
        return port
    }

    @Test func `A message over TCP has the key that the handshake attests, and one over ipc has none`() async throws {
        try await withContext { context, folder in
            let own = try KeyPair()
            let server = try Server(context, folder, allowing: [own.publicKey])
            defer { server.close() }
            for endpoint in server.endpoints {
                let port = try client(context, to: endpoint, .client(own, host: server.keys.publicKey))
                defer { port.close() }
                try port.send([1])
                let message = await server.inbox.take(1)[0]
                #expect(message.bytes == [1])
                #expect(message.origin?.key == (endpoint.hasPrefix("tcp:") ? own.publicKey : nil))
                #expect(message.origin?.connection != nil)
            }
        }
    }

    enum Stranger: CaseIterable {
        case unknownKey, withoutKey, otherHost

        var outcome: HandshakeMonitor.Outcome {
            switch self {
            case .unknownKey: .unknownKey
            case .withoutKey: .otherMechanism
            case .otherHost: .cutOff
            }
        }
    }

    @Test(arguments: Stranger.allCases)
    func `A stranger is not heard, and learns why`(stranger: Stranger) async throws {
        try await withContext { context, folder in
            let own = try KeyPair()
            let server = try Server(context, folder, allowing: stranger == .unknownKey ? [] : [own.publicKey])
            defer { server.close() }
            let security: SocketSecurity? =
                switch stranger {
                case .unknownKey: .client(own, host: server.keys.publicKey)
                case .withoutKey: nil
                case .otherHost: .client(own, host: try KeyPair().publicKey)
                }
            let outcomes = Inbox(of: HandshakeMonitor.Outcome.self)
            let port = try client(context, to: server.endpoints[0], security) { outcomes.put($0) }
            defer { port.close() }
            try port.send([1])
            #expect(await outcomes.take(1) == [stranger.outcome])
            #expect(server.inbox.count == 0)
        }
    }

    /// With CURVE these are hidden from what watches the connection. libzmq aborts when a routing id that it generates is in
    /// use, and keeps all parts of a message whose last part never comes.
    @Test(arguments: [true, false])
    func `A connection that sets a routing id or sends several parts is closed`(setsRoutingID: Bool) async throws {
        try await withContext { context, folder in
            let own = try KeyPair()
            let keys = try KeyPair()
            let handler = try AuthenticationHandler(in: context) { _ in true }
            let gate = ConnectionGate(DescriptorBudget(limit: 4096, processes: 0))
            var options = SocketOptions.mandatory
            options.security = .server(keys, handler, domain: nil)
            let socket = try Socket(.router, in: context, options: options)
            try socket.bind("tcp://127.0.0.1:*", watchedBy: gate)
            let endpoint = socket.lastEndpoint
            let inbox = Inbox(of: SocketMessage.self)
            let router = SocketPort(socket, asksOrigin: { _ in true }) { inbox.put($0) }
            var client = SocketOptions.unbounded
            client.security = .client(own, host: keys.publicKey)
            if setsRoutingID { client.routingID = [0, 1, 2, 3, 4] }
            let peer = SocketPort(try Socket(.dealer, in: context, options: client)) { _ in }
            try peer.withSocket { socket throws(ZeroMQError) in
                try socket.connect(endpoint)
                if !setsRoutingID {
                    try socket.send([1])
                    try socket.send([2], more: true)
                    try socket.send([3])
                }
            }
            if !setsRoutingID { #expect(await inbox.take(1)[0].bytes == [1]) }
            let reason =
                setsRoutingID
                ? "closed: connection that sets a routing id" : "closed: connection with a message of several parts"
            try await until("the connection is closed") {
                gate.counts.contains { $0.reason == reason && $0.count > 0 }
            }
            #expect(inbox.count == (setsRoutingID ? 0 : 1))
            peer.close()
            router.close()
            handler.close()
        }
    }

    /// A ROUTER on TCP, of which a test asks for each message.
    @MainActor
    private final class PolledRouter {
        private let socket: Socket
        var endpoint: String { socket.lastEndpoint }

        init(_ context: SocketContext, _ options: SocketOptions, _ gate: ConnectionGate) throws {
            socket = try Socket(.router, in: context, options: options)
            try socket.bind("tcp://127.0.0.1:*", watchedBy: gate)
        }

        func receive() throws -> (sender: RoutingID, bytes: [UInt8])? {
            guard let sender = try socket.receiveRoutingID()?.id else { return nil }
            return (sender, try socket.receive()?.bytes ?? [])
        }
    }

    /// libzmq stops reading a connection when there is no room for its messages, and decrypts what it has received when there is.
    /// By then it has received from others.
    @Test func `What waits of one connection is not taken for another one's`() async throws {
        try await withContext { context, folder in
            let keys = try KeyPair()
            let handler = try AuthenticationHandler(in: context) { _ in true }
            let gate = ConnectionGate(DescriptorBudget(limit: 4096, processes: 0))
            var options = SocketOptions.mandatory
            options.receiveHighWaterMark = 4
            options.security = .server(keys, handler, domain: nil)
            let router = try PolledRouter(context, options, gate)
            var outcomes: [HandshakeMonitor.Outcome] = []
            /// Receives until a message has come, and returns who has sent it.
            @MainActor func receive(_ bytes: [UInt8]) async throws -> RoutingID? {
                var sender: RoutingID?
                var others: [[UInt8]] = []
                do {
                    try await until("\(bytes) has come", within: .seconds(60)) {
                        guard let (id, received) = try router.receive() else { return false }
                        sender = id
                        if received != bytes { others.append(received) }
                        return received == bytes
                    }
                } catch {
                    Issue.record("\(bytes) has not come, but \(others); \(outcomes); \(gate.counts)")
                    throw error
                }
                return sender
            }
            @MainActor func connect() throws -> SocketPort {
                let security = SocketSecurity.client(try KeyPair(), host: keys.publicKey)
                return try client(context, to: router.endpoint, security) { outcomes.append($0) }
            }
            let bad = try connect()
            try bad.send([0])
            _ = try await receive([0])
            let good = try connect()
            try good.send([0])
            let known = try await receive([0])
            /// Sends a message of several parts.
            @MainActor func sendParts(over port: SocketPort) throws {
                try port.withSocket { socket throws(ZeroMQError) in
                    try socket.send([2], more: true)
                    try socket.send([3])
                }
            }
            // More than there is room for, and the last one has several parts.
            for number in 1...40 { try bad.send([1, UInt8(number)]) }
            try sendParts(over: bad)
            // By now the rest has been received at once, and waits to be decrypted.
            _ = try await receive([1, 12])
            // This is received later.
            try good.send([4])
            #expect(try await receive([4]) == known)
            /// Waits until so many connections are closed.
            @MainActor func untilClosed(_ count: UInt64) async throws {
                try await until("\(count) connections are closed") {
                    _ = try router.receive()
                    return gate.counts.contains {
                        $0.reason == "closed: connection with a message of several parts" && $0.count == count
                    }
                }
            }
            try await untilClosed(1)
            try good.send([5])
            #expect(try await receive([5]) == known)
            // It is still watched.
            try sendParts(over: good)
            try await untilClosed(2)
            for port in [bad, good] { port.close() }
            handler.close()
        }
    }

    /// libzmq reports events of a connection that outlives its socket, and waits for ever when nobody reads them.
    @Test func `A socket that is closed during a handshake holds no other socket up`() async throws {
        try await withContext { context, folder in
            let listener = try Socket(.pair, in: context)
            try listener.bind("tcp://127.0.0.1:*")
            let own = try KeyPair()
            for _ in 0..<20 {
                var options = SocketOptions.unbounded
                options.linger = 50
                options.security = .client(own, host: try KeyPair().publicKey)
                let port = SocketPort(try Socket(.dealer, in: context, options: options)) { _ in }
                try port.watchHandshakes(in: context) { _ in }
                let endpoint = listener.lastEndpoint
                try port.withSocket { socket throws(ZeroMQError) in
                    try socket.connect(endpoint)
                    try socket.send([1])
                }
                port.close()
            }
            let server = try Server(context, folder, allowing: [own.publicKey])
            defer { server.close() }
            let port = try client(context, to: server.endpoints[0], .client(own, host: server.keys.publicKey))
            defer { port.close() }
            try port.send([1])
            #expect(await server.inbox.take(1)[0].bytes == [1])
        }
    }

    @Test func `A context has one handler, and one that is closed allows nothing`() async throws {
        try await withContext { context, folder in
            let handler = try AuthenticationHandler(in: context) { _ in true }
            #expect(throws: ZeroMQError.self) { try AuthenticationHandler(in: context) { _ in true } }
            handler.close()
        }
    }
}
