import Messaging
@testable import Hub
import TestKit
import Bus
import CBOR
import CoordinatorKit
import Glibc
import SceneWorker
import Testing

@testable import SceneHost

extension LiveTests {
    /// Requests that arrive before their handler has attached, or after it has detached because the host is shutting
    /// down.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct WaitingForHandlersTests {
        private let message = MessageID(high: 7, low: 7)

        private func ask(
            _ id: UInt64, _ name: String = "shopAsk", _ delivery: MessageDelivery = .atMostOnce,
            isCopy: Bool = false, deadline: UInt64 = 0
        ) -> [UInt8] {
            var frame = Frame(.request)
            frame.id = id
            frame.name = name
            frame.delivery = delivery
            frame.deadline = deadline
            if delivery == .once { frame.messageID = message }
            if isCopy { frame.flags.insert(.copy) }
            frame.payload = [0xA0]
            return frame.encoded()
        }

        private func end(_ raw: RawPeer) async throws -> Frame {
            while true {
                let frame = try await raw.next()
                if frame.kind == .reply || frame.kind == .failure { return frame }
            }
        }

        private func error(_ frame: Frame) throws -> MessageError {
            try #require(try frame.decodePayload(as: FailureEncoding.self).error as? MessageError)
        }

        /// Attaches a peer that handles `shopAsk`, and offers the service `shop`.
        private func shop(_ live: LiveHost, as name: String = "shop", credits: Int? = nil) async throws -> RawPeer {
            let raw = try live.raw()
            let hello = Hello(
                role: .plugin, peer: name, pid: 1, endpoint: "", handles: ["shopAsk"], services: ["shop"],
                credits: credits)
            repeat { try raw.send(Frame(.hello).encoded(payload: hello)) } while try await raw.next().kind == .refusal
            return raw
        }

        private func reply(to frame: Frame, of raw: RawPeer) throws {
            var reply = Frame(.reply)
            reply.id = frame.id
            reply.payload = [UInt8(frame.payload.count)]
            try raw.send(reply.encoded())
        }

