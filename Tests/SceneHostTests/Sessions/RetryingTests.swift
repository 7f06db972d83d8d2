import TestKit
import Bus
import CBOR
import CoordinatorKit
import Foundation
import GRDB
import PeerLink
import Testing
import ZeroMQ

@testable import SceneHost

extension LiveTests {
    /// What the host retries on its own: scenes that no worker made, and states that could not be written.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct RetryingTests {
        private static func hasten(_ configuration: inout HostConfiguration) {
            configuration.placementTimeout = .milliseconds(50)
            configuration.retry = Retry.Timing(first: .milliseconds(20), maximum: .milliseconds(40))
        }

        private func answer(_ request: Frame, of raw: RawPeer, with error: (any Error)? = nil) throws {
            var reply = Frame(error == nil ? .reply : .failure)
            reply.id = request.id
            reply.payload =
                try error.map { try CBOREncoder().encode(FailureEncoding($0)) }?[...]
                ?? CBOREncoder().encode(NoReply())[...]
            try raw.send(reply.encoded())
        }

        @Test("A scene that a worker does not make in time is retried, with the link to open")
        func placement() async throws {
            try await withHost(configure: Self.hasten) { live in
                let client = try await live.client()
                let raw = try await live.rawWorker(named: "slow", capacity: 10)
                let id = try await client.open("Wall", link: .url("wall://item/1"))
                var tokens: [UInt64] = []
                var discarded: Set<UInt64> = []
                // On a busy machine, later replies may be too late as well, and the host retries again.
                let working = Task {
                    while true {
                        let request = try await raw.next(.request)
                        #expect(request.session == id)
                        if request.name == "sceneDiscard" {
                            discarded.insert(request.token)
                            try answer(request, of: raw)
                            continue
                        }
                        let fields = try request.decodePayload(as: [String: CBORValue].self)
                        #expect(fields["links"]?.arrayValue?.count == 1)
                        tokens.append(request.token)
                        if tokens.count > 2 { try answer(request, of: raw) }
                    }
                }
                try await live.until("the session has its scene") {
                    let session = try await client.chain.hostSessions()[0]
                    return session.worker == "slow" && session.problem == nil
                }
                working.cancel()
                _ = await working.result
                #expect(tokens.count > 2)
                #expect(tokens == tokens.sorted() && Set(tokens).count == tokens.count)
                // The host discards each scene that may have been made too late.
                #expect(discarded.isSuperset(of: tokens.dropLast()))
            }
        }

        @Test("A worker gets no new scene in the place of a closed one until it has been told to discard that")
        func owedDiscard() async throws {
            try await withHost(
                configure: { $0.retry = Retry.Timing(first: .milliseconds(20), maximum: .milliseconds(40)) }
            ) { live in
                let client = try await live.client()
                let raw = try await live.rawWorker(named: "slow", capacity: 1, credits: 1)
                let opening = Task { try await client.open() }
                try answer(try await raw.next("sceneConnect"), of: raw)
                let first = try await opening.value
                // The worker takes one request at a time, and this one is still running.
                let acting = Task { try await client.act(first, "wait") }
                let act = try await raw.next("sceneAct")
                try await client.chain.hostCloseSession(session: first)
                #expect(try await client.chain.hostWorkers().map(\.ending) == [1])
                let second = try await client.open()
                #expect(try live.host.life?.sessions.session(second).phase == .waiting)
                try answer(act, of: raw, with: SceneCommandError(.refused, "no"))
                _ = await acting.result
                let discard = try await raw.next(.request)
                #expect(discard.name == "sceneDiscard")
                #expect(discard.session == first)
                try answer(discard, of: raw)
                let connect = try await raw.next(.request)
                #expect(connect.name == "sceneConnect")
                #expect(connect.session == second)
                try answer(connect, of: raw)
                try await live.until("the scene runs") { try await client.chain.hostStatus().connectedScenes == 1 }
            }
        }

        @Test("A session whose worker leaves while making its scene waits, and is not placed on another worker at once")
        func deadly() async throws {
            try await withHost(
                configure: { $0.retry = Retry.Timing(first: .seconds(3600), maximum: .seconds(3600)) }
            ) { live in
                let client = try await live.client()
                let first = try await live.rawWorker(named: "first", capacity: 1)
                _ = try await live.rawWorker(named: "second", capacity: 1)
                let opening = Task { try await client.open() }
                let id = try await first.next("sceneConnect").session
                try first.send(Frame(.goodbye).encoded())
                try await live.until("the first worker is detached") { live.link(named: "first") == nil }
                #expect(try await opening.value == id)
                let session = try #require(try live.host.life?.sessions.session(id))
                #expect(session.phase == .waiting)
                #expect(session.retry.due != nil)
                _ = try await live.rawWorker(named: "third", capacity: 1)
                try await live.turn()
                #expect(try live.host.life?.sessions.session(id).phase == .waiting)
            }
        }

