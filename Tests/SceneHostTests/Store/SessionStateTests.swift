import TestKit
import CBOR
import CoordinatorKit
import Foundation
@testable import SceneHost
import Testing

/// A session's state is restored exactly as it was stored.
@Suite(.timeLimit(.minutes(5)))
struct SessionStateTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func record(_ state: CBORRaw?) -> SessionRecord {
        SessionRecord(id: "a", role: "windowApplication", configuration: "Wall", position: 1, state: state)
    }

    @Test(arguments: [
        // A tag, an indefinite-length map, unsorted keys, a key that is not a text, numbers in forms that our encoder
        // does not use, and undefined.
        "d9d9f7bf617a01616102f93e00c249010000000000000000181801ff", "f7", "00",
    ])
    func `A state is kept byte for byte`(hexadecimal: String) async throws {
        let digits = Array(hexadecimal)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
        let state = try CBORRaw(bytes)
        try await HostStore(path: folder.store).write([.saveSessions([record(state)])])
        #expect(try await HostStore(path: folder.store).sessions() == [record(state)])
    }

    @Test func `A store with states in JSON is migrated`() async throws {
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
                try CBORRaw(
                    encoding: UserActivity(
                        activityType: "test", title: "Home", userInfo: ["half": 0.5, "page": [1, "two", .null]]))),
            SessionRecord(id: "b", role: "windowApplication", configuration: "Wall", position: 2),
        ]
        #expect(try await HostStore(path: folder.store).sessions() == expected)
        #expect(try await HostStore(path: folder.store).sessions() == expected)
    }

    @Test func `A state in JSON that cannot be read is set aside and kept unchanged`() async throws {
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
