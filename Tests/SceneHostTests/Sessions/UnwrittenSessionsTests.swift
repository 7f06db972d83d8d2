import Bus
import CBOR
import CoordinatorKit
import TestKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// Sessions that cannot be written to the store, or deleted from it, at first.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct UnwrittenSessionsTests {
        /// Creates a store in which a kind of change of a session fails.
        private func makeStore(in folder: TemporaryFolder, refusing change: String) throws {
            try HostStore(path: folder.store).close()
            try folder.execute(
                "CREATE TRIGGER full BEFORE \(change) ON session BEGIN SELECT RAISE(FAIL, 'no room'); END")
        }

        @Test("A session whose deletion fails stays open, and the state that arrived meanwhile is written")
        func close() async throws {
            let folder = try TemporaryFolder()
            try makeStore(in: folder, refusing: "DELETE")
            let state = try CBORRaw(encoding: UserActivity(activityType: "latest"))
            try await withHost(in: folder, configure: { $0.store = folder.store }) { live in
                let raw = try await live.rawWorker(named: "raw", capacity: 1)
                let client = try await live.client()
                let id = try await client.open(at: raw)
                let sessions = try #require(live.host.life?.sessions)
                let closing = Task.immediate { try await sessions.close(id) }
                // The deletion is being written to disk.
                try sessions.checkpoint(id, state: state, token: try sessions.session(id).token)
                let error = await #expect(throws: StoreError.self) { try await closing.value }
                #expect(error?.description.contains("no room") == true)
                #expect(try await client.chain.hostSessions().map(\.session) == [id])
                try await live.until("the state is written") {
                    try await HostStore(path: folder.store).sessions().first?.state == state
                }
                try await live.until("the problem ends") { try await client.chain.hostStatus().problems.isEmpty }
            }
        }

        @Test("A state that cannot be written while its scene moves is written once there is room")
        func move() async throws {
            let folder = try TemporaryFolder()
            try makeStore(in: folder, refusing: "UPDATE")
            let state = try CBORRaw(encoding: UserActivity(activityType: "frozen"))
            try await withHost(in: folder, configure: { $0.store = folder.store }) { live in
                let first = try await live.rawWorker(named: "first", capacity: 1)
                let client = try await live.client()
                let id = try await client.open(at: first)
                let second = try await live.rawWorker(named: "second", capacity: 1)
                let moving = Task { try await client.chain.hostMove(session: id, worker: "second") }
                try first.reply(to: try await first.next("sceneFreeze"), with: state.bytes)
                let connect = try await second.makeScene()
                #expect(try connect.decodePayload(as: SceneMessagesList.sceneConnect.self).state == state)
                #expect(try await moving.value.worker == "second")
                #expect(try await client.chain.hostStatus().problems.contains { $0.contains("no room") })
                try folder.execute("DROP TRIGGER full")
                try await live.until("the problem ends") { try await client.chain.hostStatus().problems.isEmpty }
                try await live.until("the state is written") {
                    try await HostStore(path: folder.store).sessions().first?.state == state
                }
            }
        }
    }
}
