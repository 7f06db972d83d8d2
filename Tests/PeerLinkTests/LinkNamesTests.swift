import Bus
import Messaging
import TestKit
import Testing
import ZeroMQ

@testable import PeerLink
import MessageHandling

@ResponderMessages
private protocol CrateMessages {
    func crateFill(item: String) async throws
    func crateMark(text: String)
    func crateEmpty() async throws
    func crateCount() async throws -> Int
    @Idempotent
    func crateMove(to place: Int) async throws
}

extension ResponderChain: CrateMessages {}

/// A link to a host whose welcome has a list of names.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct LinkNamesTests {
    private static let names = ["other", "crateFill", "crateMark", "crateCount", "crateMove"]

    private final class Crate: Responder, CrateMessages {
        func crateCount() async throws -> Int { 3 }
    }

    private final class Delegate: LinkDelegate {
        let receiver = MessageReceiver()
        let crate = Crate()

        init() { receiver.registry.add(CrateMessagesList.self) }

        func link(_ link: Link, received request: Frame) {
            receiver.receive(request, at: crate, timeLeft: nil, from: link.requestSender)
        }
    }

    private func withLink(
        names: [String]? = names, batch: Int? = 64 << 10, credits: Int? = nil,
        _ body: @MainActor (FakeHost, Link, ResponderChain) async throws -> Void
    ) async throws {
        let context = SocketContext()
        let host = try FakeHost()
        host.batch = batch
        host.names = names
        host.credits = credits
        var configuration = LinkConfiguration(endpoint: host.endpoint, role: .plugin, peer: "crate", context: context)
        configuration.requestTimeout = .seconds(3600)
        let link = Link(configuration)
        let delegate = Delegate()
        link.delegate = delegate
        defer {
            link.stop()
            host.close()
            #expect(context.openSockets == 0)
        }
        link.start()
        try await host.until("the link is ready") { link.isReady }
        try await body(host, link, LinkResponder(link).chain)
    }

    /// The names and indices of the messages that a host receives.
    private func watch(_ host: FakeHost) -> Seen {
        let seen = Seen()
        host.onFrame = { if !$0.name.isEmpty { seen.names.append(($0.name, $0.nameIndex)) } }
        return seen
    }

    private final class Seen {
        var names: [(name: String, index: NameIndex)] = []
        var indices: [Int?] { names.map { $0.index == .none ? nil : Int($0.index.rawValue) } }
    }

    @Test(arguments: [nil, 64 << 10])
    func `Requests and posts have the index of their name, alone and behind others, and other names stay whole`(
        batch: Int?
    ) async throws {
        try await withLink(batch: batch) { host, _, chain in
            #expect(host.hello?.names == NameTable.maximumCount)
            let seen = watch(host)
            try await chain.crateFill(item: "lamp")
            chain.crateMark(text: "first")
            try await chain.crateFill(item: "second")
            try await chain.crateEmpty()
            chain.crateMark(text: "third")
            _ = try? await chain.crateCount()
            #expect(
                seen.names.map(\.name)
                    == ["crateFill", "crateMark", "crateFill", "crateEmpty", "crateMark", "crateCount"])
            #expect(seen.indices == [1, 2, 1, nil, 2, 3])
        }
    }

    @Test func `A host without a list gets names`() async throws {
        try await withLink(names: nil) { host, _, chain in
            let seen = watch(host)
            try await chain.crateFill(item: "lamp")
            chain.crateMark(text: "first")
            try await chain.crateFill(item: "second")
            #expect(seen.indices == [nil, nil, nil])
        }
    }

    @Test func `A request that may be sent again has its name`() async throws {
        try await withLink { host, _, chain in
            let seen = watch(host)
            try await chain.crateMove(to: 3)
            #expect(seen.names.map(\.name) == ["crateMove"])
            #expect(seen.indices == [nil])
        }
    }

    @Test func `A second welcome changes no name`() async throws {
        try await withLink { host, link, chain in
            let seen = watch(host)
            let welcome = Welcome(
                version: 1, epoch: host.epoch, link: 1, publisher: host.publisher, heartbeat: 60_000, clock: 1,
                host: "fake", pid: 1, names: Self.names.reversed())
            var request = Frame(.request)
            request.setName("crateCount", NameIndex(rawValue: 3))
            request.id = 40
            request.payload = [0xA0]
            host.say(try Frame(.welcome).encoded(payload: welcome) + request.encoded(names: 4))
            try await host.until("the reply has come") { host.replies.count == 1 }
            #expect(host.replies.last?.payload == [3])
            try await chain.crateFill(item: "lamp")
            #expect(seen.names.map(\.name) == ["crateCount", "crateFill"])
        }
    }

    @Test func `A message for a service has its name`() async throws {
        try await withLink { host, link, _ in
            let seen = watch(host)
            try await LinkResponder(link, service: "store").chain.crateFill(item: "lamp")
            #expect(seen.names.map(\.name) == ["store/crateFill"])
            #expect(seen.indices == [nil])
        }
    }

    @Test func `The reply to a request has the form of the request`() async throws {
        try await withLink { host, _, _ in
            for index in [NameIndex(rawValue: 3), .none] {
                var request = Frame(.request)
                request.setName("crateCount", index)
                request.id = 40
                request.payload = [0xA0]
                let count = host.replies.count
                host.say(request.encoded(names: 4) + request.encoded(names: 4))
                try await host.until("both replies have come") { host.replies.count == count + 2 }
                for reply in host.replies.suffix(2) {
                    #expect(reply.kind == .reply)
                    #expect(reply.name == "crateCount")
                    #expect(reply.nameIndex == index)
                    #expect(reply.payload == [3])
                }
            }
        }
    }

    @Test func `What is sent while there is no link has its name, and later messages the next link's index`()
        async throws
    {
        try await withLink { host, link, chain in
            let seen = watch(host)
            host.names = ["crateFill"]
            host.refusal = Refusal(.taken, "later")
            host.say(Frame(.goodbye).encoded())
            try await host.until("the link is lost") { !link.isReady }
            let waiting = Task.immediate { try await chain.crateFill(item: "waits") }
            host.refusal = nil
            try await waiting.value
            try await chain.crateFill(item: "now")
            #expect(seen.names.map(\.name) == ["crateFill", "crateFill"])
            #expect(seen.indices == [nil, 0])
        }
    }

    @Test func `A request that waits for a credit keeps its name across links with other lists`() async throws {
        try await withLink(names: ["crateFill", "crateEmpty"], credits: 1) { host, _, chain in
            host.isReplying = false
            let seen = watch(host)
            let first = Task.immediate { try await chain.crateFill(item: "lost") }
            let second = Task.immediate { try await chain.crateEmpty() }
            try await host.until("the first has come") { host.requests == 1 }
            host.names = ["crateEmpty", "crateFill"]
            host.say(Frame(.goodbye).encoded())
            await #expect(throws: MessageError.self) { try await first.value }
            try await host.until("the second has come") { host.requests == 2 }
            host.replyToLast(1)
            try await second.value
            #expect(seen.names.map(\.name) == ["crateFill", "crateEmpty"])
            #expect(seen.indices == [0, nil])
        }
    }
}
