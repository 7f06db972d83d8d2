@testable import Hub
import Bus
import CBOR
import CoordinatorKit
import PeerLink
import PluginKit
import SceneWorker
import Testing
import ZeroMQ

@testable import SceneHost

@ResponderMessages
protocol BulkMessages {
    func bulkGet(size: Int) async throws -> String
    func bulkPut(text: String) async throws -> Int
}

extension ResponderChain: BulkMessages {}

@MainActor
private final class Bulk: PluginResponder, BulkMessages {
    func bulkGet(size: Int) async throws -> String { String(repeating: "x", count: size) }
    func bulkPut(text: String) async throws -> Int { text.utf8.count }
}

private final class BulkDelegate: AppDelegate, BulkMessages {
    func bulkGet(size: Int) async throws -> String { String(repeating: "x", count: size) }
    func bulkPut(text: String) async throws -> Int { text.utf8.count }
}

extension LiveTests {
    /// Messages that are too large for a frame, and changes that are split over several frames.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct FrameSizeTests {
        private let tooLarge = Frame.maximumSize + 1

        @Test("A request and a reply that are too large fail with an error that names the limit, and the link stays")
        func messages() async throws {
            try await withHost { live in
                try await live.plugin("bulk") { $0.respond(Bulk(), to: BulkMessagesList.self) }
                let client = try await live.client()
                let links = live.host.hub.links.keys.sorted()
                let request = try await #require(throws: MessageError.self) {
                    try await client.chain.bulkPut(text: String(repeating: "x", count: tooLarge))
                }
                let reply = try await #require(throws: MessageError.self) {
                    try await client.chain.bulkGet(size: tooLarge)
                }
                for (error, kind, message) in [(request, "request", "bulkPut"), (reply, "reply", "bulkGet")] {
                    #expect(error.code == .malformed)
                    #expect(error.message == message)
                    #expect(error.detail.contains(kind))
                    #expect(error.detail.contains("\(Frame.maximumMade)"))
                }
                let large = Frame.maximumMade - 1000
                #expect(try await client.chain.bulkPut(text: String(repeating: "x", count: large)) == large)
                #expect(try await client.chain.bulkGet(size: large).utf8.count == large)
                #expect(live.host.hub.links.keys.sorted() == links)
            }
        }

        @Test("A reply of the host itself that is too large fails with an error, too")
        func hostReply() async throws {
            try await withHost(delegate: BulkDelegate(), handles: [BulkMessagesList.self]) { live in
                let client = try await live.client()
                let error = try await #require(throws: MessageError.self) {
                    try await client.chain.bulkGet(size: tooLarge)
                }
                #expect(error.detail.contains("\(Frame.maximumMade)"))
                #expect(try await client.chain.bulkGet(size: 10) == "xxxxxxxxxx")
            }
        }

        @Test("An entry that is too large is left out, and the other entries are published")
        func entry() async throws {
            try await withHost { live in
                let plugin = try await live.plugin("source", provides: ["large", "greeting", "total"])
                let link = live.link(named: "source")?.id
                var container = plugin.appDependency
                container.setValue(String(repeating: "x", count: tooLarge), of: "large")
                container.greeting = "hello"
                plugin.appDependency = container
                try await live.until("the other entry has arrived") {
                    live.host.application.delegate.appDependency?.greeting == "hello"
                }
                #expect(live.host.container.entries.entry(of: "large")?.value == nil)
                #expect(live.link(named: "source")?.id == link)
            }
        }

        @Test("Changes that do not fit into one frame together arrive, from the host and from a plugin")
        func change() async throws {
            try await withHost { live in
                let keys = (0..<3).map { "key\($0)" }
                let text = String(repeating: "x", count: 6 << 20)
                func isComplete(_ container: AppDependency?, _ prefix: String) -> Bool {
                    keys.allSatisfy { container?.value(of: prefix + $0, as: String.self)?.utf8.count == 6 << 20 }
                }
                let worker = try await live.worker("wall")
                var container = AppDependency()
                for key in keys { container.setValue(text, of: "host" + key) }
                live.host.application.delegate.appDependency = container
                try await live.until("the worker has the host's entries") {
                    isComplete(worker.application.delegate.appDependency, "host")
                }
                let plugin = try await live.plugin("source", provides: keys.map { "plugin" + $0 })
                container = plugin.appDependency
                for key in keys { container.setValue(text, of: "plugin" + key) }
                plugin.appDependency = container
                try await live.until("the worker has the plugin's entries") {
                    isComplete(worker.application.delegate.appDependency, "plugin")
                }
                #expect(live.link(named: "wall") != nil)
            }
        }
    }
}