        @Test("A session that no worker makes does not keep the only room from another session")
        func fair() async throws {
            try await withHost(configure: Self.hasten) { live in
                let client = try await live.client()
                let raw = try await live.rawWorker(named: "slow", capacity: 1)
                let refusal = SceneCommandError(.refused, "no")
                let opening = Task { try await client.open() }
                let request = try await raw.next("sceneConnect")
                let first = request.session
                try answer(request, of: raw, with: refusal)
                async let second = client.open()
                var tried: Set<String> = []
                while tried.count < 2 {
                    let request = try await raw.next("sceneConnect")
                    tried.insert(request.session)
                    try answer(request, of: raw, with: refusal)
                }
                #expect(tried == [first, try await second])
                #expect(try await opening.value == first)
            }
        }

        @Test("While the disk is full the host keeps running and reports it; a state is written once there is room")
        func fullDisk() async throws {
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/sessions.sqlite"
            let note = String(repeating: "x", count: 30_000)
            let kept = try await withHost(
                in: folder,
                configure: {
                    Self.hasten(&$0)
                    $0.placementTimeout = .seconds(5)
                    $0.store = path
                    $0.maximumStorePages = 20
                }
            ) { live in
                try await live.worker("wall", capacity: 2)
                let client = try await live.client()
                let (gone, kept) = (try await client.open(), try await client.open())
                for id in [gone, kept] { _ = try await client.act(id, "keep", note) }
                try await live.until("the status reports the problem") {
                    try await client.chain.hostStatus().problems.contains {
                        $0.contains(path) && $0.contains("disk is full")
                    }
                }
                #expect(try await client.act(kept, "show", "3").title == "item(3)")
                try await client.chain.hostCloseSession(session: gone)
                try await live.until("the state is written") { try await client.chain.hostStatus().problems.isEmpty }
                return kept
            }
            let records = try await HostStore(path: path).sessions()
            #expect(records.map(\.id) == [kept])
            #expect(try #require(records.first?.state).decode(as: CBORValue.self).json.contains(note))
        }

        @Test(
            "A host that cannot mark itself as running starts no scenes: its successor would not wait for workers"
        )
        func unmarked() async throws {
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/sessions.sqlite"
            try await HostStore(path: path).write([
                .saveSessions([SessionRecord(id: "old", role: "r", configuration: "Wall", position: 1)]), .endLife,
            ])
            var busy = Configuration()
            busy.busyMode = .timeout(5)
            let queue = try DatabaseQueue(path: path, configuration: busy)
            try await queue.write {
                try $0.execute(
                    sql: "CREATE TRIGGER full BEFORE UPDATE ON host BEGIN SELECT RAISE(FAIL, 'no room'); END")
            }
            try await withHost(in: folder, configure: { $0.store = path }) { live in
                try await live.worker("wall")
                let client = try await live.client()
                let waiting = try #require(try await client.chain.hostSessions().first)
                #expect(waiting.state == .waiting)
                #expect(waiting.problem?.contains("store") == true)
                #expect(try await client.chain.hostStatus().problems.contains { $0.contains("no room") })
                try await queue.write { try $0.execute(sql: "DROP TRIGGER full") }
                try await live.until("the scene runs") { try await client.chain.hostSessions()[0].state == .running }
            }
        }

        @Test(
            "An unreadable state in the store is set aside and reported with a remedy, and the host starts")
        func unreadableState() async throws {
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/sessions.sqlite"
            let state = try CBORRaw(encoding: UserActivity(activityType: "broken"))
            try await HostStore(path: path).write([
                .saveSessions([
                    SessionRecord(id: "old", role: "r", configuration: "Wall", position: 1, state: state),
                    SessionRecord(id: "good", role: "r", configuration: "Wall", position: 2),
                ])
            ])
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            // This byte is the head of a field's name. After the change the state is not a valid item.
            let place = try #require(bytes.firstRange(of: Array("activityType".utf8)))
            bytes[place.lowerBound - 1] = 0x1C
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            for _ in 1...2 {
                try await withHost(in: folder, configure: { $0.store = path }) { live in
                    let client = try await live.client()
                    #expect(try await client.chain.hostSessions().map(\.session) == ["good"])
                    let problem = try #require(try await client.chain.hostStatus().problems.first)
                    for word in ["store", "'old'", "UPDATE session"] { #expect(problem.contains(word)) }
                }
            }
        }

        @Test("A session that is opened while the disk is full is refused with the reason, and the host keeps running")
        func fullAtOnce() async throws {
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/sessions.sqlite"
            _ = try HostStore(path: path)
            try await withHost(
                in: folder,
                configure: {
                    $0.store = path
                    $0.maximumStorePages = 1
                }
            ) { live in
                try await live.worker("wall", capacity: 1000)
                let client = try await live.client()
                // The store may not grow beyond its empty size, and this session needs more pages.
                let error = try await #require(throws: RemoteError.self) {
                    try await client.chain.hostOpenSession(
                        configuration: "Wall", role: String(repeating: "r", count: 10_000), link: nil, session: nil)
                }
                #expect(error.message.contains("disk is full"))
                #expect(error.message.contains(path))
                #expect(try await client.chain.hostSessions().isEmpty)
            }
        }
    }
}
