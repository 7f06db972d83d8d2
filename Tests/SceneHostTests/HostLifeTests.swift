import Bus
import CBOR
import CoordinatorKit
import TestKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// What a host's parts are told of refused peers and of the shutdown.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct HostLifeTests {
        @Test("A new host waits longer for the workers of the earlier one after it has asked a peer to retry later")
        func busy() async throws {
            try await withHost { live in
                try await live.worker("wall")
                let life = try #require(live.host.life)
                // As when the host has started a second ago.
                let start = ContinuousClock.now - .seconds(1)
                let old = SessionRecord(id: "old", role: "r", configuration: "Wall", position: 1, token: 7)
                life.sessions.table.start(with: [old], isClean: false, at: start)
                // The number of scenes that are made anew when the leases of the earlier workers have expired.
                @MainActor func newScenes() -> Int {
                    var later = life.sessions.table
                    return later.tick(at: start + .milliseconds(2500)).count
                }
                #expect(newScenes() == 1)
                life.refused(nil, Refusal(.busy, "many peers are attaching"))
                #expect(newScenes() == 0)
            }
        }

        @Test("The entries of a plugin that leaves because the host shuts down do not become absent")
        func shutdown() async throws {
            try await withHost { live in
                let plugin = try live.raw()
                #expect(try await plugin.hello("adder", provides: ["total"]).kind == .welcome)
                var frame = Frame(.publish)
                frame.payload = DependencyPayload.encode(["total": try CBOREncoder().encode(1)])[...]
                try plugin.send(frame.encoded())
                try await live.until("the entry has arrived") {
                    live.host.container.entries.entry(of: "total")?.value != nil
                }
                // The host waits for the goodbye of this peer.
                let silent = try live.raw()
                #expect(try await silent.hello("silent").kind == .welcome)
                let ending = Task { await live.endHost() }
                _ = try await plugin.next(.goodbye)
                try plugin.send(Frame(.goodbye).encoded())
                await ending.value
                _ = try await silent.next(.goodbye)
                #expect(live.host.container.entries.entry(of: "total")?.value != nil)
                #expect(live.host.container.entries.entry(of: AppDependency.absentKey) == nil)
            }
        }
    }
}
