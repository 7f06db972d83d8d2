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
    /// How a host answers a hello, and what it does with a peer that says none or falls silent.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct HandshakeTests {
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
    }
}
