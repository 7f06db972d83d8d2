import TestKit
import Testing

@testable import ZeroMQ

/// A listener whose key is replaced while peers are connected.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ReplacedKeyTests {
    private func connect(
        _ context: SocketContext, to endpoint: String, _ own: KeyPair, host: PublicKey,
        onMessage: @escaping @MainActor (SocketMessage) -> Void = { _ in },
        onOutcome: @escaping @MainActor (HandshakeMonitor.Outcome) -> Void = { _ in }
    ) throws -> SocketPort {
        var options = SocketOptions.unbounded
        options.security = .client(own, host: host)
        let port = SocketPort(try Socket(.dealer, in: context, options: options), receiver: onMessage)
        try port.watchHandshakes(in: context, onOutcome: onOutcome)
        try port.withSocket { socket throws(ZeroMQError) in try socket.connect(endpoint) }
        return port
    }

    @Test func `Connections are kept, and new ones have the new key, each time that it is replaced`() async throws {
        try await withContext { context, _ in
            let own = try KeyPair()
            let handler = try AuthenticationHandler(in: context) { _ in true }
            let gate = ConnectionGate(DescriptorBudget(limit: 4096, processes: 0))
            var keys = try KeyPair()
            var options = SocketOptions.mandatory
            options.security = .server(keys, handler, domain: nil)
            let socket = try Socket(.router, in: context, options: options)
            try socket.bind("tcp://127.0.0.1:*", watchedBy: gate)
            let endpoint = socket.lastEndpoint
            let inbox = Inbox(of: SocketMessage.self)
            let router = SocketPort(socket, asksOrigin: { _ in true }) { inbox.put($0) }
            var peers: [(port: SocketPort, replies: Inbox<SocketMessage>)] = []
            for number in 0..<4 as Range<UInt8> {
                let replies = Inbox(of: SocketMessage.self)
                let peer = try connect(context, to: endpoint, own, host: keys.publicKey) { replies.put($0) }
                peers.append((peer, replies))
                // All that have connected so far, with whichever key, are heard and answered.
                for (index, peer) in peers.enumerated() {
                    try peer.port.send([number, UInt8(index)])
                    let message = await inbox.take(1)[0]
                    #expect(message.bytes == [number, UInt8(index)])
                    #expect(message.origin?.key == own.publicKey)
                    try router.send([number], to: try #require(message.sender))
                    #expect(await peer.replies.take(1)[0].bytes == [number])
                }
                let old = keys.publicKey
                keys = try KeyPair()
                let security = SocketSecurity.server(keys, handler, domain: nil)
                try router.withSocket { socket throws(ZeroMQError) in try socket.listenAgain(with: security) }
                // The old key lets nobody in any more.
                let outcomes = Inbox(of: HandshakeMonitor.Outcome.self)
                let late = try connect(context, to: endpoint, own, host: old, onOutcome: { outcomes.put($0) })
                #expect(await outcomes.take(1) == [.cutOff])
                late.close()
            }
            // The gate still knows where connections come from.
            #expect(!gate.networkConnections { _ in true }.isEmpty)
            for peer in peers { peer.port.close() }
            router.close()
            handler.close()
        }
    }
}
