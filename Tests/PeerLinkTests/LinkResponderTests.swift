import Bus
import CBOR
import Messaging
import PeerLink
import TestKit
import Testing
import ZeroMQ

@ResponderMessages
private protocol ParcelMessages {
    func parcelSend(item: String) async throws
    func parcelNote(text: String)
}

/// What a link's responder sends to the host for the messages that climb out of this process.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct LinkResponderTests {
    /// Passes on all that it receives.
    private final class Shop: Responder, ParcelMessages {
        private let above: Responder

        init(above: Responder) {
            self.above = above
            super.init()
        }

        override var next: Responder? { above }

        func parcelSend(item: String) async throws { try await coordinatingResponder.chain.parcelSend(item: item) }

        func parcelNote(text: String) { coordinatingResponder.chain.parcelNote(text: text) }
    }

    private let receiver = MessageReceiver()

    init() { receiver.registry.add(ParcelMessagesList.self) }

    /// Runs a body with a shop below a ready link to a fake host.
    private func withShop(_ body: @MainActor (FakeHost, Shop) async throws -> Void) async throws {
        let context = SocketContext()
        let host = try FakeHost()
        var configuration = LinkConfiguration(endpoint: host.endpoint, role: .plugin, peer: "shop", context: context)
        configuration.requestTimeout = .seconds(3600)
        let link = Link(configuration)
        defer {
            link.stop()
            host.close()
            #expect(context.openSockets == 0)
        }
        link.start()
        try await host.until("the link is ready") { link.isReady }
        try await body(host, Shop(above: LinkResponder(link)))
    }

    /// A message as it comes from the host.
    private func received(_ kind: FrameKind, _ name: String, _ fields: [String: String]) throws -> Frame {
        var frame = Frame(kind)
        frame.id = 7
        frame.name = name
        frame.payload = try CBOREncoder().encode(fields)[...]
        return frame
    }

    @Test("A request of the host that a handler passes on climbs on from there, and refers to the one received")
    func requestPassedOn() async throws {
        try await withShop { host, shop in
            var isReplied = false
            receiver.receive(try received(.request, "parcelSend", ["item": "lamp"]), at: shop, timeLeft: nil) { _ in
                isReplied = true
            }
            try await host.until("the host's reply has come back") { isReplied }
            let passedOn = try #require(host.lastRequest)
            #expect(passedOn.name == "parcelSend")
            #expect(passedOn.flags.contains(.passedOn))
            #expect(passedOn.parent == 7)
        }
    }

    @Test("A post of the host that a handler passes on climbs on from there")
    func postPassedOn() async throws {
        try await withShop { host, shop in
            try receiver.receive(post: received(.post, "parcelNote", ["text": "hello"]), at: shop)
            try await host.until("the post has arrived") { host.posts.count == 1 }
            #expect(host.posts.map(\.name) == ["parcelNote"])
            #expect(host.posts.map { $0.flags.contains(.passedOn) } == [true])
        }
    }

    @Test("A message of this process starts its climb at the host, even when a handler here has passed it on")
    func ownMessage() async throws {
        try await withShop { host, shop in
            try await shop.chain.parcelSend(item: "lamp")
            let request = try #require(host.lastRequest)
            #expect(!request.flags.contains(.passedOn))
            #expect(request.parent == 0)
            shop.chain.parcelNote(text: "hello")
            try await host.until("the post has arrived") { host.posts.count == 1 }
            #expect(host.posts.map { $0.flags.contains(.passedOn) } == [false])
        }
    }
}

extension ResponderChain: ParcelMessages {}
