import Messaging
import TestKit
@testable import Hub
import SeededRandom
import Bus
import CBOR
import CoordinatorKit
import Glibc
import PeerLink
import PluginKit
import Testing
import ZeroMQ

@testable import SceneHost
@testable import SceneWorker

extension LiveTests {
    /// What a peer says of itself: what it has missed and received, and what it may say for sessions and entries.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct PeerReportsTests {
        @Test("A new beacon subscriber gets one at once; a second synchronize is counted as a peer that was behind")
        func beacons() async throws {
            try await withHost { live in
                let raw = try live.raw()
                let welcome = try await raw.hello("peer").decodePayload(as: Welcome.self)
                let subscriber = try live.raw(.subscriber, to: live.configuration.directory.publisher)
                try subscriber.subscribe(Frame.topic(.beacon))
                let beacon = try await subscriber.next(.beacon)
                #expect(beacon.epoch == welcome.epoch)
                var ask = Frame(.synchronize)
                ask.epoch = welcome.epoch + 1
                try raw.send(ask.encoded())
                ask.epoch = welcome.epoch
                try raw.send(ask.encoded())
                #expect(try await raw.next().kind == .snapshot)
                let counted = live.host.hub.counters.values
                #expect(counted["dropped: synchronize of another epoch"] == 1)
                #expect(counted["resynced: a peer was behind"] == nil)
                try raw.send(ask.encoded())
                #expect(try await raw.next().kind == .snapshot)
                #expect(live.host.hub.counters.values["resynced: a peer was behind"] == 1)
            }
        }

        @Test("A peer's drop counts appear in the status, and a peer that reports too many keeps its link")
        func drops() async throws {
            try await withHost { live in
                let client = try await live.client()
                let worker = try await live.worker("wall")
                try await live.until("the worker's link is ready") { worker.peer.link.isReady }
                worker.peer.link.post([UInt8](repeating: 0, count: Frame.maximumSize), kind: .post)
                try await live.until("the host has the worker's drop count") {
                    let links = try await client.chain.hostLinks()
                    return links.first { $0.peer == "wall" }?.drops["too large: post"] == 1
                }
                let raw = try live.raw()
                _ = try await raw.hello("chatty")
                var heartbeat = Frame(.heartbeat)
                heartbeat.id = 1
                let many = Dictionary(uniqueKeysWithValues: (0..<100).map { ("reason \($0)", 1) })
                heartbeat.payload = try CBOREncoder().encode(["drops": many])[...]
                try raw.send(heartbeat.encoded())
                #expect(try await raw.next().kind == .heartbeat)
                #expect(live.link(named: "chatty")?.drops == [:])
                #expect(live.host.hub.counters.values["dropped: unreadable heartbeat"] == 1)
                let counts = PeerDrops(many.merging([String(repeating: "ä", count: 99): 1]) { $1 }).counts
                #expect(counts.count == 32)
            }
        }

        @Test(
            "A peer that claims to handle the protocol's own messages is refused",
            arguments: ["hostStatus", "sceneCheckpoint"])
        func ownMessages(name: String) async throws {
            try await withHost { live in
                let refusal = try await live.raw().hello("thief", handles: [name]).decodePayload(as: Refusal.self)
                #expect(refusal.code == .malformed)
                #expect(refusal.reason.contains(name))
            }
        }

        @Test("Only the worker that runs a session's scene may report its state")
        func foreignReport() async throws {
            try await withHost { live in
                try await live.worker("wall")
                let client = try await live.client()
                let id = try await client.open()
                let token = try #require(try await client.chain.hostSessions().first?.token)
                let raw = try live.raw()
                _ = try await raw.hello("stranger")
                var report = Frame(.post)
                report.name = "sceneCheckpoint"
                report.session = id
                report.token = token
                let state = try CBORRaw(encoding: UserActivity(activityType: "stolen"))
                report.payload = try CBOREncoder().encode(
                    SceneReportMessagesList.sceneCheckpoint(session: id, state: state))[...]
                try raw.send(report.encoded())
                try await live.until("the report is counted as refused") {
                    live.host.hub.counters.values["refused: report of no worker"] == 1
                }
                #expect(try await client.chain.hostSessionState(session: id) != state)
            }
        }

