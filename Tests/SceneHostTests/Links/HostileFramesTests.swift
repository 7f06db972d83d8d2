import Messaging
import TestKit
@testable import Hub
import SeededRandom
import Bus
import CBOR
import CoordinatorKit
import FoundationEssentials
import Glibc
import PeerLink
import PluginKit
import Testing
import ZeroMQ

@testable import SceneHost

extension LiveTests {
    /// Peers that speak ZeroMQ, but send frames that no correct peer sends.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct HostileFramesTests {
        private func received(by live: LiveHost) -> UInt64 {
            let codes: [FrameError.Code] = [
                .tooShort, .notOurs, .otherVersion, .unknownKind, .wrongLength, .tooLarge, .badText,
            ]
            let counters = live.host.hub.counters.values
            return counters["frames in", default: 0]
                + codes.reduce(0) { $0 + counters["dropped: \($1.rawValue)", default: 0] }
        }

        @Test("Each message of a hostile peer is accepted or counted with a reason, and other peers are served")
        func changedFrames() async throws {
            try #require(HostileFrames.corpus.count > 10)
            try await withHost { live in
                try await live.plugin("greeter") { $0.respond(Greeter("plugin"), to: GreetingMessagesList.self) }
                let greeter = live.link(named: "greeter")?.id
                let raw = try live.raw()
                let frames = HostileFrames.frames(5000, seed: 11)
                var expected = UInt64(0)
                for batch in stride(from: 0, to: frames.count, by: 250) {
                    // Some of these frames are goodbyes.
                    try raw.sendHello("noise", role: .plugin)
                    let before = received(by: live)
                    for bytes in frames[batch..<(batch + 250)] { try raw.send(bytes) }
                    expected = before + 251
                    // At least this many: other peers send frames meanwhile.
                    try await live.until("the host has received the batch") { received(by: live) >= expected }
                }
                let counters = live.host.hub.counters.values
                for reason in ["tooShort", "notOurs", "otherVersion", "unknownKind", "wrongLength", "badText"] {
                    #expect(counters["dropped: \(reason)", default: 0] > 0, "\(reason) is not counted")
                }
                #expect(counters["dropped: unreadable publish", default: 0] > 0)
                #expect(counters["refused: unreadable hello", default: 0] > 0)
                #expect(live.link(named: "greeter")?.id == greeter)
                #expect(try await live.client().chain.greetingSay(name: "A") == "plugin greets A")
            }
        }

        @Test("A message of several parts closes its connection, and is counted")
        func parts() async throws {
            try await withHost { live in
                let raw = try live.raw()
                _ = try await raw.hello("parts")
                let heartbeat = Frame(.heartbeat).encoded()
                try raw.send(parts: [heartbeat, heartbeat])
                try await live.until("the connection is closed") {
                    live.host.hub.counters.values["closed: connection with a message of several parts", default: 0] > 0
                }
                #expect(live.host.hub.counters.values["dropped: not one frame"] == nil)
            }
        }

        @Test("Large frames that cannot be decoded do not stay in memory")
        func memory() async throws {
            try await withHost { live in
                let raw = try live.raw()
                _ = try await raw.hello("large")
                var bytes = [UInt8](repeating: 0x81, count: 8 << 20)
                bytes.replaceSubrange(..<3, with: [Frame.magic, Frame.version, 200])
                let before = try residentBytes()
                for count in 1...64 {
                    try raw.send(bytes)
                    try await live.until("\(count) frames are counted") {
                        live.host.hub.counters.values["dropped: unknownKind"] == UInt64(count)
                    }
                }
                #expect(try residentBytes() < before + 128 << 20)
            }
        }

        private func residentBytes() throws -> Int {
            let statistics = String(
                decoding: FileManager.default.contents(atPath: "/proc/self/statm") ?? Data(), as: UTF8.self)
            return try #require(statistics.split(separator: " ").dropFirst().first.flatMap { Int($0) })
                * Int(getpagesize())
        }

