import Bus
import Messaging
import PeerLink
import TestKit
import Testing
import ZeroMQ

/// Several frames in one message, from a link to a host that declares that it accepts them.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct LinkBatchTests {
    private func withLink(batch: Int?, _ body: @MainActor (FakeHost, Link) async throws -> Void) async throws {
        let context = SocketContext()
        let host = try FakeHost()
        host.batch = batch
        let link = Link(LinkConfiguration(endpoint: host.endpoint, role: .plugin, peer: "peer", context: context))
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
}
