import Bus
import CBOR
import Logging
import Messaging
import TestKit
import Testing
import ZeroMQ

@testable import PeerLink
@testable import PluginKit

@ResponderMessages
private protocol ShelfMessages {
    func shelfCount() async throws -> Int
    func shelfSlow() async throws -> Int
    func shelfNote(text: String)
}

extension ResponderChain: ShelfMessages {}

extension AppDependency {
    @Entry fileprivate var shelf: Int?
    @Entry fileprivate var shelfOwner: String?
    @Entry fileprivate var elsewhere: Int?
}

/// A plugin with a fake host whose behaviour the test controls.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PluginTests {
    private final class Shelf: PluginResponder, ShelfMessages {
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
        -> Plugin
    {
        let process = PeerProcess(endpoint: host.endpoint, peer: "shelf", configuration: [:], logger: Self.logger)
        return Plugin(
            process, id: "shelf", version: "2.1.0", provides: provides, context: context, directory: ServiceDirectory())
    }

    /// Runs a plugin until the body has ended.
    private func withPlugin(
        _ setUp: @MainActor (Plugin, Shelf) throws -> Void = { _, _ in },
        _ body: @MainActor (FakeHost, Plugin, Shelf) async throws -> Void
    ) async throws {
        let host = try FakeHost()
        let context = SocketContext()
        let plugin = plugin(host, context)
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

    @Test("On attaching, a plugin publishes all entries it provides, and removes those that it has not set")
    func publishesAll() async throws {
        try await withPlugin { plugin, _ in
            plugin.appDependency.shelf = 7
        } _: { host, _, _ in
            let first = try #require(host.published.first)
            #expect(Set(first.keys) == ["shelf", "shelfOwner"])
            #expect(first["shelf"] == [7])
            #expect(first["shelfOwner"] == .some(nil))
            // The plugin does the same for the next host.
            let before = host.published.count
            host.say(Frame(.goodbye).encoded())
            try await host.until("the plugin has published its entries again") { host.published.count > before }
            #expect(host.published[before] == first)
        }
    }

    @Test("Each change of an entry is published, in its order")
    func changes() async throws {
        try await withPlugin { host, plugin, _ in
            let before = host.published.count
            plugin.appDependency.shelf = 8
            plugin.appDependency.shelf = nil
            try await host.until("both changes have arrived") { host.published.count >= before + 2 }
            #expect(host.published[before] == ["shelf": [8]])
            #expect(host.published[before + 1] == ["shelf": nil])
            #expect(host.published.count == before + 2)
        }
    }

    @Test("Setting an entry that the plugin does not provide fails and is reported")
    func notProvided() async throws {
        try await withPlugin { host, plugin, _ in
            var refused: [String] = []
            plugin.onRefused = { refused.append($0.key) }
            let before = host.published.count
            plugin.appDependency.elsewhere = 1
            #expect(refused == ["elsewhere"])
            #expect(plugin.appDependency.elsewhere == nil)
            #expect(throws: EntryRefused.self) { try plugin.set(\.elsewhere, to: 1) }
            try plugin.set(\.shelf, to: 2)
            try await host.until("the other entry has arrived") { host.published.count > before }
            #expect(host.published[before] == ["shelf": [2]])
        }
    }

    @Test("The host's entries appear in the plugin's container, and do not replace the plugin's own")
    func container() async throws {
        try await withPlugin { plugin, _ in
            plugin.appDependency.shelf = 7
        } _: { host, plugin, _ in
            var delta = Frame(.delta)
            (delta.epoch, delta.previous, delta.revision) = (1, 1, 2)
            delta.payload = DependencyPayload.encode(["elsewhere": [5], "shelf": [9]])[...]
            try host.publish(delta.encoded())
            try await host.until("the change has arrived") { plugin.appDependency.elsewhere == 5 }
            #expect(plugin.appDependency.shelf == 7)
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
            frame.deadline = try #require(link.clock).microseconds(at: .now + .seconds(4))
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
        let plugin = plugin(host, context)
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
        let first = plugin(host, context)
        let running = Task { try await first.run() }
        try await host.until("the plugin is attached") { !host.published.isEmpty }
        let second = plugin(host, context)
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
        let plugin = plugin(host, context)
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
        let plugin = plugin(host, context)
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

    @Test("A plugin that ends cancels its handlers, and no longer reaches services for its process")
    func end() async throws {
        let host = try FakeHost()
        let context = SocketContext()
        let directory = ServiceDirectory()
        let process = PeerProcess(endpoint: host.endpoint, peer: "shelf", configuration: [:], logger: Self.logger)
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

    @Test("Setting an entry whose value is too large is an error, and nothing is set")
    func tooLarge() async throws {
        try await withPlugin { host, plugin, _ in
            let text = String(repeating: "x", count: 17 << 20)
            #expect(throws: EntryRefused.self) { try plugin.set(\.shelfOwner, to: text) }
            #expect(plugin.appDependency.shelfOwner == nil)
        }
    }

    @Test("An address in the arguments takes precedence over the one in the environment")
    func address() throws {
        let process = try PeerProcess(
            id: "shelf", arguments: ["shelf", "--host", "tcp://192.0.2.1:5570"],
            environment: { $0 == "SCENEBUS_HOST" ? "tcp://192.0.2.2:5570" : nil })
        #expect(process.endpoint == "tcp://192.0.2.1:5570")
        let other = try PeerProcess(
            id: "shelf", arguments: ["shelf"], environment: { $0 == "SCENEBUS_HOST" ? "tcp://192.0.2.2:5570" : nil })
        #expect(other.endpoint == "tcp://192.0.2.2:5570")
    }
}
