import Bus
import CBOR
import Messaging
import TestKit
import Testing

@testable import PeerLink
@testable import ZeroMQ

/// How a link begins and ends.
extension LinkTests {
    @Test("A request that is cancelled before the link is ready does not reach the handlers")
    func cancelledEarly() async throws {
        try await withUnstartedLink { host, link, events in
            host.isSynchronizing = false
            var names: [String] = []
            events.onRequest = { names.append($0.name) }
            link.start()
            try await host.until("the peer waits for its snapshot") { link.traffic.machine.state == .synchronizing }
            for (id, name) in [(1, "cancelled"), (2, "kept")] as [(UInt64, String)] {
                var request = Frame(.request)
                request.id = id
                request.name = name
                host.say(request.encoded())
            }
            var cancel = Frame(.cancel)
            cancel.id = 1
            host.say(cancel.encoded())
            // The snapshot arrives after the requests and the cancel.
            host.synchronize()
            try await host.until("the link is ready") { link.isReady }
            #expect(names == ["kept"])
        }
    }

    @Test("A peer that is told to wait for its turn says hello again on the same connection, with its windows as new")
    func waitsForItsTurn() async throws {
        try await withUnstartedLink(role: .plugin) { host, link, events in
            var busy = Refusal(.busy, "many peers")
            busy.wait = 100
            host.refusal = busy
            var losses: [LinkMachine.Loss] = []
            events.onLost = { losses.append($0) }
            link.start()
            try await host.until("the peer has been refused six times") { host.hellos >= 6 }
            host.refusal = nil
            try await host.until("the link is ready") { link.isReady }
            #expect(host.connections == 1)
            #expect(Set(losses) == [.refused(Refusal(.busy, "many peers"))])
            // Nothing of the refused hellos counts.
            #expect(link.traffic.sendWindow.outstanding < 1000)
            link.stop()
            // A link that is stopped while it waits for its turn leaves no socket.
            host.refusal = busy
            let other = Link(
                LinkConfiguration(
                    endpoint: host.endpoint, role: .plugin, peer: "other", context: link.configuration.context))
            other.start()
            let hellos = host.hellos
            try await host.until("the other peer has been refused") {
                if case .waiting = other.traffic.machine.state { host.hellos > hellos } else { false }
            }
            other.stop()
        }
    }

    @Test("What is published when the link becomes ready arrives before the requests that have waited for it")
    func publishedBeforeRequests() async throws {
        try await withUnstartedLink(role: .plugin) { host, link, events in
            var kinds: [FrameKind] = []
            host.onFrame = { if [.publish, .request].contains($0.kind) { kinds.append($0.kind) } }
            events.onReady = { _ in link.publish(["price": [5]]) }
            let asking = Task.immediate { try await link.request(frame(), message: "reprice") }
            link.start()
            _ = try await asking.value
            #expect(kinds == [.publish, .request])
        }
    }

    @Test("Frames that are lost with their link are counted")
    func lostWithTheLink() async throws {
        try await withUnstartedLink { host, link, events in
            var lossCount = 0
            events.onLost = { _ in lossCount += 1 }
            link.start()
            try await host.until("the link is ready") { link.isReady }
            var post = Frame(.post)
            post.name = "note"
            // The host detaches the peer, which ends its link; what follows belongs to no link.
            var refusal = Frame(.refusal)
            refusal.payload = try CBOREncoder().encode(Refusal(.unknownLink, "say hello again"))[...]
            host.say(refusal.encoded() + post.encoded() + post.encoded())
            try await host.until("the link is lost") { lossCount == 1 }
            try await host.until("both posts are counted") { link.drops["link lost"] == 2 }
        }
    }

    @Test("A reply that is made between two links is counted and not sent on the next one", arguments: [false, true])
    func betweenLinks(isWindowFull: Bool) async throws {
        try await withUnstartedLink { host, link, events in
            var requests: [(frame: Frame, generation: UInt64)] = []
            var lossCount = 0
            events.onRequest = { requests.append(($0, link.generation)) }
            events.onLost = { _ in
                lossCount += 1
                guard lossCount == 1, let (frame, generation) = requests.first else { return }
                link.reply(to: frame, of: generation, with: 1)
            }
            link.start()
            try await host.until("the link is ready") { link.isReady }
            var request = Frame(.request)
            request.id = 5
            request.name = "ask"
            host.say(request.encoded())
            try await host.until("the request has arrived") { requests.count == 1 }
            if isWindowFull { link.traffic.sendWindow.sent(32 << 20, at: .now) }
            host.say(Frame(.goodbye).encoded())
            try await host.until("the link is ready again") { lossCount == 1 && link.isReady }
            #expect(link.drops["reply to an earlier link"] == 1)
            host.say(request.encoded())
            try await host.until("the second request has arrived") { requests.count == 2 }
            link.reply(to: requests[1].frame, of: requests[1].generation, with: 2)
            try await host.until("it is answered") { !host.replies.isEmpty }
            #expect(host.replies.count == 1)
        }
    }

    @Test("Messages that wait behind a paused one are counted when their link is lost")
    func lostBehindPaused() async throws {
        try await withUnstartedLink { host, link, events in
            @MainActor func pause() { link.traffic.dealer?.continueLater { pause() } }
            events.onPost = { _ in pause() }
            link.start()
            try await host.until("the link is ready") { link.isReady }
            var post = Frame(.post)
            post.name = "note"
            host.say(post.encoded())
            host.say(post.encoded() + post.encoded())
            host.say(post.encoded())
            try await host.until("two messages wait") { link.traffic.dealer?.paused.held.count == 2 }
            link.stop()
            #expect(link.drops["link lost"] == 3)
        }
    }

    @Test("Requests that wait for the link fail with the reason when the host refuses the peer for good")
    func refusedForGood() async throws {
        try await withUnstartedLink(role: .plugin) { host, link, events in
            host.refusal = Refusal(.version, "speak another version")
            var isRefused = false
            events.onRefused = { _ in isRefused = true }
            let asking = Task.immediate { try await link.request(frame(), message: "echo") }
            link.start()
            try await host.until("the peer is refused") { isRefused }
            // A request that still waited would fail now, for another reason.
            link.stop()
            let error = await #expect(throws: MessageError.self) { try await asking.value }
            #expect(error?.code == .peerLost)
            #expect(error?.detail == "speak another version")
        }
    }

    @Test("A peer can still send when the host shuts down, before its link is closed")
    func hostEnds() async throws {
        try await withLink { host, link in
            let events = LinkEvents(link)
            defer { withExtendedLifetime(events) {} }
            var post = Frame(.post)
            post.name = "last"
            events.onEnding = { link.post(post.encoded(), kind: .post) }
            host.say(Frame(.goodbye).encoded())
            try await host.until("the last post has arrived") { host.posts.map(\.name) == ["last"] }
            #expect(link.drops.isEmpty)
        }
    }

    @Test("A new host is told what this peer has dropped before, also when nothing more is dropped")
    func dropsAfterReconnect() async throws {
        try await withLink(heartbeat: 200) { host, link in
            link.drops["something", default: 0] += 3
            try await host.until("the host knows") { host.drops == ["something": 3] }
            let hellos = host.hellos
            host.say(Frame(.goodbye).encoded())
            host.drops = nil
            try await host.until("the next one knows, too") { host.hellos > hellos && host.drops == ["something": 3] }
        }
    }
}
