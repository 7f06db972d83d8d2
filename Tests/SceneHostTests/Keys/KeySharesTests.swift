import Bus
import CBOR
import InMemoryLogging
import Logging
import Messaging
import TestKit
import Testing

@testable import Hub
@testable import SceneHost

extension LiveTests {
    /// What peers with keys share.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct KeySharesTests {
        @Test("The peers of one key leave places to those of another one with the same address")
        func places() async throws {
            try await KeyedHost.with(configure: { $0.maximumLinks = 20 }) { host in
                for line in ["wall worker", "lobby worker"] { try await host.allow(line) }
                var attached: [RawPeer] = []
                let refusal = try await #require(throws: Refusal.self) {
                    for number in 1...20 {
                        attached.append(try await host.attached("wall", role: .worker, as: "wall-\(number)"))
                    }
                }
                // The places without a tenth, and half of them.
                #expect(attached.count == 9)
                #expect(refusal.code == .full)
                #expect(refusal.reason.contains("9 peers of the key 'wall'"), "\(refusal.reason)")
                _ = try await host.attached("lobby", role: .worker)
            }
        }

        @Test("The requests of a key's peers, attached and gone, count for the next one, and for no other key's")
        func abandonedRequests() async throws {
            let delegate = StubbornDelegate()
            try await KeyedHost.with(delegate: delegate, handles: [GreetingMessagesList.self]) { host in
                for line in ["wall worker", "lobby worker"] { try await host.allow(line) }
                host.live.host.life?.chain.shares = FairShare(of: 10)
                var peers: [RawPeer] = []
                for number in 1...2 {
                    let raw = try await host.attached("wall", role: .worker, as: "wall-\(number)")
                    for id in 1...2 as ClosedRange<UInt64> { try StubbornDelegate.ask(raw, id) }
                    try await host.live.until("its requests are handled") { delegate.waiting.count == number * 2 }
                    peers.append(raw)
                }
                try peers[0].send(Frame(.goodbye).encoded())
                try await host.live.until("one of them is gone") { host.live.link(named: "wall-1") == nil }
                let raw = try await host.attached("wall", role: .worker, as: "wall-3")
                for id in 1...2 as ClosedRange<UInt64> { try StubbornDelegate.ask(raw, id) }
                #expect(try await raw.next(.failure).id == 2)
                let other = try await host.attached("lobby", role: .worker)
                try StubbornDelegate.ask(other, 1)
                try await host.live.until("the other key's request is handled") { delegate.waiting.count == 6 }
                delegate.release()
            }
        }

        @Test("The entries of all peers of a key are counted together")
        func entries() async throws {
            try await KeyedHost.with { host in
                try await host.allow("shop plugin")
                for number in 1...2 {
                    let raw = try host.raw("shop")
                    let answer = try await raw.hello(
                        "shop-\(number)", role: .plugin, provides: ["k\(number)"], endpoint: host.address)
                    #expect(answer.kind == .welcome)
                    var frame = Frame(.publish)
                    frame.payload = DependencyPayload.encode(["k\(number)": try CBOREncoder().encode(1)])[...]
                    try raw.send(frame.encoded())
                    try await host.live.until("the entry has arrived") {
                        host.live.host.container.entries.entry(of: "k\(number)")?.value != nil
                    }
                }
                let owners = host.live.host.container.table.owners
                #expect(owners.sharedSize(of: "shop-1") == 2 * owners.size(of: "shop-1"))
                #expect(owners.sharedSize(of: "shop-2") == owners.size)
            }
        }

        @Test("Each peer of a key that is detached for a fault is a line of the log")
        func departures() async throws {
            let (logger, handler) = HostileTextTests.logger()
            try await KeyedHost.with(logger: logger) { host in
                try await host.allow("wall worker")
                var heartbeat = Frame(.heartbeat)
                heartbeat.id = 1
                heartbeat.payload = try CBOREncoder().encode(Heartbeat(received: 1 << 40))[...]
                for name in ["wall-1", "wall-2", "wall-1"] {
                    let liar = try await host.attached("wall", role: .worker, as: name)
                    try liar.send(heartbeat.encoded())
                    try await host.live.until("it is detached") { host.live.link(named: name) == nil }
                }
                let warnings = handler.entries.filter { $0.message == "detached" && $0.level == .warning }
                #expect(warnings.map { $0.metadata["peer"] } == [.string("wall-1"), .string("wall-2")])
            }
        }
    }
}
