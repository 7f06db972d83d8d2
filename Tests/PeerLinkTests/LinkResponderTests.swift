import Bus
import CBOR
import Messaging
import PeerLink
import TestKit
import Testing
import ZeroMQ
import MessageHandling

@ResponderMessages
private protocol ParcelMessages {
    func parcelSend(item: String) async throws
    func parcelNote(text: String)
    func parcelTalk(_ talk: Talk) async throws
}

/// Runs a function while it is encoded, and crosses as a text.
private struct Talk: Codable, Sendable {
    @MainActor static var body: () -> Void = {}
    @MainActor static var text = ""

    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {
        let text = MainActor.assumeIsolated {
            Self.body()
            return Self.text
        }
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
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

        func parcelTalk(_ talk: Talk) async throws { try await coordinatingResponder.chain.parcelTalk(talk) }

        func parcelNote(text: String) { coordinatingResponder.chain.parcelNote(text: text) }
    }

    private final class Current {
        weak var value: Link?
    }

    private let receiver = MessageReceiver()
    /// The link of the running test.
    private let link = Current()

    init() { receiver.registry.add(ParcelMessagesList.self) }

    /// Runs a body with a shop below a ready link to a fake host.
    private func withShop(
        batch: Int? = nil, _ body: @MainActor (FakeHost, Shop) async throws -> Void
    ) async throws {
        let context = SocketContext()
        let host = try FakeHost()
        host.batch = batch
        var configuration = LinkConfiguration(endpoint: host.endpoint, role: .plugin, peer: "shop", context: context)
        configuration.requestTimeout = .seconds(3600)
        let link = Link(configuration)
        self.link.value = link
        defer {
            link.stop()
            host.close()
            #expect(context.openSockets == 0)
        }
        link.start()
        try await host.until("the link is ready") { link.isReady }
        try await body(host, Shop(above: LinkResponder(link)))
    }

    @Test("Requests of one turn travel together, and each gets its own reply")
    func requestsOfATurn() async throws {
        try await withShop(batch: 64 << 10) { host, shop in
            let messages = host.messageCount
            let items = (0..<50).map { String(repeating: "x", count: $0 * 40) }
            let sending = items.map { item in
                Task.immediate { try await shop.coordinatingResponder.chain.parcelSend(item: item) }
            }
            for task in sending { try await task.value }
            #expect(host.requests == 50)
            #expect(host.messageCount - messages < 25)
            #expect(Set(host.requestIDs).count == 50)
        }
    }

    @Test("What a message sends while it is encoded arrives before it", arguments: [true, false])
    func sendingWhileEncoding(isBehindAnother: Bool) async throws {
        try await withShop(batch: 64 << 10) { host, shop in
            let chain = shop.coordinatingResponder.chain
            if isBehindAnother { chain.parcelNote(text: "first") }
            Talk.body = { chain.parcelNote(text: "second") }
            defer { Talk.body = {} }
            try await chain.parcelTalk(Talk())
            // Whatever was sent before this request has come when it has its reply.
            try await chain.parcelSend(item: "lamp")
            let posts = isBehindAnother ? ["parcelNote", "parcelNote"] : ["parcelNote"]
            #expect(host.messageNames == posts + ["parcelTalk", "parcelSend"])
        }
    }

    @Test("A message that is too large to be written in place is encoded once")
    func largeMessageIsEncodedOnce() async throws {
        try await withShop(batch: 64 << 10) { host, shop in
            let chain = shop.coordinatingResponder.chain
            chain.parcelNote(text: "first")
            var encoded = 0
            Talk.body = { encoded += 1 }
            Talk.text = String(repeating: "x", count: 20 << 10)
            defer {
                Talk.body = {}
                Talk.text = ""
            }
            try await chain.parcelTalk(Talk())
            #expect(encoded == 1)
            #expect(host.lastRequest.map { $0.payload.count > 20 << 10 } == true)
            #expect(host.posts.count == 1)
        }
    }

    @Test("A message that closes its link while it is encoded fails at once", arguments: [true, false])
    func closingWhileEncoding(isBehindAnother: Bool) async throws {
        try await withShop(batch: 64 << 10) { host, shop in
            let link = try #require(self.link.value)
            let chain = shop.coordinatingResponder.chain
            if isBehindAnother { chain.parcelNote(text: "first") }
            Talk.body = { [weak link] in link?.stop() }
            defer { Talk.body = {} }
            await #expect(throws: MessageError.self) { try await chain.parcelTalk(Talk()) }
            #expect(link.pendingCount == 0)
        }
    }

    @Test("A request of a cancelled task is not sent")
    func cancelledBefore() async throws {
        try await withShop { host, shop in
            let chain = shop.coordinatingResponder.chain
            let task = Task.immediate {
                withUnsafeCurrentTask { $0?.cancel() }
                try await chain.parcelSend(item: "lamp")
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            // Whatever was sent before this request has come when it has its reply.
            try await chain.parcelSend(item: "chair")
            #expect(host.requests == 1)
        }
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
