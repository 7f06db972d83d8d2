import Bus
import MessageHandling
import CBOR
import InMemoryLogging
import Logging
import Messaging
import TestKit
import Testing
import ZeroMQ

@testable import PeerLink
@testable import PluginKit

@ResponderMessages
protocol ShelfMessages {
    func shelfCount() async throws -> Int
    func shelfSlow() async throws -> Int
    func shelfNote(text: String)
}

extension ResponderChain: ShelfMessages {}

extension AppDependency {
    @Entry var shelf: Int?
    @Entry var shelfOwner: String?
    @Entry var elsewhere: Int?
}

/// A plugin with a fake host whose behaviour the test controls.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PluginTests {
    final class Shelf: PluginResponder, ShelfMessages {
        private(set) var notes: [String] = []
        private(set) var cancelled = 0

        func shelfCount() async throws -> Int { 3 }

        func shelfSlow() async throws -> Int {
            do {
                try await Task.sleep(for: .seconds(3600))
            } catch {
                cancelled += 1
                throw error
            }
            return 0
        }

        func shelfNote(text: String) { notes.append(text) }
    }

    private static let logger = {
        var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        return logger
    }()

    private func plugin(_ host: FakeHost, _ context: SocketContext, provides: [String] = ["shelf", "shelfOwner"])
        throws -> Plugin
    {
        let process = try PeerProcess(
            endpoint: host.endpoint, peer: BusName("shelf"), configuration: [:], logger: Self.logger)
        return Plugin(
            process, id: "shelf", version: "2.1.0", provides: provides, context: context, directory: ServiceDirectory())
    }

    /// Runs a plugin until the body has ended.
    func withPlugin(
        _ setUp: @MainActor (Plugin, Shelf) throws -> Void = { _, _ in },
        _ body: @MainActor (FakeHost, Plugin, Shelf) async throws -> Void
    ) async throws {
        let host = try FakeHost()
        let context = SocketContext()
        let plugin = try plugin(host, context)
        let shelf = Shelf()
        plugin.respond(shelf, to: ShelfMessagesList.self)
        try setUp(plugin, shelf)
        let running = Task { try await plugin.run() }
        let result: Result<Void, any Error>
        do {
            try await host.until("the plugin is attached") { !host.published.isEmpty }
            try await body(host, plugin, shelf)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        running.cancel()
        _ = await running.result
        host.close()
        #expect(host.context.openSockets == 0)
        #expect(context.openSockets == 0)
        try result.get()
    }

    private func request(_ name: String, id: UInt64) -> [UInt8] {
        var frame = Frame(.request)
        frame.id = id
        frame.name = name
        frame.payload = [0xA0]
        return frame.encoded()
    }

    @Test("A plugin's hello lists its name, its version, what it handles and what it provides")
    func hello() async throws {
        try await withPlugin { host, _, _ in
            let hello = try #require(host.hello)
            #expect(hello.role == .plugin)
            #expect(hello.peer == "shelf")
            #expect(hello.software == "2.1.0")
            #expect(Set(hello.handles) == ["shelfCount", "shelfSlow", "shelfNote"])
            #expect(hello.provides == ["shelf", "shelfOwner"])
        }
    }

    @Test("A request that the plugin handles is answered, and any other is refused")
    func requests() async throws {
        try await withPlugin { host, _, _ in
            host.say(request("shelfCount", id: 1))
            host.say(request("nobodyKnows", id: 2))
            try await host.until("both requests have ended") { host.replies.count == 2 }
            let reply = try #require(host.replies.first { $0.id == 1 })
            #expect(reply.kind == .reply)
            #expect(Array(reply.payload) == [3])
            #expect(host.replies.first { $0.id == 2 }?.kind == .failure)
        }
    }

    @Test("A request that the host cancels ends, and other requests continue")
    func cancelled() async throws {
        try await withPlugin { host, _, shelf in
            host.say(request("shelfSlow", id: 1))
            host.say(request("shelfSlow", id: 2))
            var cancel = Frame(.cancel)
            cancel.id = 1
            host.say(cancel.encoded())
            try await host.until("one request is cancelled") { shelf.cancelled == 1 && host.replies.count == 1 }
            #expect(host.replies[0].id == 1)
        }
    }

    @Test("A handler continues when the link of its request is lost, and is cancelled at the request's deadline")
    func lostLink() async throws {
        try await withPlugin { host, plugin, shelf in
            let link = try #require(plugin.peer?.link)
            var frame = Frame(.request)
            frame.name = "shelfSlow"
            frame.payload = [0xA0]
            frame.id = 1
            frame.deadline = try #require(link.traffic.clock).microseconds(at: .now + .seconds(4))
            host.say(frame.encoded())
            try await host.until("it is handled") { plugin.peer?.receiver.runningCount == 1 }
            let hellos = host.hellos
            host.say(Frame(.goodbye).encoded())
            try await host.until("it is attached again") { host.hellos > hellos && link.isReady }
            #expect(shelf.cancelled == 0)
            try await host.until("it is cancelled") {
                shelf.cancelled == 1 && plugin.peer?.receiver.runningCount == 0
            }
        }
    }

    @Test("A post is handled, and an unknown one is counted as dropped")
    func posts() async throws {
        try await withPlugin { host, plugin, shelf in
            var post = Frame(.post)
            post.name = "shelfNote"
            post.payload = try CBOREncoder().encode(["text": "hello"])[...]
            host.say(post.encoded())
            post.name = "nobodyKnows"
            host.say(post.encoded())
            try await host.until("the post has arrived") { shelf.notes == ["hello"] }
            try await host.until("the unknown post is counted") {
                plugin.peer?.link.drops["post that was not handled"] == 1
            }
        }
    }

    @Test("A plugin that the host refuses for good stops with the reason")
    func refused() async throws {
        let host = try FakeHost()
        host.refusal = Refusal(.version, "speak another version")
        let context = SocketContext()
        let plugin = try plugin(host, context)
        let error = await #expect(throws: AttachmentRefused.self) { try await plugin.run() }
        #expect(error?.reason == "speak another version")
        #expect(error?.exitCode == .refused)
        host.close()
        #expect(context.openSockets == 0)
    }

    @Test("A second plugin of the same name in one process does not run, because both would compete for the link")
    func nameTaken() async throws {
        let host = try FakeHost()
        let context = SocketContext()
        let first = try plugin(host, context)
        let running = Task { try await first.run() }
        try await host.until("the plugin is attached") { !host.published.isEmpty }
        let second = try plugin(host, context)
        let error = await #expect(throws: NameTaken.self) { try await second.run() }
        #expect(error?.name == "shelf")
        running.cancel()
        _ = await running.result
        host.close()
    }

    @Test("Background work that fails stops the plugin with its error, and work that returns does not")
    func work() async throws {
        struct Broken: Error {}
        let host = try FakeHost()
        let context = SocketContext()
        let plugin = try plugin(host, context)
        plugin.whileRunning {}
        plugin.whileRunning { [host] in
            try await host.until("the plugin is attached") { !host.published.isEmpty }
            throw Broken()
        }
        await #expect(throws: Broken.self) { try await plugin.run() }
        host.close()
        #expect(context.openSockets == 0)
    }

    @Test("A second responder of a plugin handles what the first does not know")
    func twoResponders() async throws {
        final class Other: PluginResponder {}
        let host = try FakeHost()
        let context = SocketContext()
        let plugin = try plugin(host, context)
        let (other, shelf) = (Other(), Shelf())
        plugin.respond(other, to: ShelfMessagesList.self)
        plugin.respond(shelf)
        let running = Task { try await plugin.run() }
        try await host.until("it is attached") { !host.published.isEmpty }
        host.say(request("shelfCount", id: 1))
        try await host.until("it is answered") { host.replies.count == 1 }
        #expect(host.replies[0].kind == .reply)
        running.cancel()
        _ = await running.result
        #expect(shelf.next != nil)
        host.close()
    }

    @Test("A peer without a host logs each reason once as a warning, however often it tries")
    func outage() async throws {
        let host = try FakeHost()
        var handler = InMemoryLogHandler()
        handler.logLevel = .debug
        let logger = Logger(label: "test") { [handler] _ in handler }
        let process = try PeerProcess(
            endpoint: host.endpoint, peer: BusName("shelf"), configuration: [:], logger: logger)
        let context = SocketContext()
        let plugin = Plugin(
            process, id: "shelf", version: "1", provides: ["shelf"], context: context, directory: ServiceDirectory())
        let running = Task { try await plugin.run() }
        func levels() -> [Logger.Level] {
            handler.entries.filter { $0.message == "lost the host; reconnecting" }.map(\.level)
        }
        try await host.until("it is attached") { !host.published.isEmpty }
        host.say(Frame(.goodbye).encoded())
        try await host.until("the host's end is logged") { !levels().isEmpty }
        host.close()
        // The wait for an answer ends soon, because nobody listens.
        let end = MonotonicInstant.now + .seconds(60)
        while levels().count < 4, MonotonicInstant.now < end { await Task.yield() }
        #expect(levels().prefix(4) == [.warning, .warning, .debug, .debug])
        running.cancel()
        _ = await running.result
        #expect(context.openSockets == 0)
    }

    @Test("A plugin that ends cancels its handlers, and no longer reaches services for its process")
    func end() async throws {
        let host = try FakeHost()
        let context = SocketContext()
        let directory = ServiceDirectory()
        let process = try PeerProcess(
            endpoint: host.endpoint, peer: BusName("shelf"), configuration: [:], logger: Self.logger)
        let plugin = Plugin(
            process, id: "shelf", version: "1", provides: ["shelf"], context: context, directory: directory)
        let shelf = Shelf()
        plugin.respond(shelf, to: ShelfMessagesList.self)
        let running = Task { try await plugin.run() }
        try await host.until("it is attached") { !host.published.isEmpty }
        #expect(directory.remote != nil)
        host.say(request("shelfSlow", id: 1))
        try await host.until("the handler runs") { plugin.peer?.receiver.runningCount == 1 }
        running.cancel()
        _ = await running.result
        try await host.until("the handler is cancelled") { shelf.cancelled == 1 }
        #expect(directory.remote == nil)
        host.close()
        #expect(context.openSockets == 0)
    }
}
