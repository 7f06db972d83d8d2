import Messaging
@testable import Hub
import TestKit
import Bus
import CBOR
import CoordinatorKit
import PeerLink
import PluginKit
import Testing
import ZeroMQ

@testable import SceneHost

@ResponderMessages
protocol OrderMessages {
    @Once func orderPlace(item: String) async throws -> Int
    @Idempotent func orderStatus(item: String) async throws -> Int
}

extension ResponderChain: OrderMessages {}

/// Counts what it handles, and waits where a test requires it.
@MainActor
private final class Shop: PluginResponder, OrderMessages {
    var ids: [MessageID?] = []
    var asked = 0
    var isSlow = false

    func orderPlace(item: String) async throws -> Int {
        ids.append(MessageContext.current?.messageID)
        if isSlow { await forever() }
        return ids.count
    }

    func orderStatus(item: String) async throws -> Int {
        asked += 1
        if isSlow { await forever() }
        return asked
    }
}

/// Fails because of a request that it sends itself.
@MainActor
private final class FailingShop: PluginResponder, OrderMessages {
    func orderPlace(item: String) async throws -> Int { 0 }
    func orderStatus(item: String) async throws -> Int {
        _ = try await chain.greetingSay(name: item)
        return 1
    }
}

extension LiveTests {
    /// What becomes of a request when it is unknown whether it was handled.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct DeliveryTests {
        /// Returns a `@Once` request as a link sends it, for a test that sends it again.
        private func order(
            _ id: UInt64, _ message: MessageID = MessageID(high: 7, low: 7), deadline: UInt64 = 0,
            isCopy: Bool = false
        ) throws -> [UInt8] {
            var frame = Frame(.request)
            if isCopy { frame.flags.insert(.copy) }
            frame.id = id
            frame.deadline = deadline
            frame.name = "orderPlace"
            frame.delivery = .once
            frame.messageID = message
            frame.payload = try CBOREncoder().encode(["item": "tea"])[...]
            return frame.encoded()
        }

        private func answer(of raw: RawPeer, to id: UInt64) async throws -> Frame {
            while true {
                let frame = try await raw.next()
                if frame.id == id, frame.kind == .reply || frame.kind == .failure { return frame }
            }
        }

        private func error(_ frame: Frame) throws -> MessageError? {
            try frame.decodePayload(as: FailureEncoding.self).error as? MessageError
        }

        @Test("A handler sees the id of a once request")
        func messageID() async throws {
            try await withHost { live in
                let shop = Shop()
                try await live.plugin("shop") { $0.respond(shop, to: OrderMessagesList.self) }
                let client = try await live.client()
                #expect(try await client.chain.orderPlace(item: "tea") == 1)
                #expect(try await client.chain.orderPlace(item: "tea") == 2)
                #expect(shop.ids.count == 2)
                #expect(shop.ids.allSatisfy { $0 != nil })
                #expect(shop.ids[0] != shop.ids[1])
            }
        }

        @Test("A copy of a once request gets the first one's reply, over any link of its sender")
        func copy() async throws {
            try await withHost { live in
                let shop = Shop()
                try await live.plugin("shop") { $0.respond(shop, to: OrderMessagesList.self) }
                let first = try live.raw()
                _ = try await first.hello("buyer", role: .operator)
                try first.send(try order(1))
                let reply = try await answer(of: first, to: 1)
                #expect(reply.kind == .reply)
                let second = try live.raw()
                _ = try await second.hello("buyer", role: .operator)
                try second.send(try order(2))
                let again = try await answer(of: second, to: 2)
                #expect(again.payload == reply.payload)
                #expect(shop.ids.count == 1)
                // Another peer's request with the same id is a different request.
                let other = try live.raw()
                _ = try await other.hello("somebody", role: .operator)
                try other.send(try order(1))
                #expect(try await answer(of: other, to: 1).kind == .reply)
                #expect(shop.ids.count == 2)
            }
        }

