import Bus
import Messaging
import Testing
import ZeroMQ

@testable import Hub

/// The requests of the hub's own process, on a hub without sockets.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct OwnRequestsTests {
    private let hub = FakeCarrier()

    @Test("A request of the hub's own process is sent to a peer, and its reply is decoded")
    func local() async throws {
        let shop = hub.attach("shop")
        let asking = Task.immediate {
            try await hub.router.send(hub.request("ask", id: 0), to: shop, timeout: .seconds(10))
        }
        let request = try #require(hub.frames("shop", .request).first)
        hub.router.receivedEnd(hub.reply(to: request), from: shop)
        #expect(Array(try await asking.value.payload) == [9])
        #expect(shop.pending == 0)
    }

    @Test("A request of the hub's own process that is not replied to in time is cancelled at the peer")
    func localTimeout() async throws {
        let shop = hub.attach("shop")
        let error = await #expect(throws: MessageError.self) {
            try await hub.router.send(hub.request("ask", id: 0), to: shop, timeout: .milliseconds(20))
        }
        #expect(error?.code == .timeout)
        #expect(error?.mayHaveBeenHandled == true)
        #expect(hub.frames("shop", .cancel).count == 1)
        #expect(shop.pending == 0)
    }

    @Test("Each of two requests without a reply ends at its own deadline")
    func ownDeadlines() async throws {
        let shop = hub.attach("shop")
        // Ends a request that has missed its deadline, with another error.
        let end = LoopTimer { hub.detach(shop) }
        end.set(for: .now + .seconds(60))
        defer { end.cancel() }
        let first = Task.immediate {
            try await hub.router.send(hub.request("ask", id: 0), to: shop, timeout: .milliseconds(20))
        }
        let second = Task.immediate {
            try await hub.router.send(hub.request("ask", id: 0), to: shop, timeout: .seconds(1))
        }
        for asking in [first, second] {
            let error = await #expect(throws: MessageError.self) { try await asking.value }
            #expect(error?.code == .timeout)
        }
        #expect(hub.frames("shop", .cancel).count == 2)
    }

    @Test("A cancelled caller of the hub's own process gets a cancellation, and the peer is told to stop")
    func localCancelled() async throws {
        let shop = hub.attach("shop")
        let asking = Task.immediate {
            try await hub.router.send(hub.request("ask", id: 0), to: shop, timeout: .seconds(10))
        }
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        #expect(hub.frames("shop", .cancel).count == 1)
    }
}