        private func buyer(_ live: LiveHost) async throws -> (raw: RawPeer, link: HubLink) {
            let raw = try live.raw()
            _ = try await raw.hello("buyer", role: .operator)
            return (raw, try #require(live.link(named: "buyer")))
        }

        /// Runs a host, and then its next life.
        private func withLaterLife(
            after before: @MainActor (LiveHost) async throws -> Void = { _ in },
            delegate: AppDelegate = AppDelegate(), handles: [any ResponderMessageList.Type] = [],
            _ body: @MainActor (LiveHost) async throws -> Void
        ) async throws {
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/sessions.sqlite"
            try await withHost(in: folder, configure: { $0.store = store }) { try await before($0) }
            try await withHost(in: folder, delegate: delegate, handles: handles, configure: { $0.store = store }) {
                live in
                expectLonger(live)
                try await body(live)
            }
        }

        /// A busy machine may be slow.
        private func expectLonger(_ live: LiveHost) {
            let isLaterLife = live.host.hub.router.expectation.isLaterLife
            live.host.hub.router.expectation = HandlerExpectation(
                opening: .now + .seconds(60), isLaterLife: isLaterLife)
        }

        // MARK: - A later life

        @Test("In a later life, every kind of request that arrives before its handler waits for it")
        func waits() async throws {
            try await withLaterLife { live in
                let (buyer, link) = try await buyer(live)
                try buyer.send(ask(1))
                try buyer.send(ask(2, "shopAsk", .idempotent, isCopy: true))
                try buyer.send(ask(3, "shopAsk", .once))
                try buyer.send(ask(4, "shop/ask"))
                try buyer.send(ask(4, "shop/ask"))
                try await live.until("all requests wait") {
                    live.host.hub.counters.values["dropped: request with an id that is in use"] == 1
                }
                #expect(live.host.hub.router.state.awaiting.count == 4)
                // A host that is killed at this moment has no record of the request.
                #expect(live.host.life?.once.count == 0)
                let shop = try await shop(live)
                var names: [String] = []
                for _ in 1...4 {
                    let request = try await shop.next(.request)
                    names.append(request.name)
                    try reply(to: request, of: shop)
                }
                // The once request is put on record first, so it may arrive later than the others.
                #expect(names.sorted() == ["shop/ask", "shopAsk", "shopAsk", "shopAsk"])
                var ids: Set<UInt64> = []
                for _ in 1...4 {
                    let end = try await end(buyer)
                    #expect(end.kind == .reply)
                    ids.insert(end.id)
                }
                #expect(ids == [1, 2, 3, 4])
                #expect(link.inFlight == 0)
                #expect(link.traffic.awaiting.isEmpty)
                #expect(live.host.hub.router.state.awaiting.bytes == 0)
            }
        }

        @Test("Requests beyond their handler's credits wait, and none is refused")
        func credits() async throws {
            try await withLaterLife { live in
                let (buyer, _) = try await buyer(live)
                for id in 1...9 as ClosedRange<UInt64> { try buyer.send(ask(id)) }
                try await live.until("the excess requests wait") { live.host.hub.router.state.awaiting.count == 9 }
                let shop = try await shop(live, credits: 4)
                for _ in 1...9 {
                    let request = try await shop.next(.request)
                    #expect(live.link(named: "shop")?.pending ?? 0 <= 4)
                    try reply(to: request, of: shop)
                }
                for _ in 1...9 { #expect(try await end(buyer).kind == .reply) }
                #expect(live.host.hub.router.state.awaiting.count == 0)
            }
        }

        @Test("Requests that wait for a busy handler are neither sent to another one nor refused")
        func secondHandler() async throws {
            try await withLaterLife { live in
                let (buyer, _) = try await buyer(live)
                for id in 1...9 as ClosedRange<UInt64> { try buyer.send(ask(id)) }
                try await live.until("the excess requests wait") { live.host.hub.router.state.awaiting.count == 9 }
                let first = try await shop(live, as: "first", credits: 4)
                var requests: [Frame] = []
                for _ in 1...4 { requests.append(try await first.next(.request)) }
                let second = try await shop(live, as: "second", credits: 4)
                // The host has processed the heartbeat's credits.
                var heartbeat = Frame(.heartbeat)
                heartbeat.id = 1
                heartbeat.payload = try CBOREncoder().encode(Heartbeat(received: 0))[...]
                try second.send(heartbeat.encoded())
                _ = try await second.next(.heartbeat)
                #expect(live.host.hub.router.state.awaiting.count == 5)
                for request in requests { try reply(to: request, of: first) }
                for _ in 5...9 { try reply(to: try await first.next(.request), of: first) }
                for _ in 1...9 { #expect(try await end(buyer).kind == .reply) }
            }
        }

        @Test("A request that a handler passes on waits for the next handler, too")
        func passedOn() async throws {
            try await withLaterLife { live in
                let (buyer, _) = try await buyer(live)
                var frame = try Frame(ask(1))
                frame.flags.insert(.passedOn)
                try buyer.send(frame.encoded())
                try await live.until("the request waits") { live.host.hub.router.state.awaiting.count == 1 }
                let shop = try await shop(live)
                try reply(to: try await shop.next(.request), of: shop)
                #expect(try await end(buyer).kind == .reply)
            }
        }

        @Test("A copy of a once request does not wait at a host without a store, which must not deliver it")
        func copyWithoutStore() async throws {
            try await withHost(in: try TemporaryFolder()) { live in
                live.host.hub.router.expectation = HandlerExpectation(opening: .now + .seconds(60), isLaterLife: true)
                let (buyer, _) = try await buyer(live)
                try buyer.send(ask(1, "shopAsk", .once, isCopy: true))
                #expect(try error(try await end(buyer)).code == .peerLost)
            }
        }

        @Test("A request without a handler is unhandled after the waiting time, or times out at its deadline")
        func nobodyComes() async throws {
            try await withLaterLife { live in
                let router = live.host.hub.router
                let raw = try live.raw()
                let clock = try await raw.hello("buyer", role: .operator).decodePayload(as: Welcome.self).clock
                try raw.send(ask(1, deadline: clock + 50_000))
                try raw.send(ask(2, "shop/ask", deadline: clock + 50_000))
                for _ in 1...2 {
                    let late = try error(try await end(raw))
                    #expect(late.code == .timeout)
                    #expect(!late.mayHaveBeenHandled)
                }
                let opening = MonotonicInstant.now - HandlerExpectation.peerTime + .milliseconds(300)
                router.expectation = HandlerExpectation(opening: opening, isLaterLife: true)
                for (id, delivery) in [(3, .atMostOnce), (4, .once)] as [(UInt64, MessageDelivery)] {
                    try raw.send(ask(id, "shopAsk", delivery))
                }
                for _ in 3...4 { #expect(try error(try await end(raw)).code == .unhandled) }
                #expect(MonotonicInstant.now >= opening + HandlerExpectation.peerTime)
                #expect(live.link(named: "buyer")?.inFlight == 0)
            }
        }

        @Test("A message that the host's own chain handles does not wait")
        func known() async throws {
            try await withLaterLife(delegate: NowhereDelegate(), handles: [NowhereMessagesList.self]) { live in
                let (buyer, _) = try await buyer(live)
                for bytes in [ask(1, "nowhereGo"), ask(3, "sceneContent")] {
                    try buyer.send(bytes)
                    _ = try await end(buyer)
                    #expect(live.host.hub.router.state.awaiting.count == 0)
                }
            }
        }

        @Test("A copy of a request on record is answered before its handler is back")
        func record() async throws {
            try await withLaterLife(after: { live in
                let shop = try await shop(live)
                let (buyer, _) = try await buyer(live)
                try buyer.send(ask(1, "shopAsk", .once))
                try reply(to: try await shop.next("shopAsk"), of: shop)
                #expect(try await end(buyer).kind == .reply)
            }) { live in
                let (buyer, _) = try await buyer(live)
                try buyer.send(ask(1, "shopAsk", .once, isCopy: true))
                #expect(try await end(buyer).kind == .reply)
            }
        }

        @Test("A waiting request that its sender cancels, or whose sender leaves, is not delivered")
        func givenUp() async throws {
            try await withLaterLife { live in
                let (buyer, link) = try await buyer(live)
                for (id, delivery) in [(1, .atMostOnce), (2, .once), (3, .idempotent)] as [(UInt64, MessageDelivery)] {
                    try buyer.send(ask(id, "shopAsk", delivery))
                }
                for id in [1, 2] as [UInt64] {
                    var cancel = Frame(.cancel)
                    cancel.id = id
                    try buyer.send(cancel.encoded())
                    let end = try await end(buyer)
                    #expect(end.id == id)
                    #expect(try error(end).code == .timeout)
                    #expect(try !error(end).mayHaveBeenHandled)
                }
                #expect(link.inFlight == 1)
                try buyer.send(Frame(.goodbye).encoded())
                try await live.until("the buyer is detached") { live.link(named: "buyer") == nil }
                #expect(live.host.hub.router.state.awaiting.count == 0)
                let shop = try await shop(live)
                let (other, _) = try await self.buyer(live)
                try other.send(ask(9, "shop/ask"))
                #expect(try await shop.next(.request).name == "shop/ask")
            }
        }

        @Test("One request beyond the limit of waiting requests is refused as overloaded")
        func overloaded() async throws {
            try await withLaterLife { live in
                live.host.hub.router.state.awaiting = AwaitingRequests(limits: .init(count: 1))
                let (buyer, _) = try await buyer(live)
                try buyer.send(ask(1))
                try buyer.send(ask(2))
                let end = try await end(buyer)
                #expect(end.id == 2)
                #expect(try error(end).code == .overloaded)
                #expect(try !error(end).mayHaveBeenHandled)
            }
        }

        @Test("A waiting request is refused when its session is closed meanwhile")
        func staleToken() async throws {
            try await withLaterLife { live in
                let worker = try await live.worker("wall")
                let client = try await live.client()
                let session = try await client.open()
                let screen = try #require(worker.screen)
                let asking = Task { try await screen.chain.nowhereGo(to: "x") }
                try await live.until("the request waits") { live.host.hub.router.state.awaiting.count == 1 }
                try await client.chain.hostCloseSession(session: session)
                let handler = try live.raw()
                _ = try await handler.hello("handler", handles: ["nowhereGo"])
                let error = await #expect(throws: MessageError.self) { try await asking.value }
                #expect(error?.code == .unauthorized)
                #expect(live.link(named: "handler")?.pending == 0)
            }
        }

        // MARK: - Plugins of the host's own, and its end

        /// A plugin that handles `shopAsk`, never attaches, and exits when its fifo is opened.
        private func stubbornPlugin(in folder: TemporaryFolder) throws -> (ready: String, fifo: String) {
            let path = "\(folder.path)/plugins/shop"
            try folder.write(
                """
                {"id": "shop", "version": "1", "protocol": {"min": 1, "max": 1}, "executable": "run",
                 "handles": ["shopAsk"], "startSeconds": 0}
                """, to: "plugins/shop/plugin.json")
            let executable = try folder.write(
                "#!/bin/sh\ntrap '' TERM\n: > ready\nread x < fifo\n", to: "plugins/shop/run")
            #expect(chmod(executable, 0o755) == 0)
            #expect(mkfifo("\(path)/fifo", 0o600) == 0)
            return ("\(path)/ready", "\(path)/fifo")
        }

        @Test(
            "While the host stops its plugins, ordinary requests fail as draining and others wait for the next life"
        )
        func ending() async throws {
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/sessions.sqlite"
            let (ready, fifo) = try stubbornPlugin(in: folder)
            try await withHost(
                in: folder,
                configure: {
                    $0.store = store
                    $0.plugins = ["\(folder.path)/plugins"]
                }
            ) { live in
                expectLonger(live)
                let (buyer, link) = try await buyer(live)
                // In a first life, no other handlers are expected.
                try buyer.send(ask(1, "nobodyAsk"))
                #expect(try error(try await end(buyer)).code == .unhandled)
                try buyer.send(ask(2))
                try await live.until("the request waits for the plugin") { link.traffic.awaiting.count == 1 }
                try await live.until("the plugin runs") {
                    try buyer.sendHeartbeat()
                    return access(ready, F_OK) == 0
                }
                let ending = Task { await live.endHost() }
                try await live.until("the host stops its plugins") { live.host.hub.router.expectation.isEnding }
                try buyer.send(ask(3, "shopAsk", .once))
                try buyer.send(ask(4, "shopAsk", .idempotent))
                try buyer.send(ask(5, "shop/ask"))
                try await live.until("the other requests wait") { link.traffic.awaiting.count == 4 }
                try await live.until("the plugin exits") {
                    let writing = open(fifo, O_WRONLY | O_NONBLOCK)
                    return writing >= 0 && close(writing) == 0
                }
                for id in [2, 5] as [UInt64] {
                    let end = try await end(buyer)
                    #expect(end.id == id)
                    #expect(try error(end).code == .draining)
                    #expect(try !error(end).mayHaveBeenHandled)
                }
                // The others get no reply.
                #expect(try await buyer.next().kind == .goodbye)
                try buyer.send(Frame(.goodbye).encoded())
                await ending.value
            }
            try await withHost(in: folder, configure: { $0.store = store }) { live in
                let shop = try await shop(live)
                let (buyer, _) = try await buyer(live)
                try buyer.send(ask(1, "shopAsk", .once, isCopy: true))
                try reply(to: try await shop.next("shopAsk"), of: shop)
                #expect(try await end(buyer).kind == .reply)
            }
        }

        @Test(
            "A once request that is put on record during the host's shutdown is left to the next life",
            arguments: [false, true])
        func onceWhileEnding(hasHandler: Bool) async throws {
            try await withLaterLife(after: { live in
                let router = live.host.hub.router
                let shop = try await shop(live)
                let (buyer, link) = try await buyer(live)
                let frame = try Frame(ask(1, "shopAsk", .once))
                let now = MonotonicInstant.now
                live.host.life?.once.received(frame, from: link, deadline: now + .seconds(10), now: now)
                if hasHandler {
                    router.stop()
                } else {
                    // The handler said goodbye before the record was on disk.
                    router.expectation.ends(at: now)
                    router.detached(try #require(live.link(named: "shop")), reason: "it said goodbye")
                }
                await live.host.life?.writer.finish()
                #expect(live.host.life?.once.count == 0)
                #expect(live.link(named: "shop")?.pending == 0)
                _ = (shop, buyer)
            }) { live in
                let shop = try await shop(live)
                let (buyer, _) = try await buyer(live)
                try buyer.send(ask(1, "shopAsk", .once, isCopy: true))
                try reply(to: try await shop.next("shopAsk"), of: shop)
                #expect(try await end(buyer).kind == .reply)
            }
        }
    }
}
