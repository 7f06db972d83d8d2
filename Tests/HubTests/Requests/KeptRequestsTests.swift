import Bus
import Messaging
import Testing

@testable import Hub

/// What the copies of requests that the router keeps count against their senders.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct KeptRequestsTests {
    private let hub = FakeCarrier()

    init() { hub.router.upstream = FakeUpstream() }

    @Test("Requests that are kept to be sent again count against their sender until they end, even if none is large")
    func copiedRequests() throws {
        let buyer = hub.attach("buyer")
        let shop = hub.attach("shop", handles: ["buy"])
        let size = 60 << 10
        let fitting = Int(SendWindow.standard) / size
        @MainActor func send(_ id: Int, _ delivery: MessageDelivery = .idempotent) {
            hub.router.request(hub.request("buy", id: UInt64(id), delivery: delivery, size: size), from: buyer)
        }
        for id in 1...fitting { send(id) }
        #expect(hub.frames("shop", .request).count == fitting)
        #expect(buyer.traffic.account[.requests] == fitting * size)
        send(1001)
        let error = try hub.error("buyer")
        #expect(error?.code == .overloaded)
        #expect(error?.mayHaveBeenHandled == false)
        #expect(buyer.inFlight == fitting)
        // Nothing is kept of one that is sent only once.
        send(1002, .atMostOnce)
        #expect(hub.frames("shop", .request).count == fitting + 1)
        let first = try #require(hub.frames("shop", .request).first)
        hub.router.receivedEnd(hub.reply(to: first), from: shop)
        var cancel = Frame(.cancel)
        cancel.id = 2
        hub.router.cancel(cancel, from: buyer)
        #expect(buyer.traffic.account[.requests] == (fitting - 2) * size)
        send(1003)
        #expect(hub.frames("shop", .request).count == fitting + 2)
        hub.detach(buyer)
        #expect(buyer.traffic.account[.requests] == 0)
    }

    @Test("Requests that wait for a handler count against their sender while they wait")
    func waitingRequests() {
        let buyer = hub.attach("buyer")
        hub.router.expectation.ends(at: .now)
        let size = 60 << 10
        for id in 1...2 as ClosedRange<UInt64> {
            hub.router.request(hub.request("buy", id: id, size: size), from: buyer)
        }
        #expect(buyer.traffic.awaiting.count == 2)
        #expect(buyer.traffic.account[.requests] == 2 * size)
        var cancel = Frame(.cancel)
        cancel.id = 1
        hub.router.cancel(cancel, from: buyer)
        #expect(buyer.traffic.account[.requests] == size)
        let shop = hub.attach("shop", handles: ["buy"])
        hub.router.goOnWaiting(for: shop)
        #expect(hub.frames("shop", .request).count == 1)
        #expect(buyer.traffic.awaiting.isEmpty)
        #expect(buyer.traffic.account[.requests] == 0)
    }
}
