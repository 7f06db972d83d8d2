import Bus
import CBOR
import Messaging
import PeerLink
import TestKit
import Testing
import ZeroMQ
import MessageHandling

/// Several frames in one message, from a link to a host that declares that it accepts them.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct LinkBatchTests {
    private func withLink(batch: Int?, _ body: @MainActor (FakeHost, Link) async throws -> Void) async throws {
        let context = SocketContext()
        let host = try FakeHost()
        host.batch = batch
        var configuration = LinkConfiguration(endpoint: host.endpoint, role: .plugin, peer: "peer", context: context)
        // However long a busy machine takes.
        configuration.requestTimeout = .seconds(3600)
        let link = Link(configuration)
        link.start()
        defer {
            link.stop()
            host.close()
            #expect(host.context.openSockets == 0)
            #expect(context.openSockets == 0)
        }
        try await host.until("the link is ready") { link.isReady }
        try await body(host, link)
    }

    private func post(_ number: Int, _ link: Link) {
        var frame = Frame(.post)
        frame.name = "post\(number)"
        link.post(frame.encoded(), kind: .post)
    }

    @Test func `What is sent in one turn leaves in one message, in order`() async throws {
        try await withLink(batch: 64 << 10) { host, link in
            let messages = host.messageCount
            for number in 0..<100 { post(number, link) }
            try await host.until("all posts have come") { host.posts.count == 100 }
            #expect(host.posts.map(\.name) == (0..<100).map { "post\($0)" })
            // The turn may have ended once in between.
            #expect(host.messageCount - messages < 20)
        }
    }

    @Test func `A host that does not declare it gets each frame in a message of its own`() async throws {
        try await withLink(batch: nil) { host, link in
            let messages = host.messageCount
            for number in 0..<100 { post(number, link) }
            try await host.until("all posts have come") { host.posts.count == 100 }
            #expect(host.messageCount - messages >= 100)
        }
    }

    @Test func `What was sent just before the link is closed arrives`() async throws {
        try await withLink(batch: 64 << 10) { host, link in
            post(1, link)
            link.stop()
            try await host.until("the post has come") { host.posts.count == 1 }
        }
    }

    @Test func `Requests and their replies travel in messages of several frames`() async throws {
        try await withLink(batch: 64 << 10) { host, link in
            host.isReplying = false
            var frame = Frame(.request)
            frame.name = "ask"
            let bytes = frame.encoded()
            let asking = (0..<20).map { _ in Task { try await link.request(bytes, message: "ask") } }
            try await host.until("all requests have come") { host.requests == 20 }
            host.replyInOneMessage(20)
            for task in asking { #expect(try await task.value.elementsEqual([0xA0])) }
        }
    }

    @Test func `Frames that follow the one that closes the link are not handled`() async throws {
        try await withLink(batch: 64 << 10) { host, link in
            let events = LinkEvents(link)
            defer { withExtendedLifetime(events) {} }
            var posts = 0
            events.onPost = { _ in posts += 1 }
            var after = Frame(.post)
            after.name = "late"
            host.say(after.encoded() + Frame(.goodbye).encoded() + after.encoded())
            let hellos = host.hellos
            try await host.until("the link is open again") { host.hellos > hellos && link.isReady }
            #expect(posts == 1)
        }
    }

    @Test func `Requests that came before the link was ready begin before the frames that follow`() async throws {
        try await withUnstartedLink { host, link, events in
            host.isSynchronizing = false
            let receiver = MessageReceiver()
            receiver.registry.add(OrderMessagesList.self)
            let log = Log()
            events.onRequest = { receiver.receive($0, at: log, timeLeft: nil, from: link.requestSender) }
            events.onPost = { try? receiver.receive(post: $0, at: log) }
            link.start()
            try await host.until("the peer has asked for its snapshot") { host.synchronizations > 0 }
            func frame(_ kind: FrameKind, _ name: String, _ text: String, id: UInt64) throws -> [UInt8] {
                var frame = Frame(kind)
                frame.id = id
                frame.name = name
                frame.payload = try CBOREncoder().encode(["text": text])[...]
                return frame.encoded()
            }
            host.say(
                try frame(.request, "orderAsk", "1", id: 1) + frame(.post, "orderTell", "2", id: 0)
                    + frame(.request, "orderAsk", "3", id: 2) + frame(.request, "orderAsk", "4", id: 3))
            // The link becomes ready while this message is read.
            host.say(
                try host.snapshot() + frame(.post, "orderTell", "5", id: 0) + frame(.request, "orderAsk", "6", id: 4)
                    + frame(.post, "orderTell", "7", id: 0))
            try await host.until("all have come") { log.texts.count == 7 }
            #expect(log.texts == (1...7).map(String.init))
            try await host.until("all replies have come") { host.replies.count == 4 }
        }
    }
}

/// A message whose handlers take longer than a host waits for a silent peer.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct SlowBatchTests {
    @Test func `A link sends heartbeats while it works off a message, and each reports what was read so far`()
        async throws
    {
        let (host, context) = (try FakeHost(heartbeat: 1000), SocketContext())
        let link = Link(LinkConfiguration(endpoint: host.endpoint, role: .plugin, peer: "peer", context: context))
        let events = LinkEvents(link)
        defer {
            withExtendedLifetime(events) {}
            link.stop()
            host.close()
            #expect(context.openSockets == 0)
        }
        let receiver = MessageReceiver()
        receiver.registry.add(OrderMessagesList.self)
        let log = Log()
        let pause = Duration.milliseconds(40)
        events.onRequest = { request in
            let end = MonotonicInstant.now + pause
            while MonotonicInstant.now < end {}
            receiver.receive(request, at: log, timeLeft: nil, from: link.requestSender)
        }
        link.start()
        try await host.until("the link is ready") { link.isReady }
        var reports: Set<UInt64> = []
        host.onFrame = { frame in
            // A host sends both at the same interval.
            if frame.kind == .heartbeat { host.sendBeacon() }
            guard frame.kind == .heartbeat, !log.texts.isEmpty, log.texts.count < 100 else { return }
            if let heartbeat = try? frame.decodePayload(as: Heartbeat.self) { reports.insert(heartbeat.received) }
        }
        var message: [UInt8] = []
        for id in 1...100 as ClosedRange<UInt64> {
            var frame = Frame(.request)
            frame.id = id
            frame.name = "orderAsk"
            frame.payload = try CBOREncoder().encode(["text": "\(id)"])[...]
            message += frame.encoded()
        }
        let (hellos, start) = (host.hellos, MonotonicInstant.now)
        host.say(message)
        try await host.until("all replies have come") { host.replies.count == 100 || host.hellos > hellos }
        // The host is in this process. If other tests kept the loop busy meanwhile, the host was silent itself.
        let lost = MonotonicInstant.now - start - pause * log.texts.count
        guard host.hellos == hellos || lost < .seconds(1) else { return }
        #expect(log.texts == (1...100).map(String.init))
        #expect(reports.count > 1)
        #expect(link.isReady)
        #expect(host.hellos == hellos)
    }
}

@ResponderMessages
private protocol OrderMessages {
    func orderAsk(text: String) async throws
    func orderTell(text: String)
}

extension ResponderChain: OrderMessages {}

private final class Log: Responder, OrderMessages {
    private(set) var texts: [String] = []

    func orderAsk(text: String) async throws { texts.append(text) }
    func orderTell(text: String) { texts.append(text) }
}
