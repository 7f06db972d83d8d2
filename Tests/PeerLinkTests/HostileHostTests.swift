import TestKit
import Bus
import CBOR
import Messaging
import Testing
import ZeroMQ

@testable import PeerLink

/// A peer whose host sends what no correct host sends.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct HostileHostTests {
    /// Runs a body with a ready link to a fake host. Afterwards the link must be ready, perhaps again, and its requests
    /// must get replies.
    /// - Parameter heartbeat: the interval in milliseconds, short where the peer must notice that its link is lost. What
    ///   is published while a busy machine lets a link become silent does not arrive.
    private func withLink(
        heartbeat: Int = 60_000, answerTimeout: Duration = .milliseconds(200),
        _ body: @MainActor (FakeHost, Link) async throws -> Void
    ) async throws {
        let context = SocketContext()
        let host = try FakeHost(heartbeat: heartbeat)
        var configuration = LinkConfiguration(
            endpoint: host.endpoint, role: .plugin, peer: "victim", context: context)
        configuration.machine.answerTimeout = answerTimeout
        configuration.requestTimeout = .seconds(3600)
        let link = Link(configuration)
        defer {
            link.stop()
            host.close()
            #expect(host.context.openSockets == 0)
            #expect(context.openSockets == 0)
        }
        link.start()
        try await host.until("the link is ready") { link.isReady }
        try await body(host, link)
        try await answer(host, link)
    }

    /// Sends a request and expects its reply. A request that is lost with its link is sent again.
    private func answer(_ host: FakeHost, _ link: Link) async throws {
        var frame = Frame(.request)
        frame.name = "echo"
        for _ in 0..<20 {
            try await host.until("the link is ready") { link.isReady }
            do {
                return #expect(try await Array(link.request(frame.encoded(), message: "echo")) == [0xA0])
            } catch let error as MessageError where error.code == .peerLost {
                continue
            }
        }
        Issue.record("every request was lost with its link")
    }

    @Test("Every message from a hostile host is accepted or counted with a reason")
    func noise() async throws {
        try await withLink(heartbeat: 1000) { host, link in
            let frames = HostileFrames.frames(4000, seed: 5)
            for batch in stride(from: 0, to: frames.count, by: 200) {
                for bytes in frames[batch..<(batch + 200)] {
                    // A valid refusal would stop the link for good.
                    if let frame = try? Frame(bytes), frame.kind == .refusal { continue }
                    host.say(bytes)
                    // Only frames with the topic of a delta or a beacon reach the subscription.
                    try host.publish(Frame.topic(.delta) + bytes.dropFirst(3))
                    try host.publish(Frame.topic(.beacon) + bytes.dropFirst(3))
                }
                // The reply arrives after the hostile frames.
                try await answer(host, link)
            }
            for reason in [
                "tooShort", "notOurs", "otherVersion", "unknownKind", "wrongLength", "badText", "badPayload",
            ] {
                #expect(link.drops[reason, default: 0] > 0, "\(reason) is not counted")
            }
            #expect(link.drops.count < 20)
        }
    }

    @Test("Multipart messages are counted")
    func parts() async throws {
        try await withLink { host, link in
            let heartbeat = Frame(.heartbeat).encoded()
            for count in [2, 3, 1000] { host.say(parts: [[UInt8]](repeating: heartbeat, count: count)) }
            host.say(parts: [[], heartbeat])
            try await host.until("all messages are counted") { link.drops["notOurs"] == 4 }
        }
    }

    @Test("A frame above the size limit disconnects the host, and the peer attaches again")
    func oversize() async throws {
        try await withLink(heartbeat: 1000) { host, link in
            let hellos = host.hellos
            host.say([UInt8](repeating: Frame.magic, count: Frame.maximumSize + 1))
            try await host.until("the peer says hello again") { host.hellos > hellos }
        }
    }

    @Test("Replies without a request, and copies of a held reply, are not kept")
    func ends() async throws {
        try await withLink { host, link in
            var end = Frame(.reply)
            end.revision = .max
            for id in 1...1000 as ClosedRange<UInt64> {
                end.id = id
                host.say(end.encoded())
            }
            try await host.until("all replies are counted") { link.drops["end of no request"] == 1000 }
            #expect(!link.traffic.requests.hasHeldEnds)
        }
    }

    @Test("Changes after a revision that was never reached, or from another life of the host, are ignored")
    func otherLife() async throws {
        let context = SocketContext()
        let host = try FakeHost()
        host.stray = 9
        let link = Link(LinkConfiguration(endpoint: host.endpoint, role: .plugin, peer: "victim", context: context))
        defer {
            link.stop()
            host.close()
            #expect(host.context.openSockets == 0)
        }
        var actions: [DependencyReplica.Action] = []
        let events = LinkEvents(link)
        defer { withExtendedLifetime(events) {} }
        events.onChange = { actions.append($0) }
        link.start()
        try await host.until("the link is ready") { link.isReady }
        #expect(actions == [.apply([:])])
        #expect(link.replica.revision == 1)
        var delta = Frame(.delta)
        (delta.previous, delta.revision) = (1, 2)
        for (epoch, value) in [(99, 5), (1, 6)] as [(UInt64, UInt8)] {
            delta.epoch = epoch
            delta.payload = DependencyPayload.encode(["total": [value]])[...]
            try host.publish(delta.encoded())
        }
        try await host.until("the change has arrived") { actions.count == 2 }
        #expect(actions.last == .apply(["total": [6]]))
    }

    @Test("A request of an earlier link is not answered on the next link, where another request may have its id")
    func earlierLink() async throws {
        try await withLink { host, link in
            var requests: [(Frame, UInt64)] = []
            let events = LinkEvents(link)
            defer { withExtendedLifetime(events) {} }
            events.onRequest = { requests.append(($0, link.generation)) }
            var request = Frame(.request)
            request.id = 5
            request.name = "ask"
            host.say(request.encoded())
            try await host.until("the request has arrived") { requests.count == 1 }
            let hellos = host.hellos
            host.say(Frame(.goodbye).encoded())
            try await host.until("the link is ready again") { host.hellos > hellos && link.isReady }
            host.say(request.encoded())
            try await host.until("the second request has arrived") { requests.count == 2 }
            for (frame, generation) in requests { link.reply(to: frame, of: generation, with: 1) }
            try await host.until("one request is answered") { host.replies.count == 1 }
            #expect(link.drops["reply to an earlier link"] == 1)
        }
    }

    @Test("Requests that are cancelled while they wait for the link are not sent, and the others are")
    func givenUp() async throws {
        let context = SocketContext()
        let host = try FakeHost()
        var configuration = LinkConfiguration(
            endpoint: host.endpoint, role: .plugin, peer: "victim", context: context)
        // However long a busy machine takes until the link is ready.
        configuration.requestTimeout = .seconds(3600)
        let link = Link(configuration)
        defer {
            link.stop()
            host.close()
            #expect(host.context.openSockets == 0)
        }
        var frame = Frame(.request)
        frame.name = "echo"
        let bytes = frame.encoded()
        let asking = (0..<500).map { _ in Task.immediate { try await link.request(bytes, message: "echo") } }
        #expect(link.pendingCount == 500)
        for (number, task) in asking.enumerated() where number % 5 > 0 { task.cancel() }
        #expect(link.pendingCount == 100)
        #expect(link.traffic.requests.unsentCount == 100)
        link.start()
        for (number, task) in asking.enumerated() {
            if number % 5 > 0 {
                await #expect(throws: CancellationError.self) { try await task.value }
            } else {
                #expect(try await Array(task.value) == [0xA0])
            }
        }
        #expect(!link.traffic.requests.hasQueued)
        #expect(link.traffic.requests.inFlight == 0)
        #expect(host.requests == 100)
    }

    @Test("A cancelled caller returns at once, even when its reply is held until the container is up to date")
    func cancelledByTheChange() async throws {
        try await withLink { host, link in
            var frame = Frame(.request)
            frame.name = "echo"
            let bytes = frame.encoded()
            host.repliedRevision = 2
            let asking = Task { try await link.request(bytes, message: "echo") }
            try await host.until("the reply waits") { link.traffic.requests.hasHeldEnds }
            // As with a scene that closes because of the change that its own request made.
            let events = LinkEvents(link)
            defer { withExtendedLifetime(events) {} }
            events.onChange = { _ in
                asking.cancel()
                #expect(link.pendingCount == 0)
                #expect(!link.traffic.requests.hasHeldEnds)
            }
            var delta = Frame(.delta)
            (delta.epoch, delta.previous, delta.revision) = (1, 1, 2)
            delta.payload = DependencyPayload.encode(["total": [1]])[...]
            try host.publish(delta.encoded())
            await #expect(throws: CancellationError.self) { try await asking.value }
        }
    }

    @Test("A request whose caller is already cancelled ends as cancelled and is not sent")
    func cancelledBefore() async throws {
        try await withLink { host, link in
            var frame = Frame(.request)
            frame.name = "echo"
            let bytes = frame.encoded()
            let asking = Task { try await link.request(bytes, message: "echo") }
            asking.cancel()
            await #expect(throws: CancellationError.self) { try await asking.value }
            #expect(link.pendingCount == 0)
            // If the request had been sent, it would arrive before this one.
            try await answer(host, link)
            #expect(host.requests == 1)
        }
    }

    @Test("Invalid publisher addresses are counted under one reason, whatever their text")
    func addresses() async throws {
        // On a busy machine a welcome may take a while. One that comes too late is not looked at.
        try await withLink(answerTimeout: .seconds(1)) { host, link in
            @MainActor func refused() -> [String: Int] { link.drops.filter { $0.key.hasPrefix("subscribe") } }
            let right = host.publisher
            host.publisher = "nonsense"
            host.say(Frame(.goodbye).encoded())
            for number in 0..<3 {
                let count = refused().values.reduce(0, +)
                host.publisher = "nonsense://\(number)"
                try await host.until("the link refuses the address") { refused().values.reduce(0, +) > count }
            }
            #expect(refused().count == 1)
            host.publisher = right
        }
    }
}
