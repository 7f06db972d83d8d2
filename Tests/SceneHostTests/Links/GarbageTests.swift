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
    /// What is not a frame of a peer leaves the host serving.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct GarbageTests {
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
    }
}
