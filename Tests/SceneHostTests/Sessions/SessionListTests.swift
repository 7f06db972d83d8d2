import TestKit
@testable import Hub
import Bus
import CoordinatorKit
import PeerLink
import Testing

@testable import SceneHost

extension LiveTests {
    /// The lists that operators get, page by page.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct SessionListTests {
        /// Opens sessions in memory, without a store.
        private func open(_ numbers: Range<Int>, in live: LiveHost, role: String = "r") throws {
            let sessions = try #require(live.host.life?.sessions)
            for number in numbers {
                let record = SessionRecord(
                    id: "s\(number)", role: role, configuration: "Wall", position: sessions.table.nextPosition())
                sessions.perform(sessions.table.opened(record, links: [], at: .now))
            }
        }

        @Test("All sessions are listed although the whole list exceeds the largest reply")
        func large() async throws {
            try await withHost { live in
                try open(0..<3000, in: live, role: String(repeating: "x", count: 8000))
                let client = try await live.client()
                #expect(try await client.chain.hostSessions().map(\.session) == (0..<3000).map { "s\($0)" })
            }
        }

        @Test("Opening or closing sessions between two pages makes the list skip none and repeat none")
        func changes() async throws {
            try await withHost { live in
                try open(0..<1200, in: live)
                let client = try await live.client()
                let first = try await client.chain.hostSessions(worker: nil, after: nil, limit: 100)
                #expect(first.sessions.count == 100)
                // The session at which the page ended, and the next one.
                for number in [99, 100] { try await client.chain.hostCloseSession(session: "s\(number)") }
                try open(1200..<1201, in: live)
                var rest: [String] = []
                var next = first.next
                while let after = next {
                    let page = try await client.chain.hostSessions(worker: nil, after: after, limit: 10_000)
                    #expect(page.sessions.count <= 500)
                    rest += page.sessions.map(\.session)
                    next = page.next
                }
                #expect(rest == (101..<1201).map { "s\($0)" })
            }
        }

        @Test("A worker that has returned to a new host is shown with its scenes before they resume")
        func back() async throws {
            try await withHost { live in
                let old = SessionRecord(id: "old", role: "r", configuration: "Wall", position: 1, token: 7)
                live.host.life?.sessions.table.start(with: [old], isClean: false, at: .now + .seconds(3600))
                let raw = try await live.rawWorker(
                    named: "kept", capacity: 2, held: [HeldScene(session: "old", token: 7)])
                let client = try await live.client()
                let session = try await client.chain.hostSession(session: "old")
                #expect(session.state == .resuming)
                #expect(session.worker == "kept")
                #expect(session.problem?.contains("come back") == true)
                #expect(try await client.chain.hostWorkers().map(\.sessions) == [1])
                #expect(try await client.chain.hostLinks().first { $0.peer == "kept" }?.sessions == 1)
                #expect(try await client.chain.hostSessions(of: "kept").map(\.session) == ["old"])
                raw.close()
            }
        }

        @Test("A worker's sessions, the workers and the links are listed page by page")
        func others() async throws {
            try await withHost { live in
                try await live.worker("one", capacity: 3)
                try await live.worker("two", capacity: 1)
                let client = try await live.client()
                var ids: [String] = []
                for _ in 0..<4 { ids.append(try await client.open()) }
                let workers = try await client.chain.hostWorkers(after: nil, limit: 1)
                #expect(workers.workers.map(\.worker) == ["one"])
                #expect(workers.workers.first?.sessions == 3)
                let next = try await client.chain.hostWorkers(after: workers.next, limit: 1)
                #expect(next.workers.map(\.worker) == ["two"])
                #expect(next.next == nil)
                let page = try await client.chain.hostSessions(worker: "one", after: nil, limit: 2)
                let last = try await client.chain.hostSessions(worker: "one", after: page.next, limit: 2)
                #expect(page.sessions.count == 2)
                #expect(last.sessions.count == 1)
                #expect(last.next == nil)
                let two = try await client.chain.hostSessions(of: "two").map(\.session)
                #expect(Set((page.sessions + last.sessions).map(\.session) + two) == Set(ids))
                let links = try await client.chain.hostLinks(after: nil, limit: 2)
                #expect(links.links.count == 2)
                #expect(links.next != nil)
                #expect(try await client.chain.hostLinks().count == live.host.hub.links.count)
                #expect(try await client.chain.hostWorker(worker: "two").sessions == 1)
                for send in [
                    { _ = try await client.chain.hostSessions(worker: nil, after: "nonsense", limit: nil) },
                    { _ = try await client.chain.hostWorkers(after: "-1", limit: nil) },
                    { _ = try await client.chain.hostSessions(worker: "nobody", after: nil, limit: nil) },
                ] as [@MainActor () async throws -> Void] {
                    await #expect(throws: RemoteError.self) { try await send() }
                }
            }
        }
    }
}