        @Test("A text that would take hours to compare is refused at once")
        func marks() async throws {
            try await withHost { live in
                let raw = try live.raw()
                _ = try await raw.hello("zalgo", provides: ["key"])
                var publish = Frame(.publish)
                publish.payload = ([0xA1] + Self.zalgo(2_000_000) + [0])[...]
                try raw.send(publish.encoded())
                var hello = Frame(.hello)
                let valid = Hello(role: .plugin, peer: "x", pid: 1, endpoint: "")
                let fields = try #require(try CBORValue(encoding: valid).mapValue)
                var writer = CBORWriter()
                writer.writeMapHead(count: fields.entries.count)
                for entry in fields.entries {
                    writer.writeValue(entry.key)
                    if entry.key == "peer" {
                        writer.writeRaw(Self.zalgo(200_000)[...])
                    } else {
                        writer.writeValue(entry.value)
                    }
                }
                hello.payload = writer.bytes[...]
                try raw.send(hello.encoded())
                try await live.until("both frames are refused") {
                    live.host.hub.counters.values["dropped: unreadable publish"] == 1
                        && live.host.hub.counters.values["refused: unreadable hello"] == 1
                }
            }
        }

        /// Encodes a text of one letter and the given number of combining marks.
        private static func zalgo(_ count: Int) -> [UInt8] {
            let text = Array("a".utf8) + marks(count)
            return [0x7A] + (0..<4).map { UInt8(truncatingIfNeeded: text.count >> (24 - 8 * $0)) } + text
        }

        private static func marks(_ count: Int) -> [UInt8] {
            Array(String(repeating: "\u{315}\u{300}", count: count / 2).utf8)
        }

        @Test("A hello whose names or numbers exceed the limits is refused, with the reason")
        func excess() async throws {
            try await withHost { live in
                let long = String(repeating: "x", count: 256)
                let names = (0...1024).map { "n\($0)" }
                let wrong: [(Hello, String)] = [
                    (Hello(role: .worker, peer: long, pid: 1, endpoint: ""), "name has 256 bytes"),
                    (Hello(role: .worker, peer: "x", pid: 1, endpoint: long), "endpoint has 256 bytes"),
                    (Hello(role: .worker, peer: "x", pid: 1, endpoint: "", handles: [long]), "messages has 256 bytes"),
                    (Hello(role: .worker, peer: "x", pid: 1, endpoint: "", provides: names), "1025 entries"),
                    (Hello(role: .worker, peer: "x", pid: 1, endpoint: "", capacity: .min), "capacity"),
                    (
                        Hello(
                            role: .worker, peer: "x", pid: 1, endpoint: "", held: [HeldScene(session: long, token: 1)]),
                        "scenes held has 256 bytes"
                    ),
                ]
                let raw = try live.raw()
                for (hello, reason) in wrong {
                    try raw.send(Frame(.hello).encoded(payload: hello))
                    let refusal = try await raw.next(.refusal).decodePayload(as: Refusal.self)
                    #expect(refusal.code == .malformed)
                    #expect(refusal.reason.contains(reason), "\(refusal.reason)")
                }
                #expect(live.host.hub.counters.values["refused: hello beyond measure"] == UInt64(wrong.count))
                #expect(live.link(named: "x") == nil)
            }
        }

        @Test("A worker that claims a scene with the largest token gets none, and the next session is placed")
        func largestToken() async throws {
            try await withHost { live in
                let raw = try live.raw()
                let hello = Hello(
                    role: .worker, peer: "thief", pid: 1, endpoint: "", scenes: ["Wall"], capacity: 1,
                    held: [HeldScene(session: "none", token: .max)])
                try raw.send(Frame(.hello).encoded(payload: hello))
                #expect(try await raw.next().kind == .welcome)
                try await live.worker("honest")
                let session = try await live.client().chain.hostOpenSession(
                    configuration: "Wall", role: "window", link: nil, session: nil)
                #expect(session.token < 1 << 63)
            }
        }

        @Test("A subscription that is longer than any topic disconnects its sender and affects no other peer")
        func subscriptions() async throws {
            try await withHost { live in
                let publisher = live.configuration.directory.publisher
                let connection = try PlainConnection(to: publisher)
                let topic = [UInt8](repeating: 1, count: 100_000)
                let size = (0..<8).map { UInt8(truncatingIfNeeded: (topic.count + 1) >> (56 - 8 * $0)) }
                connection.send(ZMTP.greeting() + ZMTP.ready("SUB") + [2] + size + [1] + topic)
                #expect(await PlainConnection.open(of: [connection], within: .seconds(20)) == 0)
                let raw = try live.raw(.subscriber, to: publisher)
                try raw.subscribe(Frame.topic(.beacon))
                #expect(try await raw.next().kind == .beacon)
            }
        }
    }
}