        @Test("A host without a store does not deliver a copy that its earlier life may have handled")
        func copyWithoutStore() async throws {
            try await withHost { live in
                let shop = Shop()
                try await live.plugin("shop") { $0.respond(shop, to: OrderMessagesList.self) }
                let buyer = try live.raw()
                _ = try await buyer.hello("buyer", role: .operator)
                try buyer.send(try order(1, isCopy: true))
                let lost = try #require(try error(try await answer(of: buyer, to: 1)))
                #expect(lost.code == .peerLost)
                #expect(lost.mayHaveBeenHandled)
                // A request on record in this life is answered from the record.
                try buyer.send(try order(2, MessageID(high: 1, low: 1)))
                let reply = try await answer(of: buyer, to: 2)
                try buyer.send(try order(3, MessageID(high: 1, low: 1), isCopy: true))
                #expect(try await answer(of: buyer, to: 3).payload == reply.payload)
                #expect(shop.ids.count == 1)
            }
        }

        @Test(
            "A once request's deadline may exceed the record window only by the margin for differing clocks"
        )
        func window() async throws {
            try await withHost(configure: { $0.onceWindow = .seconds(200) }) { live in
                let shop = Shop()
                try await live.plugin("shop") { $0.respond(shop, to: OrderMessagesList.self) }
                let buyer = try live.raw()
                _ = try await buyer.hello("buyer", role: .operator)
                let clock = live.host.hub.clock
                let late = clock.microseconds(at: .now + .seconds(230))
                try buyer.send(try order(1, MessageID(high: 1, low: 1), deadline: late))
                #expect(try await answer(of: buyer, to: 1).kind == .reply)
                let long = clock.microseconds(at: .now + .seconds(400))
                try buyer.send(try order(2, MessageID(high: 1, low: 2), deadline: long))
                #expect(try error(try await answer(of: buyer, to: 2))?.code == .malformed)
            }
        }

        @Test("A request goes to another handler when the first one's connection is closed and the host detaches it")
        func closedConnection() async throws {
            try await withHost { live in
                let first = try live.raw(staysAttached: false)
                _ = try await first.hello("first", handles: ["orderStatus"])
                let shop = Shop()
                try await live.plugin("shop") { $0.respond(shop, to: OrderMessagesList.self) }
                let client = try await live.client()
                // As if killed: it sends nothing more, and its connection is closed.
                first.close()
                #expect(try await client.chain.within(.seconds(30)).orderStatus(item: "tea") == 1)
            }
        }

        @Test("The next life of the host replies from the record, or reports that the request may have been handled")
        func restart() async throws {
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/sessions.sqlite"
            let (done, lost) = (MessageID(high: 1, low: 1), MessageID(high: 2, low: 2))
            let shop = Shop()
            try await withHost(in: folder, configure: { $0.store = store }) { live in
                try await live.plugin("shop") { $0.respond(shop, to: OrderMessagesList.self) }
                let buyer = try live.raw()
                _ = try await buyer.hello("buyer", role: .operator)
                try buyer.send(try order(1, done))
                #expect(try await answer(of: buyer, to: 1).kind == .reply)
                shop.isSlow = true
                try buyer.send(try order(2, lost))
                try await live.until("both requests are handled") { shop.ids.count == 2 }
            }
            try await withHost(in: folder, configure: { $0.store = store }) { live in
                let shop = Shop()
                try await live.plugin("shop") { $0.respond(shop, to: OrderMessagesList.self) }
                let buyer = try live.raw()
                _ = try await buyer.hello("buyer", role: .operator)
                try buyer.send(try order(3, done))
                let answered = try await answer(of: buyer, to: 3)
                #expect(answered.kind == .reply)
                #expect(try answered.decodePayload(as: Int.self) == 1)
                try buyer.send(try order(4, lost))
                let error = try #require(try error(try await answer(of: buyer, to: 4)))
                #expect(error.code == .peerLost)
                #expect(error.mayHaveBeenHandled)
                #expect(shop.ids.isEmpty)
            }
        }

        @Test("A once request whose handler dies fails as perhaps handled, and no other handler gets it")
        func handlerDies() async throws {
            try await withHost { live in
                let raw = try live.raw()
                _ = try await raw.hello("shop", handles: ["orderPlace"])
                let client = try await live.client()
                async let order = client.chain.orderPlace(item: "tea")
                _ = try await raw.next("orderPlace")
                try raw.send(Frame(.goodbye).encoded())
                let shop = Shop()
                try await live.plugin("other") { $0.respond(shop, to: OrderMessagesList.self) }
                do {
                    _ = try await order
                    Issue.record("the request succeeded")
                } catch let error as MessageError {
                    #expect(error.code == .peerLost)
                    #expect(error.mayHaveBeenHandled)
                }
                #expect(shop.ids.isEmpty)
            }
        }

