import Messaging
import TestKit
@testable import Hub
import Bus
import CBOR
import CoordinatorKit
import PeerLink
import PluginKit
import Testing
import ZeroMQ

@testable import SceneHost

extension LiveTests {
    /// Flow control: the send window, the replies that wait for room in it, and the acknowledgements.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct FlowControlTests {
        /// Sets entries that fill a few parts of a snapshot.
        private func fill(_ live: LiveHost) {
            var container = AppDependency()
            for number in 0..<8 { container.setValue(String(repeating: "x", count: 90_000), of: "key\(number)") }
            live.host.application.delegate.appDependency = container
        }

        @Test("A peer that keeps asking for parts and reads nothing gets each part once, and others are served")
        func partsUnread() async throws {
            try await withHost { live in
                fill(live)
                let raw = try live.raw()
                _ = try await raw.hello("greedy")
                var ask = Frame(.synchronize)
                ask.epoch = live.host.hub.epoch
                try raw.send(ask.encoded())
                // The same part again and again, as from a peer that has not received it.
                ask.part = 1
                ask.revision = live.host.container.entries.revision
                let bytes = ask.encoded()
                var asked: UInt64 = 0
                for _ in 0..<6 {
                    // At most this many messages wait for the host.
                    for _ in 0..<500 { try raw.send(bytes) }
                    asked += 500
                    try await live.until("the host has received all requests") {
                        live.link(named: "greedy")?.traffic.receivedBytes.count ?? 0 >= asked * UInt64(bytes.count)
                    }
                }
                let link = try #require(live.link(named: "greedy"))
                #expect(link.traffic.sendWindow.outstanding <= 512 << 10)
                _ = try await live.client().chain.hostStatus()
            }
        }

        @Test("A reply that does not fit fails as overloaded, marked as perhaps handled")
        func repliesUnread() async throws {
            let large = String(repeating: "x", count: 12 << 20)
            try await withHost { live in
                try await live.plugin("greeter") {
                    $0.respond(LargeGreeter(large), to: GreetingMessagesList.self)
                }
                let raw = try live.raw()
                _ = try await raw.hello("deaf")
                // Two or three replies are in flight, five wait, and the rest have no room.
                for id in 1...12 as ClosedRange<UInt64> {
                    var request = Frame(.request)
                    request.id = id
                    request.name = "greetingSay"
                    request.payload = try CBOREncoder().encode(["name": "A"])[...]
                    try raw.send(request.encoded())
                }
                var replies = 0
                var failures: [MessageError] = []
                while failures.count < 4 {
                    let frame = try await raw.next()
                    if frame.kind == .reply { replies += 1 }
                    if frame.kind == .failure,
                        case .message(let error) = try frame.decodePayload(as: FailureEncoding.self)
                    {
                        failures.append(error)
                    }
                }
                #expect(replies >= 2)
                #expect(failures.allSatisfy { $0.code == .overloaded && $0.mayHaveBeenHandled })
            }
        }

        @Test("A failure that does not fit waits like a reply, and arrives when there is room again")
        func failuresUnread() async throws {
            let large = String(repeating: "x", count: 12 << 20)
            try await withHost { live in
                let greeter = LargeGreeter(large)
                try await live.plugin("greeter") { $0.respond(greeter, to: GreetingMessagesList.self) }
                let raw = try live.raw()
                var received = UInt64(try await raw.hello("deaf").encoded().count)
                for id in 1...4 as ClosedRange<UInt64> {
                    var request = Frame(.request)
                    request.id = id
                    request.name = id < 4 ? "greetingSay" : "greetingFail"
                    request.payload = try CBOREncoder().encode(id < 4 ? ["name": "A"] : ["code": large])[...]
                    try raw.send(request.encoded())
                }
                let link = try #require(live.link(named: "deaf"))
                try await live.until("the failure waits for room") {
                    link.inFlight == 0 && link.traffic.nextHeld == nil && link.traffic.isHolding(1 << 20)
                }
                var heartbeat = Frame(.heartbeat)
                var ends: [UInt64: FrameKind] = [:]
                while ends.count < 4 {
                    let frame = try await raw.next()
                    if frame.kind == .reply || frame.kind == .failure { ends[frame.id] = frame.kind }
                    received += UInt64(frame.encoded().count)
                    heartbeat.payload = try CBOREncoder().encode(Heartbeat(received: received))[...]
                    try raw.send(heartbeat.encoded())
                }
                #expect(ends == [1: .reply, 2: .reply, 3: .reply, 4: .failure])
                #expect(live.host.hub.counters.values["dropped: a peer does not read"] == nil)
            }
        }

        @Test("A link whose peer acknowledges what it receives, and returns the marks, carries more than without marks")
        func acknowledged() async throws {
            let large = String(repeating: "x", count: 12 << 20)
            try await withHost { live in
                try await live.plugin("greeter") {
                    $0.respond(LargeGreeter(large), to: GreetingMessagesList.self)
                }
                let client = try await live.client()
                for _ in 0..<12 {
                    #expect(try await client.chain.greetingSay(name: large).utf8.count == large.utf8.count)
                }
            }
        }

        @Test("All bytes from a peer are counted, including its hello and undecodable frames")
        func received() async throws {
            try await withHost { live in
                let raw = try live.raw()
                var hello = Frame(.hello)
                hello.payload = try CBOREncoder().encode(Hello(role: .plugin, peer: "exact", pid: 1, endpoint: ""))[...]
                var heartbeat = Frame(.heartbeat)
                heartbeat.id = 1
                let frames = [hello.encoded(), [UInt8](repeating: 7, count: 400), heartbeat.encoded()]
                for frame in frames { try raw.send(frame) }
                let answer = try await raw.next(.heartbeat).decodePayload(as: Heartbeat.self)
                #expect(answer.received == frames.reduce(0) { $0 + UInt64($1.count) })
            }
        }
    }
}

/// Replies with a large text.
@MainActor
private final class LargeGreeter: PluginResponder, GreetingMessages {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    func greetingSay(name: String) async throws -> String { text }
    func greetingFail(code: String) async throws { throw RemoteError(type: "", message: code) }
    func greetingForever() async throws {}
    func greetingShout(text: String) {}
}
