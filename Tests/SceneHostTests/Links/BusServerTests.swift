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
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct BusServerTests {
        // MARK: - Hello

        @Test("A hello is answered with a welcome that has the version, the link and the publisher's address")
        func welcome() async throws {
            try await withHost { live in
                let raw = try live.raw()
                let frame = try await raw.hello("peer", endpoint: live.ipc)
                #expect(frame.kind == .welcome)
                let welcome = try frame.decodePayload(as: Welcome.self)
                #expect(welcome.version == 1)
                #expect(welcome.epoch == live.host.hub.epoch)
                #expect(welcome.link == live.link(named: "peer")?.id)
                #expect(welcome.publisher == live.configuration.directory.publisher)
                #expect(welcome.pid == getpid())
            }
        }

        @Test("A hello of another protocol version is refused with both version ranges")
        func otherVersions() async throws {
            try await withHost { live in
                let raw = try live.raw()
                let other = ProtocolVersionRange(min: 7, max: 9)
                let frame = try await raw.hello("future", versions: other)
                #expect(frame.kind == .refusal)
                let refusal = try frame.decodePayload(as: Refusal.self)
                #expect(refusal.code == .version)
                #expect(refusal.versions == .current)
                #expect(refusal.peerVersions == other)
                #expect(refusal.reason.contains("versions 7 to 9"))
                #expect(refusal.reason.contains("version 1"))
                #expect(live.link(named: "future") == nil)
                // The same peer is accepted when the versions overlap.
                let again = try await raw.hello("future", versions: ProtocolVersionRange(min: 1, max: 9))
                #expect(try again.decodePayload(as: Welcome.self).version == 1)
            }
        }

        @Test("A frame of another protocol version is answered with the version that the host speaks")
        func otherFrameVersion() async throws {
            try await withHost { live in
                let raw = try live.raw()
                var bytes = Frame(.hello).encoded()
                bytes[1] = 9
                try raw.send(bytes)
                let refusal = try await raw.next(.refusal).decodePayload(as: Refusal.self)
                #expect(refusal.code == .version)
                #expect(refusal.reason.contains("version 9"))
                #expect(refusal.versions == .current)
            }
        }

        @Test("A link that is refused for its version stops for good, with the reason")
        func peerOfOtherVersion() async throws {
            try await withHost { live in
                // A real link meets a refusal from a raw ROUTER, which stands in for a future host.
                let client = try await live.client()
                let (ends, end) = AsyncStream<Refusal>.makeStream()
                client.events.onRefused = { end.yield($0) }
                let link = try #require(
                    live.host.hub.links.values.first { $0.name == client.link.configuration.peer })
                let refusal = Refusal(.version, "too old", peerVersions: .current)
                live.host.hub.send(try Frame(.refusal).encoded(payload: refusal), .refusal, to: link)
                var iterator = ends.makeAsyncIterator()
                #expect(await iterator.next(isolation: MainActor.shared) == refusal)
                let error = try await #require(throws: MessageError.self) { try await client.chain.hostStatus() }
                #expect(error.code == .peerLost)
            }
        }

        @Test("A hello that cannot be decoded is refused as malformed")
        func unreadableHello() async throws {
            try await withHost { live in
                let raw = try live.raw()
                var frame = Frame(.hello)
                frame.payload = try CBOREncoder().encode(["peer": 5])[...]
                try raw.send(frame.encoded())
                let refusal = try await raw.next(.refusal).decodePayload(as: Refusal.self)
                #expect(refusal.code == .malformed)
            }
        }

        @Test("A name that another process holds is refused temporarily, and the refusal names that process")
        func nameTaken() async throws {
            try await withHost { live in
                try await live.plugin("greeter")
                let refusal = try await live.raw().hello("greeter").decodePayload(as: Refusal.self)
                #expect(refusal.code == .taken)
                #expect(refusal.isTemporary)
                #expect(refusal.reason.contains("\(getpid())"))
                #expect(live.link(named: "greeter")?.hello.pid == getpid())
            }
        }

        @Test("A process that reconnects gets its name back; the same process id on another machine does not")
        func sameNumber() async throws {
            try await withHost { live in
                #expect(try await live.raw().hello("wall", life: 1).kind == .welcome)
                let other = try await live.raw().hello("wall", life: 2)
                #expect(try other.decodePayload(as: Refusal.self).code == .taken)
                #expect(try await live.raw().hello("wall", life: 1).kind == .welcome)
            }
        }

        @Test("A full host temporarily refuses another peer, says what to do, and accepts it when there is room")
        func full() async throws {
            // The test's own connection, an operator's, takes no place of others.
            try await withHost(configure: { $0.maximumLinks = 1 }) { live in
                let first = try live.raw()
                #expect(try await first.hello("first").kind == .welcome)
                let second = try live.raw()
                let refusal = try await second.hello("second").decodePayload(as: Refusal.self)
                #expect(refusal.code == .full)
                #expect(refusal.isTemporary)
                #expect(refusal.reason.contains("--maximum-links"))
                try first.send(Frame(.goodbye).encoded())
                try await live.until("the first peer is detached") { live.link(named: "first") == nil }
                #expect(try await second.hello("second").kind == .welcome)
            }
        }

        @Test("However many operators are attached to a full host, another one gets in, and the rest stays")
        func operatorsAtFullHost() async throws {
            try await withHost(configure: { $0.maximumLinks = 20 }) { live in
                let worker = try live.raw()
                #expect(try await worker.hello("wall", role: .worker).kind == .welcome)
                var raws: [RawPeer] = []
                // The test's own connection is an operator's, too.
                for number in 1...50 {
                    let raw = try live.raw()
                    #expect(try await raw.hello("operator-\(number)", role: .operator).kind == .welcome)
                    raws.append(raw)
                }
                #expect(live.host.hub.links.count <= 36)
                #expect(live.link(named: "wall") != nil)
                let refusal = try await raws[0].next(.refusal).decodePayload(as: Refusal.self)
                #expect(refusal.code == .full)
                let client = try await live.client()
                let status = try await client.chain.hostStatus()
                let gone = Departure.gaveUpPlace.description
                #expect(status.counters["detached: \(gone)"] ?? 0 > 0)
            }
        }

        @Test("A frame before the hello is answered with a request to say hello again")
        func unknownLink() async throws {
            try await withHost { live in
                let raw = try live.raw()
                try raw.sendHeartbeat()
                let refusal = try await raw.next(.refusal).decodePayload(as: Refusal.self)
                #expect(refusal.code == .unknownLink)
                #expect(refusal.isTemporary)
            }
        }

        @Test("A silent peer is detached, and one that sends heartbeats is not")
        func silence() async throws {
            try await withHost { live in
                let silent = try live.raw(staysAttached: false)
                _ = try await silent.hello("silent")
                let plugin = try await live.plugin("alive")
                try await live.until("the silent peer is detached") { live.link(named: "silent") == nil }
                #expect(live.link(named: "alive") != nil)
                _ = plugin
            }
        }

        // MARK: - Garbage

        @Test("Garbage, truncated frames and frames of the wrong direction are counted, and the host keeps serving")
        func garbage() async throws {
            try await withHost { live in
                let raw = try live.raw()
                _ = try await raw.hello("noise")
                let good = {
                    var frame = Frame(.request)
                    frame.name = "greetingSay"
                    frame.session = "session"
                    return frame.encoded()
                }()
                // A fixed seed: a goodbye or a readable publish made by chance would change the counters.
                var random = SeededGenerator(seed: 1)
                var sent: [[UInt8]] = [[], [0], [Frame.magic], Array("GET / HTTP/1.1\r\n\r\n".utf8)]
                for length in [1, 4, 75, 76, 77, good.count - 1] { sent.append(Array(good.prefix(length))) }
                for _ in 0..<200 {
                    sent.append(
                        (0..<Int.random(in: 0...200, using: &random)).map { _ in
                            UInt8.random(in: 0...255, using: &random)
                        })
                }
                // A valid header, followed by garbage.
                for _ in 0..<200 {
                    var bytes = good
                    for _ in 0..<3 {
                        bytes[Int.random(in: 2..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
                    }
                    sent.append(bytes)
                }
                var wrongText = good
                wrongText[Frame.headerSize] = 0xFF
                sent.append(wrongText)
                sent.append(good + [0])
                var longName = good
                longName[72] = 255
                sent.append(longName)
                for kind in [FrameKind.welcome, .refusal, .snapshot, .delta, .beacon, .tap] {
                    sent.append(Frame(kind).encoded())
                }
                var publish = Frame(.publish)
                publish.payload = [0xFF, 0xFF]
                sent.append(publish.encoded())
                for bytes in sent { try raw.send(bytes) }
                let counters = { live.host.hub.counters.values }
                // The last one.
                try await live.until("every message was processed") { counters()["dropped: unreadable publish"] == 1 }
                for reason in ["tooShort", "notOurs", "unknownKind", "wrongLength", "badText", "tap from a peer"] {
                    #expect(counters()["dropped: \(reason)", default: 0] > 0, "\(reason) is not counted")
                }
                try await live.plugin("greeter") { $0.respond(Greeter("plugin"), to: GreetingMessagesList.self) }
                #expect(try await live.client().chain.greetingSay(name: "Ada") == "plugin greets Ada")
            }
        }

        @Test("A frame above the size limit disconnects its sender and affects no other peer")
        func oversize() async throws {
            try await withHost(configure: { ($0.listen, $0.isInsecure) = (["tcp://127.0.0.1:*"], true) }) { live in
                for endpoint in [live.ipc, try #require(live.addresses.last)] {
                    let raw = try live.raw(to: endpoint)
                    _ = try await raw.hello("large")
                    try raw.send([UInt8](repeating: Frame.magic, count: Frame.maximumSize + 1))
                    try raw.sendHeartbeat()
                    // libzmq has reconnected under another identity, which the host does not know.
                    let refusal = try await raw.next(.refusal).decodePayload(as: Refusal.self)
                    #expect(refusal.code == .unknownLink)
                    raw.close()
                }
                _ = try await live.client().chain.hostStatus()
            }
        }

        @Test("The publisher keeps serving after subscriptions to meaningless topics")
        func strangeSubscriptions() async throws {
            try await withHost { live in
                let raw = try live.raw(.subscriber, to: live.configuration.directory.publisher)
                try raw.subscribe([0xFF])
                try raw.subscribe([UInt8](repeating: 0xFF, count: 17))
                try raw.subscribe([UInt8](repeating: 1, count: 1000))
                try raw.subscribe(Frame.topic(.delta))
                _ = try await live.subscribed(raw)
                let plugin = try await live.plugin("greeter", provides: ["greeting"])
                plugin.appDependency.greeting = "hello"
                let delta = try await raw.next(.delta)
                #expect(try DependencyPayload.decode(delta.payload).keys.sorted() == ["greeting"])
            }
        }

        @Test("Bytes that are not ZeroMQ, on both TCP ports, leave the host serving")
        func notZeroMQ() async throws {
            try await withHost(configure: { ($0.listen, $0.isInsecure) = (["tcp://127.0.0.1:*"], true) }) { live in
                let endpoint = try #require(live.host.hub.endpoints.first { $0.bus.hasPrefix("tcp") })
                for address in [endpoint.bus, endpoint.publisher] {
                    let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
                    for text in ["GET / HTTP/1.1\r\n\r\n", "\u{1}\u{0}", String(repeating: "x", count: 10_000)] {
                        try #require(Self.write(text, toPort: port))
                    }
                }
                try await live.plugin("greeter", over: endpoint.bus) {
                    $0.respond(Greeter("plugin"), to: GreetingMessagesList.self)
                }
                #expect(try await live.client(to: endpoint.bus).chain.greetingSay(name: "A") == "plugin greets A")
            }
        }

        private static func write(_ text: String, toPort port: UInt16) -> Bool {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let connected = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            return connected == 0 && text.withCString { send(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL)) } >= 0
        }

        // MARK: - Gaps

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