        @Test("An idempotent request whose handler dies goes to the next handler that attaches")
        func idempotent() async throws {
            try await withHost { live in
                let raw = try live.raw()
                _ = try await raw.hello("shop", handles: ["orderStatus"])
                let client = try await live.client()
                async let status = client.chain.orderStatus(item: "tea")
                _ = try await raw.next("orderStatus")
                try raw.send(Frame(.goodbye).encoded())
                let shop = Shop()
                try await live.plugin("other") { $0.respond(shop, to: OrderMessagesList.self) }
                #expect(try await status == 1)
            }
        }

        @Test("An idempotent request whose handler dies goes to another attached handler")
        func idempotentElsewhere() async throws {
            try await withHost { live in
                let raw = try live.raw()
                _ = try await raw.hello("shop", handles: ["orderStatus"])
                let shop = Shop()
                try await live.plugin("other") { $0.respond(shop, to: OrderMessagesList.self) }
                let client = try await live.client()
                async let status = client.chain.orderStatus(item: "tea")
                _ = try await raw.next("orderStatus")
                try raw.send(Frame(.goodbye).encoded())
                #expect(try await status == 1)
            }
        }

        @Test("A new handler gets waiting idempotent requests up to its credits, and each reply releases the next")
        func idempotentCredits() async throws {
            try await withHost { live in
                let first = try live.raw()
                _ = try await first.hello("shop", handles: ["orderStatus"])
                let client = try await live.client()
                let asking = (0..<6).map { _ in Task { try await client.chain.orderStatus(item: "tea") } }
                for _ in asking { _ = try await first.next("orderStatus") }
                try first.send(Frame(.goodbye).encoded())
                try await live.until("the shop is detached") { live.link(named: "shop") == nil }
                let second = try live.raw()
                _ = try await second.hello("shop", handles: ["orderStatus"], credits: 4)
                var requests: [Frame] = []
                for _ in 0..<4 { requests.append(try await second.next("orderStatus")) }
                // Each returned credit goes to a waiting request at once, not only when many are back.
                for number in asking.indices {
                    #expect(live.link(named: "shop")?.pending ?? 5 <= 4)
                    var reply = Frame(.reply)
                    reply.id = requests[number].id
                    reply.payload = [7]
                    try second.send(reply.encoded())
                    if requests.count < asking.count { requests.append(try await second.next("orderStatus")) }
                }
                for task in asking { #expect(try await task.value == 7) }
            }
        }

        @Test("An overloaded second handler does not hide that the first may have handled an idempotent request")
        func idempotentDenied() async throws {
            try await withHost { live in
                let (first, second) = (try live.raw(), try live.raw())
                _ = try await first.hello("first", handles: ["orderStatus"])
                _ = try await second.hello("second", handles: ["orderStatus"])
                let client = try await live.client()
                async let status = client.chain.orderStatus(item: "tea")
                _ = try await first.next("orderStatus")
                try first.send(Frame(.goodbye).encoded())
                var failure = Frame(.failure)
                failure.id = try await second.next("orderStatus").id
                let error = MessageError(.overloaded, message: "orderStatus")
                try second.send(failure.encoded(payload: FailureEncoding(error)))
                do {
                    _ = try await status
                    Issue.record("the request succeeded")
                } catch let error as MessageError {
                    #expect(error.code == .overloaded)
                    #expect(error.mayHaveBeenHandled)
                }
            }
        }

        @Test("A bus error from inside a handler does not mean that the request was not handled")
        func nested() async throws {
            try await withHost { live in
                try await live.plugin("shop") { $0.respond(FailingShop(), to: OrderMessagesList.self) }
                let client = try await live.client()
                do {
                    _ = try await client.chain.orderStatus(item: "tea")
                    Issue.record("the request succeeded")
                } catch let error as MessageError {
                    #expect(error.code == .unhandled)
                    #expect(error.message == "greetingSay")
                    #expect(error.mayHaveBeenHandled)
                }
            }
        }

        @Test("Cancelling a caller inside the host cancels the handler")
        func localCancel() async throws {
            try await withHost { live in
                let raw = try live.raw()
                _ = try await raw.hello("shop", handles: ["orderStatus"])
                let link = try #require(live.link(named: "shop"))
                let asking = Task {
                    try await live.host.hub.router.send(
                        OrderMessagesList.orderStatus(item: "tea"), to: link, timeout: .seconds(30))
                }
                let request = try await raw.next("orderStatus")
                asking.cancel()
                #expect(try await raw.next(.cancel).id == request.id)
                await #expect(throws: CancellationError.self) { try await asking.value }
                #expect(link.pending == 0)
            }
        }

        @Test("An idempotent request survives the host's restart, and an ordinary one fails as perhaps handled")
        func hostRestarts() async throws {
            let folder = try TemporaryFolder()
            var client: LiveClient?
            var ordinary: Task<String, any Error>?
            var idempotent: Task<Int, any Error>?
            try await withHost(in: folder) { live in
                let shop = Shop()
                shop.isSlow = true
                try await live.plugin("shop") { $0.respond(shop, to: OrderMessagesList.self) }
                let greeter = Greeter("greeter")
                try await live.plugin("greeter") { $0.respond(greeter, to: GreetingMessagesList.self) }
                // Not in the host's own context, because this link outlives the host.
                let mine = LiveClient(endpoint: live.ipc, name: "buyer", context: SocketContext())
                try await mine.attach()
                client = mine
                idempotent = Task { try await mine.chain.orderStatus(item: "tea") }
                ordinary = Task {
                    try await mine.chain.greetingForever()
                    return ""
                }
                try await live.until("both requests are being handled") { shop.asked == 1 && greeter.waiting == 1 }
                await live.endHost()
            }
            let error = await #expect(throws: MessageError.self) { try await ordinary?.value }
            #expect(error?.mayHaveBeenHandled == true)
            try await withHost(in: folder) { live in
                let shop = Shop()
                try await live.plugin("shop") { $0.respond(shop, to: OrderMessagesList.self) }
                #expect(try await idempotent?.value == 1)
            }
            client?.close()
        }

        @Test("A request that cannot be put on record is not delivered")
        func fullDisk() async throws {
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/sessions.sqlite"
            try await withHost(in: folder, configure: { $0.store = store }) { _ in }
            try await withHost(
                in: folder,
                configure: {
                    $0.store = store
                    $0.maximumStorePages = 1
                }
            ) { live in
                let shop = Shop()
                try await live.plugin("shop") { $0.respond(shop, to: OrderMessagesList.self) }
                let client = try await live.client()
                var failure: MessageError?
                // The last page may have room for some records.
                for _ in 0..<200 where failure == nil {
                    do {
                        _ = try await client.chain.orderPlace(item: "tea")
                    } catch let error as MessageError {
                        failure = error
                    }
                }
                let handled = shop.ids.count
                let error = try #require(failure)
                #expect(!error.mayHaveBeenHandled || error.code == .peerLost)
                #expect(error.detail.contains("disk is full"))
                let second = await #expect(throws: MessageError.self) {
                    for _ in 0..<200 { _ = try await client.chain.orderPlace(item: "tea") }
                }
                #expect(second?.code == .overloaded)
                #expect(second?.mayHaveBeenHandled == false)
                #expect(shop.ids.count == handled)
            }
        }

        @Test("Requests beyond a peer's credits are refused as overloaded, and counted")
        func credits() async throws {
            try await withHost { live in
                let greeter = Greeter("greeter")
                try await live.plugin("greeter") { $0.respond(greeter, to: GreetingMessagesList.self) }
                let raw = try live.raw()
                _ = try await raw.hello("greedy", role: .operator)
                let link = try #require(live.link(named: "greedy"))
                var bytes = link.traffic.receivedBytes.count
                for id in 1...(Credits.ofPeer + 1) {
                    var frame = Frame(.request)
                    frame.id = UInt64(id)
                    frame.name = "greetingForever"
                    frame.payload = try CBOREncoder().encode([String: String]())[...]
                    let encoded = frame.encoded()
                    try raw.send(encoded)
                    bytes += UInt64(encoded.count)
                    // The socket would drop frames that exceed its queue.
                    guard id.isMultiple(of: 200) else { continue }
                    try await live.until("they are read") { link.traffic.receivedBytes.count >= bytes }
                }
                let end = try await answer(of: raw, to: UInt64(Credits.ofPeer + 1))
                #expect(try error(end)?.code == .overloaded)
                #expect(live.host.hub.counters.values["failed: overloaded"] == 1)
            }
        }
    }
}
