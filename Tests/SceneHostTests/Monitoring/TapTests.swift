import TestKit
@testable import Hub
import Bus
import CoordinatorKit
import PeerLink
import OperatorKit
import PluginKit
import Testing
import ZeroMQ

@testable import SceneHost

extension LiveTests {
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct TapTests {
        @Test("The tap records each hop of a request with its latency, and is off without subscribers")
        func hops() async throws {
            try await withHost { live in
                try await live.plugin("greeter") { $0.respond(Greeter("plugin"), to: GreetingMessagesList.self) }
                let client = try await live.client()
                _ = try await client.chain.greetingSay(name: "before")
                #expect(!live.host.hub.tap.isOn)

                var records: [TapRecord] = []
                let listener = try TapSubscriber(
                    publisher: live.configuration.directory.publisher, endpoint: live.ipc, context: live.context
                ) { records.append($0) }
                try await live.until("the tap is on") { live.host.hub.tap.isOn }
                _ = try await client.chain.greetingSay(name: "Ada")
                try await live.until("the last hop is recorded") {
                    records.count { $0.name == "greetingSay" } == 4
                }
                let hops = records.filter { $0.name == "greetingSay" }
                let peer = client.link.configuration.peer
                #expect(hops.map(\.from) == [peer, "host", "greeter", "host"])
                #expect(hops.map(\.to) == ["host", "greeter", "host", peer])
                #expect(hops.map(\.kind) == ["request", "request", "reply", "reply"])
                #expect(hops[0].latency == nil)
                #expect(hops[1].latency == nil)
                let inner = try #require(hops[2].latency)
                let outer = try #require(hops[3].latency)
                #expect(inner <= outer)
                #expect(outer <= hops[3].time - hops[0].time)
                #expect(hops.allSatisfy { $0.size >= Frame.headerSize })
                let traces = Set(hops.prefix(2).compactMap(\.trace))
                #expect(traces.count == 1)
                #expect(traces.first?.count == 32)
                #expect(listener.lost == 0)
                let sequence = records.map(\.sequence)
                #expect(sequence == Array((sequence.first ?? 0)..<((sequence.first ?? 0) + UInt64(records.count))))

                listener.close()
                try await live.until("the tap is off") { !live.host.hub.tap.isOn }
                let count = records.count
                _ = try await client.chain.greetingSay(name: "after")
                #expect(records.count == count)
            }
        }

        @Test("Requests that arrive in one message are recorded one by one, and so are their replies")
        func batch() async throws {
            try await withHost(delegate: GreetingDelegate(), handles: [GreetingMessagesList.self]) { live in
                let client = try await live.client()
                var records: [TapRecord] = []
                let listener = try TapSubscriber(
                    publisher: live.configuration.directory.publisher, endpoint: live.ipc, context: live.context
                ) { records.append($0) }
                try await live.until("the tap is on") { live.host.hub.tap.isOn }
                let requests = (1...50).map { number in
                    Task { try await client.chain.greetingSay(name: "\(number)") }
                }
                for request in requests { _ = try await request.value }
                try await live.until("the last reply is recorded") {
                    records.count { $0.name == "greetingSay" } == 100
                }
                let hops = records.filter { $0.name == "greetingSay" }
                #expect(hops.count { $0.kind == "request" && $0.to == "host" } == 50)
                #expect(hops.count { $0.kind == "reply" && $0.from == "host" && $0.latency != nil } == 50)
                #expect(hops.allSatisfy { $0.size < 300 })
                listener.close()
            }
        }

        @Test("A container change, heartbeats and beacons appear on the tap, too")
        func otherFrames() async throws {
            try await withHost { live in
                let plugin = try await live.plugin("greeter", provides: ["greeting"])
                var kinds: Set<String> = []
                let listener = try TapSubscriber(
                    publisher: live.configuration.directory.publisher, endpoint: live.ipc, context: live.context
                ) { kinds.insert($0.kind) }
                try await live.until("the tap is on") { live.host.hub.tap.isOn }
                plugin.appDependency.greeting = "hello"
                try await live.until("all kinds were seen") {
                    kinds.isSuperset(of: ["publish", "delta", "heartbeat", "beacon", "request", "reply"])
                }
                listener.close()
            }
        }

        @Test("The tap stays on for the second subscriber when the first one leaves")
        func twoListeners() async throws {
            try await withHost { live in
                @MainActor func listen(_ record: @escaping @MainActor (TapRecord) -> Void) throws -> TapSubscriber {
                    try TapSubscriber(
                        publisher: live.configuration.directory.publisher, endpoint: live.ipc,
                        context: live.context, onRecord: record)
                }
                var first = 0
                var second = 0
                let one = try listen { _ in first += 1 }
                let two = try listen { _ in second += 1 }
                try await live.until("both subscribers receive frames") { first > 0 && second > 0 }
                one.close()
                let before = second
                try await live.until("the second subscriber still receives frames") { second > before + 10 }
                #expect(live.host.hub.tap.isOn)
                two.close()
                try await live.until("the tap is off") { !live.host.hub.tap.isOn }
            }
        }
    }
}
