import CBOR
import CoordinatorKit
import Foundation
import Store
import Testing

/// A session's state comes back as it was, value for value.
@Suite(.timeLimit(.minutes(1)))
struct SessionStateTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func record(_ state: UserActivity?) -> SessionRecord {
        SessionRecord(id: "a", role: "windowApplication", configuration: "Wall", position: 1, state: state)
    }

    @Test func `every kind of value is kept as the kind that it is`() async throws {
        let state = UserActivity(
            activityType: "test", title: "Grüße",
            userInfo: [
                "null": .null, "yes": true, "int": -7, "large": .int(.max), "half": 0.5, "whole": .double(2),
                "text": "a\u{0}b", "bytes": .bytes([0, 255]), "list": [1, .double(1), "two", [3]], "empty": .array([]),
            ])
        try await HostStore(path: folder.store).write([.saveSessions([record(state)])])
        #expect(try await HostStore(path: folder.store).sessions() == [record(state)])
    }

    @Test func `the order of a map is kept`() async throws {
        let map = try CBORValue(encoding: Ordered(z: 1, a: 2, m: 3))
        let state = UserActivity(activityType: "test", userInfo: ["map": map])
        try await HostStore(path: folder.store).write([.saveSessions([record(state)])])
        let kept = try await HostStore(path: folder.store).sessions().first?.state
        #expect(kept?.userInfo["map"]?.json == map.json)
    }

    private struct Ordered: Codable {
        var z, a, m: Int
    }

    @Test func `a store with states in JSON is taken over`() async throws {
        try folder.execute(
            """
            PRAGMA application_id = \(0x5342_7573);
            CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
            INSERT INTO grdb_migrations VALUES ('1 sessions');
            CREATE TABLE session (
                id TEXT NOT NULL PRIMARY KEY, role TEXT NOT NULL, configuration TEXT NOT NULL,
                position INTEGER NOT NULL, state TEXT);
            INSERT INTO session VALUES ('a', 'windowApplication', 'Wall', 1,
                '{"activityType":"test","title":"Home","userInfo":{"half":0.5,"page":[1,"two",null]}}');
            INSERT INTO session VALUES ('b', 'windowApplication', 'Wall', 2, NULL);
            """)
        let expected = [
            record(
                UserActivity(
                    activityType: "test", title: "Home", userInfo: ["half": 0.5, "page": [1, "two", .null]])),
            SessionRecord(id: "b", role: "windowApplication", configuration: "Wall", position: 2),
        ]
        #expect(try await HostStore(path: folder.store).sessions() == expected)
        #expect(try await HostStore(path: folder.store).sessions() == expected)
    }

    @Test func `a state in JSON that cannot be read is set aside, and kept as it is`() async throws {
        try folder.execute(
            """
            PRAGMA application_id = \(0x5342_7573);
            CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
            INSERT INTO grdb_migrations VALUES ('1 sessions');
            CREATE TABLE session (
                id TEXT NOT NULL PRIMARY KEY, role TEXT NOT NULL, configuration TEXT NOT NULL,
                position INTEGER NOT NULL, state TEXT);
            INSERT INTO session VALUES ('broken', 'windowApplication', 'Wall', 1, '{"activity');
            INSERT INTO session VALUES ('a', 'windowApplication', 'Wall', 1, NULL);
            """)
        for _ in 1...2 {
            let store = try HostStore(path: folder.store)
            #expect(try await store.sessions() == [record(nil)])
            #expect(store.unreadable.map(\.description).contains { $0.contains("'broken'") })
            try store.close()
        }
        let states = try folder.values("SELECT CAST(state AS TEXT) FROM session WHERE id = 'broken'")
        #expect(states == [#"{"activity"#])
    }
}
