import Bus
import CBOR
import MessageHandling
import Messaging
import Testing

@testable import Hub

/// The router on a hub without sockets.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct RequestRouterTests {
    private let hub = FakeCarrier()
    private let upstream = FakeUpstream()

    init() { hub.router.upstream = upstream }

    // MARK: - Up

    @Test("A request is forwarded to the first peer that handles it, and its reply comes back under the sender's id")
    func forwarded() throws {
        let buyer = hub.attach("buyer")
        let shop = hub.attach("shop", handles: ["buy"])
        _ = hub.attach("other", handles: ["buy"])
        hub.router.request(hub.request("buy"), from: buyer)
        let request = try #require(hub.frames("shop", .request).first)
        #expect(request.name == "buy")
        #expect(request.session == "s")
        #expect(request.deadline > 0)
        #expect(hub.frames("other", .request).isEmpty)
        #expect(buyer.inFlight == 1)
        #expect(shop.pending == 1)
        hub.router.receivedEnd(hub.reply(to: request), from: shop)
        let reply = try #require(hub.frames("buyer", .reply).first)
        #expect(reply.id == 7)
        #expect(reply.name == "buy")
        #expect(reply.session == "s")
        #expect(reply.revision == 5)
        #expect(Array(reply.payload) == [9])
        #expect(buyer.inFlight == 0)
        #expect(shop.pending == 0)
    }

    @Test("A request that a peer passes on goes to the peers above it, and then upstream")
    func passedOn() throws {
        let first = hub.attach("first", handles: ["buy"])
        let second = hub.attach("second", handles: ["buy"])
        hub.router.request(hub.request("buy", flags: .passedOn), from: first)
        #expect(hub.frames("second", .request).count == 1)
        hub.router.request(hub.request("buy", flags: .passedOn), from: second)
        #expect(hub.frames("first", .request).isEmpty)
        #expect(upstream.requests.count == 1)
    }

    @Test("A peer's own request does not come back to it")
    func notToItself() {
        let shop = hub.attach("shop", handles: ["buy"])
        hub.router.request(hub.request("buy"), from: shop)
        #expect(hub.frames("shop", .request).isEmpty)
        #expect(upstream.requests.count == 1)
    }

    @Test("Without an upstream, a request that no peer handles is unhandled")
    func unhandled() throws {
        hub.router.upstream = nil
        let buyer = hub.attach("buyer")
        hub.router.request(hub.request("buy"), from: buyer)
        #expect(try hub.error("buyer")?.code == .unhandled)
        #expect(buyer.inFlight == 0)
    }

    @Test("The upstream's reply and its error come back to the sender")
    func upstreamReplies() throws {
        let buyer = hub.attach("buyer")
        hub.router.request(hub.request("buy", id: 1), from: buyer)
        hub.router.request(hub.request("buy", id: 2), from: buyer)
        try upstream.reply(3)
        let reply = try #require(hub.frames("buyer", .reply).first)
        #expect(reply.id == 1)
        #expect(Array(reply.payload) == [3])
        upstream.end(1, with: .failure(MessageError(.overloaded, message: "buy")))
        #expect(try hub.error("buyer")?.code == .overloaded)
        #expect(buyer.inFlight == 0)
    }

    @Test("A request past its deadline is not handled, and is told so")
    func pastDeadline() throws {
        let buyer = hub.attach("buyer")
        _ = hub.attach("shop", handles: ["buy"])
        hub.router.request(hub.request("buy", deadline: .milliseconds(-5)), from: buyer)
        #expect(hub.frames("shop", .request).isEmpty)
        let error = try hub.error("buyer")
        #expect(error?.code == .timeout)
        #expect(error?.mayHaveBeenHandled == false)
        #expect(buyer.inFlight == 0)
    }

    @Test("A deadline more than a day away is malformed")
    func farDeadline() throws {
        let buyer = hub.attach("buyer")
        hub.router.request(hub.request("buy", deadline: .seconds(3 * 86_400)), from: buyer)
        #expect(try hub.error("buyer")?.code == .malformed)
        #expect(upstream.requests.isEmpty)
    }

    @Test("A peer has so many credits; one request more is overloaded, and takes no credit")
    func credits() throws {
        let buyer = hub.attach("buyer")
        for id in 1...UInt64(Credits.ofPeer) { hub.router.request(hub.request("buy", id: id), from: buyer) }
        #expect(upstream.requests.count == Credits.ofPeer)
        #expect(hub.frames("buyer", .failure).isEmpty)
        hub.router.request(hub.request("buy", id: 9999), from: buyer)
        #expect(try hub.error("buyer")?.code == .overloaded)
        #expect(upstream.requests.count == Credits.ofPeer)
        #expect(buyer.inFlight == Credits.ofPeer)
        try upstream.reply(1)
        hub.router.request(hub.request("buy", id: 10_000), from: buyer)
        #expect(upstream.requests.count == Credits.ofPeer + 1)
    }

    @Test("Large requests without a reply are bounded in bytes, and count until their replies")
    func largeRequests() throws {
        let buyer = hub.attach("buyer")
        let size = Int(SendWindow.standard) / 2
        for id in 1...3 as ClosedRange<UInt64> {
            hub.router.request(hub.request("buy", id: id, size: size), from: buyer)
        }
        #expect(upstream.requests.count == 2)
        #expect(try hub.error("buyer")?.code == .overloaded)
        try upstream.reply(1)
        hub.router.request(hub.request("buy", id: 4, size: size), from: buyer)
        #expect(upstream.requests.count == 3)
    }

    @Test("A peer with no credits left gets no more requests, and the sender is told that nothing was done")
    func handlerCredits() throws {
        let buyer = hub.attach("buyer")
        _ = hub.attach("shop", handles: ["buy"], credits: 1)
        hub.router.request(hub.request("buy", id: 1), from: buyer)
        hub.router.request(hub.request("buy", id: 2), from: buyer)
        #expect(hub.frames("shop", .request).count == 1)
        let error = try hub.error("buyer")
        #expect(error?.code == .overloaded)
        #expect(error?.mayHaveBeenHandled == false)
    }

    @Test("A post goes to the first handler, or upstream")
    func posts() {
        let buyer = hub.attach("buyer")
        _ = hub.attach("shop", handles: ["note"])
        var post = Frame(.post)
        post.name = "note"
        hub.router.post(post, from: buyer)
        #expect(hub.frames("shop", .post).count == 1)
        post.name = "other"
        hub.router.post(post, from: buyer)
        #expect(upstream.posts.count == 1)
    }

    @Test("A request for a service goes to the peer that offers it")
    func services() {
        let buyer = hub.attach("buyer")
        _ = hub.attach("shop", handles: ["buy"])
        _ = hub.attach("printer", services: ["print"])
        hub.router.request(hub.request("print/buy"), from: buyer)
        #expect(hub.frames("printer", .request).count == 1)
        #expect(hub.frames("shop", .request).isEmpty)
    }

    // MARK: - Down

    @Test("A reply from another peer, and one to no request, is dropped and counted")
    func wrongReplies() throws {
        let buyer = hub.attach("buyer")
        let shop = hub.attach("shop", handles: ["buy"])
        let thief = hub.attach("thief")
        hub.router.request(hub.request("buy"), from: buyer)
        let request = try #require(hub.frames("shop", .request).first)
        hub.router.receivedEnd(hub.reply(to: request), from: thief)
        #expect(hub.frames("buyer", .reply).isEmpty)
        hub.router.receivedEnd(hub.reply(to: request), from: shop)
        hub.router.receivedEnd(hub.reply(to: request), from: shop)
        #expect(hub.frames("buyer", .reply).count == 1)
        #expect(hub.counts["dropped: late reply"] == 2)
    }

    @Test("The failure that replaces a reply that is too large to be held is held")
    func replacedReply() throws {
        let buyer = hub.attach("buyer")
        let shop = hub.attach("shop", handles: ["buy"])
        hub.router.request(hub.request("buy"), from: buyer)
        let request = try #require(hub.frames("shop", .request).first)
        hub.full = ["buyer"]
        var reply = hub.reply(to: request)
        reply.payload = ArraySlice(repeating: 0, count: FakeCarrier.maximumHeld)
        hub.router.receivedEnd(reply, from: shop)
        let held = try #require(hub.held["buyer"])
        #expect(held.map(\.kind) == [.failure])
        #expect(held.first?.id == 7)
        #expect(hub.counts["failed: overloaded"] == 1)
    }

    @Test("The reply to a peer that is gone is dropped and counted")
    func senderGone() throws {
        let buyer = hub.attach("buyer")
        hub.router.request(hub.request("buy"), from: buyer)
        hub.detach(buyer)
        #expect(upstream.cancelledLinks == [buyer.id])
        try upstream.reply(1)
        #expect(hub.frames("buyer", .reply).isEmpty)
        #expect(hub.counts["dropped: reply to a peer that is gone"] == 1)
    }

    @Test("When a sender is gone, the handlers of its requests are told to stop")
    func senderGoneCancels() throws {
        let buyer = hub.attach("buyer")
        let shop = hub.attach("shop", handles: ["buy"])
        hub.router.request(hub.request("buy"), from: buyer)
        let request = try #require(hub.frames("shop", .request).first)
        hub.detach(buyer)
        #expect(hub.frames("shop", .cancel).map(\.id) == [request.id])
        #expect(shop.pending == 0)
    }

    @Test("A cancelled request is cancelled at its handler, and frees both credits")
    func cancelled() throws {
        let buyer = hub.attach("buyer")
        let shop = hub.attach("shop", handles: ["buy"])
        hub.router.request(hub.request("buy"), from: buyer)
        let request = try #require(hub.frames("shop", .request).first)
        var cancel = Frame(.cancel)
        cancel.id = 7
        hub.router.cancel(cancel, from: buyer)
        #expect(hub.frames("shop", .cancel).map(\.id) == [request.id])
        #expect(upstream.cancelled == [7])
        #expect(buyer.inFlight == 0)
        #expect(shop.pending == 0)
        hub.router.receivedEnd(hub.reply(to: request), from: shop)
        #expect(hub.frames("buyer", .reply).isEmpty)
    }

    // MARK: - Ending

    @Test("A hub that ends fails what is in flight, but for what its senders send again to the next host")
    func ending() throws {
        let buyer = hub.attach("buyer")
        _ = hub.attach("shop", handles: ["buy"])
        hub.router.request(hub.request("buy", id: 1), from: buyer)
        hub.router.request(hub.request("buy", id: 2, delivery: .idempotent), from: buyer)
        hub.router.stop()
        #expect(hub.frames("buyer", .failure).map(\.id) == [1])
        #expect(try hub.error("buyer")?.mayHaveBeenHandled == true)
        hub.router.request(hub.request("buy", id: 3), from: buyer)
        #expect(try hub.error("buyer")?.code == .draining)
        hub.router.request(hub.request("buy", id: 4, delivery: .idempotent), from: buyer)
        #expect(hub.frames("buyer", .failure).map(\.id) == [1, 3])
    }
}
