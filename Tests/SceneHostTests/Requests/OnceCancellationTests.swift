import Bus
import Hub
import CoordinatorKit
import Messaging
import PluginKit
import TestKit
import Testing

@testable import SceneHost

/// Handles an order until it is cancelled.
@MainActor
private final class WaitingShop: PluginResponder, OrderMessages {
    var waiting = 0
    var cancelled = 0

    func orderPlace(item: String) async throws -> Int {
        waiting += 1
        await forever()
        cancelled += 1
        throw CancellationError()
    }

    func orderStatus(item: String) async throws -> Int { waiting }
}

/// Handles an order in the host, and does not notice that it is cancelled.
@MainActor
private final class StubbornShop: AppDelegate, OrderMessages {
    private(set) var waiting: CheckedContinuation<Void, Never>?

    func orderPlace(item: String) async throws -> Int {
        await withCheckedContinuation { waiting = $0 }
        return 7
    }

    func orderStatus(item: String) async throws -> Int { 0 }
}

extension LiveTests {
    /// Once requests whose callers no longer wait.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct OnceCancellationTests {
        @Test("A caller that stops waiting for a once request cancels its handler, and the request ends")
        func cancel() async throws {
            try await withHost { live in
                let shop = WaitingShop()
                try await live.plugin("shop") { $0.respond(shop, to: OrderMessagesList.self) }
                let client = try await live.client()
                // The deadline is later than the test's patience, so that it is not what ends the request.
                let order = Task { try await client.chain.within(.seconds(300)).orderPlace(item: "tea") }
                try await live.until("the handler runs") { shop.waiting == 1 }
                order.cancel()
                await #expect(throws: CancellationError.self) { try await order.value }
                try await live.until("the handler is cancelled") { shop.cancelled == 1 }
                #expect(live.link(named: "shop")?.pending == 0)
                try await live.until("no request is in flight") {
                    live.host.hub.links.values.allSatisfy { $0.inFlight == 0 }
                }
            }
        }

        @Test("The reply of a handler in the host that does not notice its cancellation is recorded")
        func replyAllTheSame() async throws {
            let shop = StubbornShop()
            try await withHost(delegate: shop, handles: [OrderMessagesList.self]) { live in
                let page = try live.raw()
                _ = try await page.hello("page", role: .operator)
                var order = Frame(.request, name: OrderMessagesList.orderPlace.name)
                (order.id, order.delivery, order.messageID) = (1, .once, .new())
                try page.send(order.encoded(payload: OrderMessagesList.orderPlace(item: "tea")))
                try await live.until("the handler runs") { shop.waiting != nil }
                var cancel = Frame(.cancel)
                cancel.id = 1
                try page.send(cancel.encoded())
                // What was sent before it has been handled when it is answered.
                try page.sendHeartbeat()
                _ = try await page.next(.heartbeat)
                shop.waiting?.resume()
                #expect(try await page.next(.reply).id == 1)
                order.id = 2
                order.flags.insert(.copy)
                try page.send(order.encoded(payload: OrderMessagesList.orderPlace(item: "tea")))
                let reply = try await page.next(.reply)
                #expect(try reply.id == 2 && reply.decodePayload(as: Int.self) == 7)
            }
        }
    }
}
