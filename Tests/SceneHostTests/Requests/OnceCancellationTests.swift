import Hub
import CoordinatorKit
import PluginKit
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
    }
}
