import TestKit
import CBOR
import CoordinatorKit
import Foundation
@testable import SceneHost
import Testing

/// A row that cannot be read does not stop the host. It stays in the store and is reported.
@Suite(.timeLimit(.minutes(5)))
struct UnreadableRowTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func record(_ id: String) -> SessionRecord {
        SessionRecord(
            id: id, role: "windowApplication", configuration: "Wall", position: 1,
            state: CBORRaw(unchecked: CBORValue.string(id).encoded()))
    }

    @Test func `An unreadable state is reported with its session and the SQL that drops it`() async throws {
        let store = try HostStore(path: folder.store)
        try await store.write([.saveSessions([record("good"), record("it's bad")])])
        try folder.execute("UPDATE session SET state = x'FF' WHERE id = 'it''s bad'")
        #expect(try await store.sessions() == [record("good")])
        #expect(try await store.sessions() == [record("good")])
        #expect(store.unreadable.count == 1)
        let text = try #require(store.unreadable.first?.description)
        #expect(text.contains("it's bad"))
        let sql = try #require(text.firstMatch(of: #/"(UPDATE .*)"/#)?.1)
        try folder.execute(String(sql))
        #expect(try await store.sessions().map(\.state) == [record("good").state, nil])
    }

    @Test(arguments: [
        "role = x'FF'", "configuration = x'C0'", "position = 'first'", "token = x'01'", "token = 'none'", "state = 7",
    ])
    func `A session with a value of the wrong type is set aside`(change: String) async throws {
        let store = try HostStore(path: folder.store)
        try await store.write([.saveSessions([record("good"), record("bad")])])
        try folder.execute("UPDATE session SET \(change) WHERE id = 'bad'")
        #expect(try await store.sessions() == [record("good")])
        #expect(store.unreadable.first?.description.contains("'bad'") == true)
    }

    @Test func `A record with an unreadable key is left out, and one with other bad values counts`() async throws {
        let store = try HostStore(path: folder.store)
        let ids = (1...4).map { MessageID(high: 1, low: $0) }
        for id in ids {
            try await store.write([.addRequest(RequestRecord(peer: "p\(id.low)", id: id, message: "m", time: 5))])
        }
        try folder.execute(
            """
            UPDATE request SET id = x'01' WHERE peer = 'p1'; UPDATE request SET peer = x'FF' WHERE peer = 'p2';
            UPDATE request SET message = x'FF', time = 'noon' WHERE peer = 'p3';
            """)
        let found = try await store.requests()
        #expect(Set(found.map(\.record.peer)) == ["p3", "p4"])
        #expect(Set(found.map(\.record.id)) == Set(ids[2...]))
        #expect(store.unreadable.count == 2)
        #expect(store.unreadable.contains { $0.description.contains("'p1'") })
        // A record without a readable time gets a new one, like records with times of another clock.
        try await store.write([.redateRequests(outside: 0...10, to: 10)])
        #expect(try await store.requests().map(\.record.time).sorted() == [5, 10])
    }

    @Test func `A store without a host row can still be used`() async throws {
        try await HostStore(path: folder.store).write([.beginLife(epoch: 3)])
        try folder.execute("DELETE FROM host")
        let store = try HostStore(path: folder.store)
        #expect(try await store.lastLife() == (0, false))
        try await store.write([.beginLife(epoch: 4)])
        #expect(try await store.lastLife() == (4, false))
    }

    @Test func `An impossible epoch is refused, because its tokens would not be newer`() async throws {
        try await HostStore(path: folder.store).write([.beginLife(epoch: 3)])
        try folder.execute("UPDATE host SET epoch = 9223372036854775807")
        let error = #expect(throws: StoreError.self) { try HostStore(path: folder.store) }
        #expect(error?.reason.contains("9223372036854775807") == true)
        #expect(error?.reason.contains("--store") == true)
    }
}
