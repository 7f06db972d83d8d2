import Bus
import CBOR
import CoordinatorKit
import TestKit
import Testing
import ZeroMQ

@testable import Hub
@testable import SceneHost

extension LiveTests {
    /// What a host's parts are told of refused peers and of the shutdown.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct HostLifeTests {
        @Test(
            "A new host waits longer for the workers of the earlier one if it asks a peer to retry later or is slow to read",
            arguments: [false, true])
        func busy(isSlowToRead: Bool) async throws {
            try await withHost { live in
                try await live.worker("wall")
                let life = try #require(live.host.life)
                // As when the host has started a second ago.
                let start = MonotonicInstant.now - .seconds(1)
                let old = SessionRecord(id: "old", role: "r", configuration: "Wall", position: 1, token: 7)
                life.sessions.table.start(with: [old], isClean: false, at: start)
                // The number of scenes that are made anew when the leases of the earlier workers have expired.
                @MainActor func newScenes() -> Int {
                    var later = life.sessions.table
                    return later.tick(at: start + .milliseconds(2500)).count
                }
                #expect(newScenes() == 1)
                if isSlowToRead {
                    // It is behind after two late ticks.
                    var backlog = Backlog(heartbeat: .seconds(3600), now: .now)
                    for hour in 1...2 { _ = backlog.tick(at: .now + .seconds(hour * 3600)) }
                    live.host.hub.backlog = backlog
                    life.sessions.waitForUnreadHellos(at: .now)
                } else {
                    life.refused(
                        nil, Refusal(.busy, "many peers are attaching"),
                        from: PeerIdentity(connection: RoutingID([]), process: nil))
                }
                #expect(newScenes() == 0)
            }
        }

        @Test("A host that handles too many requests at a time refuses more as overloaded")
        func tooManyRunning() async throws {
            try await withHost(delegate: GreetingDelegate(), handles: [GreetingMessagesList.self]) { live in
                let client = try await live.client()
                _ = try await client.chain.greetingSay(name: "A")
                live.host.life?.chain.shares = FairShare(of: 0)
                let error = try await #require(throws: MessageError.self) {
                    try await client.chain.greetingSay(name: "A")
                }
                #expect(error.code == .overloaded)
                #expect(!error.mayHaveBeenHandled)
                // An operator still sees what is wrong.
                _ = try await client.chain.hostStatus()
                live.host.life?.chain.shares = FairShare(of: 1)
                _ = try await client.chain.greetingSay(name: "A")
            }
        }

        @Test("A peer whose requests are still handled, also those of its earlier links, leaves room for others")
        func runningShares() async throws {
            let delegate = StubbornDelegate()
            try await withHost(delegate: delegate, handles: [GreetingMessagesList.self]) { live in
                live.host.life?.chain.shares = FairShare(of: 10)
                let other = try await live.client()
                for life in 1...2 as ClosedRange<UInt64> {
                    // The host cancels the handlers of a lost link, and these go on.
                    let raw = try live.raw()
                    #expect(try await raw.hello("greedy", life: life).kind == .welcome)
                    for id in 1...2 as ClosedRange<UInt64> { try StubbornDelegate.ask(raw, id) }
                    try await live.until("its requests are handled") { delegate.waiting.count == Int(life) * 2 }
                    try raw.send(Frame(.goodbye).encoded())
                    try await live.until("it is gone") { live.link(named: "greedy") == nil }
                }
                let raw = try live.raw()
                #expect(try await raw.hello("greedy", life: 3).kind == .welcome)
                for id in 1...2 as ClosedRange<UInt64> { try StubbornDelegate.ask(raw, id) }
                let failure = try await raw.next(.failure)
                #expect(failure.id == 2)
                let error = try failure.decodePayload(as: FailureEncoding.self).error as? MessageError
                #expect(error?.code == .overloaded)
                #expect(try await other.chain.greetingSay(name: "A") == "A")
                delegate.release()
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

        @Test("A store from before the last host, which could have been put back, counts as not ended in order")
        func restored() async throws {
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/sessions.sqlite"
            func endedCleanly() async throws -> Bool {
                var configuration = try HostConfiguration(name: "test")
                configuration.store = store
                let storage = try await HostStorage(configuration)
                defer { storage.lock?.release() }
                return storage.endedCleanly
            }
            try await withHost(in: folder, configure: { $0.store = store }) { _ in }
            #expect(try await endedCleanly())
            // A later host has used another copy of the store.
            let epoch = try #require(try EpochFile(store: store).content()?.epoch)
            try EpochFile(store: store).record(epoch + 1)
            #expect(try await !endedCleanly())
        }

        @Test("The problem of an epoch file ends when the file can be written")
        func epochFile() async throws {
            let folder = try TemporaryFolder()
            let store = "\(folder.path)/sessions.sqlite"
            try await withHost(in: folder, configure: { $0.store = store }) { live in
                let life = try #require(live.host.life)
                let problems = life.problems
                var canWrite = false
                problems.epoch = "the disk is full"
                problems.recordEpoch = { if !canWrite { throw CancellationError() } }
                let client = try await live.client()
                #expect(try await client.chain.hostStatus().problems.count == 1)
                canWrite = true
                #expect(try await client.chain.hostStatus().problems == [])
            }
        }
    }
}

/// Handles requests until a test ends them, whether they are cancelled or not.
final class StubbornDelegate: AppDelegate, GreetingMessages {
    private(set) var waiting: [CheckedContinuation<Void, Never>] = []

    func greetingSay(name: String) async throws -> String { name }
    func greetingForever() async throws { await withCheckedContinuation { waiting.append($0) } }
    func greetingShout(text: String) {}

    /// Sends a request that is handled so.
    static func ask(_ raw: RawPeer, _ id: UInt64) throws {
        var frame = Frame(.request)
        frame.id = id
        frame.name = GreetingMessagesList.greetingForever.name
        frame.payload = [0xA0]
        try raw.send(frame.encoded())
    }

    func release() {
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
