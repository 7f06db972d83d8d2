import Bus
import CBOR
import Messaging
import TestKit
import Testing
import ZeroMQ

@testable import PeerLink

/// What a link does with requests and entries, on a host that answers as a test lets it.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct LinkTests {
    /// Runs a body with a ready link to a fake host.
    func withLink(
        heartbeat: Int = 60_000, _ body: @MainActor (FakeHost, Link) async throws -> Void
    ) async throws {
        let context = SocketContext()
        let host = try FakeHost(heartbeat: heartbeat)
        var configuration = LinkConfiguration(
            endpoint: host.endpoint, role: .worker, peer: "wall", context: context)
        // However long a busy machine takes.
        configuration.requestTimeout = .seconds(3600)
        let link = Link(configuration)
        link.start()
        let result: Result<Void, any Error>
        do {
            try await host.until("the link is ready") { link.isReady }
            try await body(host, link)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        link.stop()
        host.close()
        #expect(context.openSockets == 0)
        try result.get()
    }

    func frame(_ name: String = "echo", session: String = "") -> [UInt8] {
        var frame = Frame(.request)
        frame.name = name
        frame.session = session
        return frame.encoded()
    }

    /// Publishes a change of an entry.
    private func publish(_ entries: [String: [UInt8]?], from previous: UInt64, by host: FakeHost) throws {
        var delta = Frame(.delta)
        (delta.epoch, delta.previous, delta.revision) = (1, previous, previous + 1)
        delta.payload = DependencyPayload.encode(entries)[...]
        try host.publish(delta.encoded())
    }

    @Test("A failure waits until the container has the revision that its handler reached, as a reply does")
    func failureIsHeld() async throws {
        try await withLink { host, link in
            host.repliedRevision = 2
            host.failure = MessageError(.overloaded, message: "echo")
            let asking = Task { try await link.request(frame(), message: "echo") }
            try await host.until("it is held") { link.traffic.requests.hasHeldEnds }
            #expect(link.replica.revision == 1)
            try publish(["total": [1]], from: 1, by: host)
            let error = await #expect(throws: MessageError.self) { try await asking.value }
            #expect(error?.code == .overloaded)
            #expect(link.replica.revision == 2)
        }
    }

    @Test("The requests of a session wait while its scene is suspended, and are sent with its new token")
    func suspended() async throws {
        try await withLink { host, link in
            link.grant("s", token: 4)
            link.suspend("s")
            let asking = Task { try await link.request(frame(session: "s"), message: "echo", session: "s") }
            let other = try await link.request(frame(), message: "echo")
            #expect(Array(other) == [0xA0])
            #expect(host.requests == 1)
            #expect(link.pendingCount == 1)
            link.grant("s", token: 5)
            _ = try await asking.value
            #expect(host.lastRequest?.session == "s")
            #expect(host.lastRequest?.token == 5)
        }
    }

    @Test("When a session is revoked, its requests that were not sent fail as not handled, and no other does")
    func revoked() async throws {
        try await withLink { host, link in
            link.suspend("s")
            let asking = Task { try await link.request(frame(session: "s"), message: "echo", session: "s") }
            try await host.until("it waits") { link.pendingCount == 1 }
            link.revoke("s", reason: "its session lives elsewhere")
            let error = await #expect(throws: MessageError.self) { try await asking.value }
            #expect(error?.code == .peerLost)
            #expect(error?.mayHaveBeenHandled == false)
            #expect(error?.detail.contains("lives elsewhere") == true)
            #expect(host.requests == 0)
        }
    }

    @Test("A post of a suspended session is dropped and counted")
    func suspendedPost() async throws {
        try await withLink { host, link in
            var post = Frame(.post)
            post.name = "note"
            post.session = "s"
            link.grant("s", token: 1)
            link.post(post.encoded(), kind: .post, session: "s")
            link.suspend("s")
            link.post(post.encoded(), kind: .post, session: "s")
            #expect(link.drops["session suspended"] == 1)
            try await host.until("the first has come") { host.posts.count == 1 }
        }
    }

    @Test("A request that times out is cancelled at the host, and gives its credit back")
    func timeout() async throws {
        try await withLink { host, link in
            host.isReplying = false
            let error = await #expect(throws: MessageError.self) {
                try await link.request(frame(), message: "echo", timeout: .milliseconds(50))
            }
            #expect(error?.code == .timeout)
            #expect(error?.mayHaveBeenHandled == true)
            #expect(link.traffic.requests.inFlight == 0)
            try await host.until("the host is told") { host.cancelled.count == 1 }
            #expect(host.cancelled == [host.lastRequest?.id])
        }
    }

    @Test("A request that may be sent again is sent again on the next link as a copy, and the others fail")
    func reconnect() async throws {
        try await withLink { host, link in
            host.isReplying = false
            let again = Task { try await link.request(frame("again"), message: "again", delivery: .idempotent) }
            let once = Task { try await link.request(frame("once"), message: "once") }
            try await host.until("both have come") { host.requests == 2 }
            host.isReplying = true
            let hellos = host.hellos
            host.say(Frame(.goodbye).encoded())
            let error = await #expect(throws: MessageError.self) { try await once.value }
            #expect(error?.code == .peerLost)
            #expect(error?.mayHaveBeenHandled == true)
            #expect(Array(try await again.value) == [0xA0])
            #expect(host.hellos == hellos + 1)
            #expect(host.lastRequest?.name == "again")
            #expect(host.lastRequest?.flags.contains(.copy) == true)
        }
    }

    @Test("Only so many requests wait for the link; one more is overloaded at once")
    func waiting() async throws {
        let context = SocketContext()
        var configuration = LinkConfiguration(
            endpoint: "ipc:///nowhere/bus", role: .plugin, peer: "shop", context: context)
        configuration.maximumWaiting = 2
        configuration.requestTimeout = .seconds(3600)
        let link = Link(configuration)
        let bytes = frame()
        let asking = (0..<2).map { _ in Task.immediate { try await link.request(bytes, message: "echo") } }
        #expect(link.pendingCount == 2)
        let error = await #expect(throws: MessageError.self) { try await link.request(bytes, message: "echo") }
        #expect(error?.code == .overloaded)
        #expect(error?.mayHaveBeenHandled == false)
        link.stop()
        for task in asking {
            let error = await #expect(throws: MessageError.self) { try await task.value }
            #expect(error?.code == .peerLost)
            #expect(error?.mayHaveBeenHandled == false)
        }
    }

    /// Lets a link attach again, to a host that grants it credits and replies to none of its requests.
    private func attachAgain(_ link: Link, to host: FakeHost, credits: Int) async throws {
        host.credits = credits
        let hellos = host.hellos
        host.say(Frame(.goodbye).encoded())
        try await host.until("it is attached again") { host.hellos > hellos && link.isReady }
        host.isReplying = false
    }

    @Test("A host's credits bound the requests on their way, and the others follow in their order")
    func credits() async throws {
        try await withLink { host, link in
            try await attachAgain(link, to: host, credits: 2)
            let asking = (0..<5).map { number in
                Task.immediate { try await link.request(frame("\(number)"), message: "echo") }
            }
            try await host.until("two have come") { host.requests == 2 }
            try await host.turn()
            #expect(host.requests == 2)
            #expect(link.traffic.requests.unsentCount == 3)
            host.isReplying = true
            host.replyToLast(2)
            for task in asking { _ = try await task.value }
            #expect(host.requestNames == ["0", "1", "2", "3", "4"])
        }
    }

    @Test("Entries that no peer sets again in the host's next life are removed after a while")
    func nextLife() async throws {
        try await withLink { host, link in
            let events = LinkEvents(link)
            defer { withExtendedLifetime(events) {} }
            var container: [String: [UInt8]] = [:]
            events.keys = { Set(container.keys) }
            events.onChange = { action in
                guard case .apply(let entries) = action else { return }
                for (key, value) in entries.values { container[key] = value }
            }
            try publish(["total": [1]], from: 1, by: host)
            try await host.until("it has come") { container == ["total": [1]] }
            host.epoch = 2
            let hellos = host.hellos
            host.say(Frame(.goodbye).encoded())
            try await host.until("it is attached again") { host.hellos > hellos && link.isReady }
            #expect(container == ["total": [1]])
            try await host.until("it is removed") {
                host.sendBeacon()
                return container.isEmpty
            }
        }
    }

    @Test("Entries that are set while the link is down are dropped and counted: they are set again when it is ready")
    func publishWithoutLink() async throws {
        let link = Link(
            LinkConfiguration(endpoint: "ipc:///nowhere/bus", role: .plugin, peer: "shop", context: SocketContext()))
        link.publish(["total": [1]])
        #expect(link.drops["not connected: publish"] == 1)
        link.stop()
    }

    @Test("A cancelled request gives its credit back to the next one")
    func cancelledCredit() async throws {
        try await withLink { host, link in
            try await attachAgain(link, to: host, credits: 1)
            let first = Task.immediate { try await link.request(frame("first"), message: "first") }
            let second = Task.immediate { try await link.request(frame("second"), message: "second") }
            try await host.until("the first has arrived") { host.requestNames == ["first"] }
            host.isReplying = true
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            try await host.until("the second has arrived") { host.requestNames == ["first", "second"] }
            #expect(Array(try await second.value) == [0xA0])
        }
    }
}
