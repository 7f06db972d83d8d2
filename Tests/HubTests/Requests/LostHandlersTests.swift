import Bus
import Messaging
import Testing

@testable import Hub

/// Requests whose handler is gone, has no room or does not come, on a hub without sockets.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct LostHandlersTests {
    private let hub = FakeCarrier()
    private let upstream = FakeUpstream()

    init() { hub.router.upstream = upstream }

    @Test("A request whose handler is gone fails, and may have been handled")
    func handlerGone() throws {
        let buyer = hub.attach("buyer")
        let shop = hub.attach("shop", handles: ["buy"])
        _ = hub.attach("other", handles: ["buy"])
        hub.router.request(hub.request("buy"), from: buyer)
        hub.detach(shop)
        let error = try hub.error("buyer")
        #expect(error?.code == .peerLost)
        #expect(error?.mayHaveBeenHandled == true)
        #expect(hub.frames("other", .request).isEmpty)
        #expect(buyer.inFlight == 0)
    }

    @Test("An idempotent request whose handler is gone goes to the next one as a copy")
    func handlerGoneIdempotent() throws {
        let buyer = hub.attach("buyer")
        let shop = hub.attach("shop", handles: ["buy"])
        let other = hub.attach("other", handles: ["buy"])
        hub.router.request(hub.request("buy", delivery: .idempotent), from: buyer)
        #expect(hub.frames("shop", .request).first?.flags.contains(.copy) == false)
        hub.detach(shop)
        let request = try #require(hub.frames("other", .request).first)
        #expect(request.flags.contains(.copy))
        hub.router.receivedEnd(hub.reply(to: request), from: other)
        #expect(hub.frames("buyer", .reply).map(\.id) == [7])
    }

    @Test("An idempotent request without another handler waits for one to attach, and others are not held up")
    func waitsForHandler() throws {
        let buyer = hub.attach("buyer")
        let shop = hub.attach("shop", handles: ["buy"])
        hub.router.request(hub.request("buy", delivery: .idempotent), from: buyer)
        hub.detach(shop)
        #expect(hub.frames("buyer", .failure).isEmpty)
        _ = hub.attach("printer", handles: ["print"])
        #expect(hub.frames("printer", .request).isEmpty)
        _ = hub.attach("other", handles: ["buy"])
        #expect(hub.frames("other", .request).first?.flags.contains(.copy) == true)
    }

    @Test("A peer's own waiting request does not hold up those of others")
    func ownRequestWaits() throws {
        let buyer = hub.attach("buyer")
        let shop = hub.attach("shop", handles: ["buy"])
        let other = hub.attach("other", handles: ["buy"], credits: 1)
        hub.router.request(hub.request("buy", delivery: .idempotent), from: other)
        for id: UInt64 in [8, 9] { hub.router.request(hub.request("buy", id: id, delivery: .idempotent), from: buyer) }
        #expect(hub.frames("shop", .request).count == 3)
        hub.detach(shop)
        let first = try #require(hub.frames("other", .request).first)
        #expect(hub.frames("other", .request).count == 1)
        hub.router.receivedEnd(hub.reply(to: first), from: other)
        #expect(hub.frames("other", .request).count == 2)
        #expect(hub.frames("buyer", .reply).map(\.id) == [8])
    }

    @Test("However many of a peer's own requests wait, it gets those of others")
    func manyOwnRequestsWait() throws {
        let buyer = hub.attach("buyer")
        let shop = hub.attach("shop", handles: ["buy"])
        let other = hub.attach("other", handles: ["buy"], credits: 1)
        for id in 1...400 as ClosedRange<UInt64> {
            hub.router.request(hub.request("buy", id: id, delivery: .idempotent), from: other)
        }
        for id in 1...4 as ClosedRange<UInt64> {
            hub.router.request(hub.request("buy", id: id, delivery: .idempotent), from: buyer)
        }
        hub.detach(shop)
        for number in 1...4 {
            let requests = hub.frames("other", .request)
            #expect(requests.count == number)
            hub.router.receivedEnd(hub.reply(to: try #require(requests.last)), from: other)
        }
        #expect(hub.frames("buyer", .reply).map(\.id) == [1, 2, 3, 4])
    }

    @Test("A peer with many waiting requests does not hold up those of others")
    func manyRequestsOfOneWait() throws {
        let greedy = hub.attach("greedy")
        let buyer = hub.attach("buyer")
        let shop = hub.attach("shop", handles: ["buy"])
        for id in 1...400 as ClosedRange<UInt64> {
            hub.router.request(hub.request("buy", id: id, delivery: .idempotent), from: greedy)
        }
        hub.router.request(hub.request("buy", delivery: .idempotent), from: buyer)
        hub.detach(shop)
        let other = hub.attach("other", handles: ["buy"], credits: 1)
        for _ in 1...2 {
            hub.router.receivedEnd(hub.reply(to: try #require(hub.frames("other", .request).last)), from: other)
        }
        #expect(hub.frames("buyer", .reply).map(\.id) == [7])
    }

    @Test("Waiting requests go on waiting if the next handler has no room")
    func nextHandlerIsFull() throws {
        let buyer = hub.attach("buyer")
        let shop = hub.attach("shop", handles: ["buy"])
        let other = hub.attach("other", handles: ["buy"])
        for id: UInt64 in [8, 9] { hub.router.request(hub.request("buy", id: id, delivery: .idempotent), from: buyer) }
        hub.full = ["other"]
        hub.detach(shop)
        hub.router.goOnWaiting(for: other)
        #expect(try hub.error("buyer") == nil)
        #expect(buyer.inFlight == 2)
        hub.full = []
        hub.router.goOnWaiting(for: other)
        #expect(hub.frames("other", .request).count == 2)
    }

    @Test("The failure of a second handler does not hide that the first may have handled the request")
    func secondHandlerFails() throws {
        let buyer = hub.attach("buyer")
        let shop = hub.attach("shop", handles: ["buy"])
        let other = hub.attach("other", handles: ["buy"])
        hub.router.request(hub.request("buy", delivery: .idempotent), from: buyer)
        hub.detach(shop)
        let request = try #require(hub.frames("other", .request).first)
        var failure = Frame.failure(MessageError(.overloaded, message: "buy"), of: "buy")
        failure.id = request.id
        hub.router.receivedEnd(failure, from: other)
        #expect(try hub.error("buyer")?.mayHaveBeenHandled == true)
    }

    @Test("A failure of a copy may concern a request that was handled before")
    func copyFails() throws {
        let buyer = hub.attach("buyer")
        let shop = hub.attach("shop", handles: ["buy"])
        hub.router.request(hub.request("buy", delivery: .idempotent, flags: .copy), from: buyer)
        let request = try #require(hub.frames("shop", .request).first)
        var failure = Frame.failure(MessageError(.overloaded, message: "buy"), of: "buy")
        failure.id = request.id
        hub.router.receivedEnd(failure, from: shop)
        #expect(try hub.error("buyer")?.mayHaveBeenHandled == true)
    }

    @Test("A handler whose connection is closed does not get the request: the sender learns that it was not handled")
    func closedConnection() throws {
        let buyer = hub.attach("buyer")
        _ = hub.attach("shop", handles: ["buy"])
        hub.gone = ["shop"]
        hub.router.request(hub.request("buy"), from: buyer)
        let error = try hub.error("buyer")
        #expect(error?.code == .peerLost)
        #expect(error?.mayHaveBeenHandled == false)
    }

    @Test("A handler that is gone is passed over while another is there")
    func passedOver() {
        let buyer = hub.attach("buyer")
        let shop = hub.attach("shop", handles: ["buy"])
        _ = hub.attach("other", handles: ["buy"])
        shop.traffic.isGone = true
        hub.router.request(hub.request("buy"), from: buyer)
        #expect(hub.frames("shop", .request).isEmpty)
        #expect(hub.frames("other", .request).count == 1)
    }

    @Test("A handler that reads nothing is sent no more, and the sender is told that nothing was done")
    func noRoom() throws {
        let buyer = hub.attach("buyer")
        _ = hub.attach("shop", handles: ["buy"])
        hub.full = ["shop"]
        hub.router.request(hub.request("buy"), from: buyer)
        let error = try hub.error("buyer")
        #expect(error?.code == .overloaded)
        #expect(error?.mayHaveBeenHandled == false)
    }

    @Test("A request for a service whose peer is gone goes to another that offers it, or upstream")
    func serviceGone() {
        let buyer = hub.attach("buyer")
        let printer = hub.attach("printer", services: ["print"])
        hub.detach(printer)
        hub.router.request(hub.request("print/buy", id: 1), from: buyer)
        #expect(hub.frames("printer", .request).isEmpty)
        #expect(upstream.requests.count == 1)
        _ = hub.attach("other", services: ["print"])
        hub.router.request(hub.request("print/buy", id: 2), from: buyer)
        #expect(hub.frames("other", .request).map(\.name) == ["print/buy"])
    }
}