        @Test("A worker may pass on a request for another worker's session, but not send one of its own")
        func passedOn() async throws {
            try await withHost { live in
                try await live.worker("wall")
                let id = try await live.client().open()
                let raw = try live.raw()
                _ = try await raw.hello("second", role: .worker)
                var request = Frame(.request)
                request.name = "greetingSay"
                request.session = id
                request.payload = try CBOREncoder().encode(["name": "A"])[...]
                for (number, flags, code) in [
                    (1, [], .unauthorized), (2, .passedOn, .unhandled),
                ] as [(UInt64, Frame.Flags, MessageError.Code)] {
                    request.id = number
                    request.flags = flags
                    try raw.send(request.encoded())
                    let failure = try await raw.next(.failure).decodePayload(as: FailureEncoding.self)
                    guard case .message(let error) = failure else {
                        throw NotReached(description: "\(failure)")
                    }
                    #expect(error.code == code)
                }
            }
        }

        @Test("A peer that acknowledges more bytes than were sent to it loses its link")
        func liar() async throws {
            try await withHost { live in
                let raw = try live.raw()
                _ = try await raw.hello("liar")
                var heartbeat = Frame(.heartbeat)
                heartbeat.id = 1
                heartbeat.payload = try CBOREncoder().encode(Heartbeat(received: 1 << 40))[...]
                try raw.send(heartbeat.encoded())
                try await live.until("the peer is detached") { live.link(named: "liar") == nil }
                #expect(
                    live.host.hub.counters.values["detached: \(Departure.misreports)"] == 1)
                // The departure is not final: the lease keeps running, and the peer's scenes may act until it expires.
                #expect(!Departure.misreports.isOver)
            }
        }

        @Test("A hello with too many names is refused as malformed")
        func manyNames() async throws {
            try await withHost { live in
                let raw = try live.raw()
                var hello = Frame(.hello)
                var fields = try #require(
                    try CBORValue(encoding: Hello(role: .plugin, peer: "many", pid: 1, endpoint: "")).mapValue)
                fields["handles"] = .array(Array(repeating: .string(""), count: 500_000))
                hello.payload = try CBOREncoder().encode(CBORValue.map(fields))[...]
                try raw.send(hello.encoded())
                let refusal = try await raw.next(.refusal).decodePayload(as: Refusal.self)
                #expect(refusal.code == .malformed)
            }
        }

        @Test("A peer that sets another peer's entry to the same value becomes its owner")
        func sameValue() async throws {
            try await withHost { live in
                let first = try live.raw()
                _ = try await first.hello("counter-1", provides: ["total"])
                var publish = Frame(.publish)
                publish.payload = DependencyPayload.encode(["total": [0]])[...]
                try first.send(publish.encoded())
                try await live.until("entry is set") {
                    live.host.container.entries.entry(of: "total")?.owner == "counter-1"
                }
                try first.send(Frame(.goodbye).encoded())
                let second = try live.raw()
                _ = try await second.hello("counter-2", provides: ["total"])
                try second.send(publish.encoded())
                try await live.until("the entry belongs to the second peer") {
                    live.host.container.entries.entry(of: "total")?.owner == "counter-2"
                }
                let entry = try await live.client().chain.hostDependency(key: "total")
                #expect(entry?.ownerGoneSeconds == nil)
                #expect(entry?.revision == live.host.container.entries.entry(of: "total")?.revision)
            }
        }

        @Test("A peer that asks for missed changes gets only those")
        func synchronize() async throws {
            try await withHost { live in
                let plugin = try await live.plugin("greeter", provides: ["greeting", "total"])
                plugin.appDependency.greeting = "hello"
                plugin.appDependency.total = 1
                try await live.until("both are set") { live.host.container.entries.entry(of: "total")?.value != nil }
                let revision = live.host.container.entries.revision
                let raw = try live.raw()
                _ = try await raw.hello("behind")
                var ask = Frame(.synchronize)
                ask.epoch = live.host.hub.epoch
                ask.previous = revision - 1
                try raw.send(ask.encoded())
                let snapshot = try await raw.next(.snapshot)
                #expect(snapshot.flags == .last)
                #expect(snapshot.revision == revision)
                #expect(snapshot.previous == revision - 1)
                #expect(try DependencyPayload.decode(snapshot.payload).keys.sorted() == ["total"])
            }
        }
    }
}
