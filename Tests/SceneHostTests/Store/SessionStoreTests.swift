import TestKit
import CBOR
import CoordinatorKit
import Foundation
import GRDB
@testable import SceneHost
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SessionStoreTests {
    /// Passes a folder to the body and removes it afterwards.
    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try await body(folder.path)
    }

    private func record(_ id: String, _ position: Int64, page: String? = nil) -> SessionRecord {
        SessionRecord(
            id: id, role: "windowApplication", configuration: "Wall", position: position,
            state: page.map { CBORRaw(unchecked: CBORValue.string($0).encoded()) })
    }

    @Test func `Saved sessions are available to the next host, in the order of opening`() async throws {
        try await withFolder { folder in
            let path = "\(folder)/sessions.sqlite"
            let first = try HostStore(path: path)
            try await first.write([.saveSessions([record("b", 2, page: "two"), record("a", 1)])])
            try await first.write([.saveSessions([record("a", 1, page: "one")])])
            let second = try HostStore(path: path)
            #expect(try await second.sessions() == [record("a", 1, page: "one"), record("b", 2, page: "two")])
            try await second.write([.deleteSession("a")])
            #expect(try await second.sessions().map(\.id) == ["b"])
        }
    }

    @Test func `The next host knows the last epoch and whether it ended cleanly`() async throws {
        try await withFolder { folder in
            let path = "\(folder)/sessions.sqlite"
            let first = try HostStore(path: path)
            #expect(try await first.lastLife() == (0, false))
            try await first.write([.beginLife(epoch: 7)])
            #expect(try await HostStore(path: path).lastLife() == (7, false))
            try await first.write([.endLife])
            #expect(try await HostStore(path: path).lastLife() == (7, true))
            try await first.write([.beginLife(epoch: 8)])
            #expect(try await HostStore(path: path).lastLife() == (8, false))
        }
    }

    @Test func `A suspicion is available to the next host, and one that cannot be read is left out`() async throws {
        try await withFolder { folder in
            let path = "\(folder)/sessions.sqlite"
            var suspect = record("a", 1, page: "one")
            suspect.suspicion = Suspicion()
            suspect.suspicion?.add(["content"])
            let first = try HostStore(path: path)
            try await first.write([.saveSessions([suspect])])
            #expect(try await HostStore(path: path).sessions() == [suspect])
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: "UPDATE session SET suspicion = 'x'") }
            #expect(try await HostStore(path: path).sessions() == [record("a", 1, page: "one")])
        }
    }

    @Test(arguments: ["3 tokens and requests", "4 epoch"])
    func `A store of an earlier version is upgraded with its sessions`(version: String) async throws {
        try await withFolder { folder in
            let path = "\(folder)/sessions.sqlite"
            let old = try DatabaseQueue(path: path)
            try HostStore.migrator.migrate(old, upTo: version)
            try await old.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO session (id, role, configuration, position, token, state)
                        VALUES ('a', 'windowApplication', 'Wall', 1, 7, ?)
                        """, arguments: [Data(CBORValue.string("one").encoded())])
                try database.execute(sql: "PRAGMA application_id = \(HostStore.applicationID)")
            }
            try old.close()
            var expected = record("a", 1, page: "one")
            expected.token = 7
            let store = try HostStore(path: path)
            #expect(try await store.sessions() == [expected])
            try await store.write([.beginLife(epoch: 5)])
            #expect(try await store.lastLife() == (5, false))
        }
    }

    @Test func `A file that is not a database is refused and left unchanged`() async throws {
        try await withFolder { folder in
            let path = "\(folder)/list.txt"
            let text = String(repeating: "a shopping list\n", count: 100)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let error = #expect(throws: StoreError.self) { try HostStore(path: path) }
            #expect(error?.description.contains(path) == true)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        }
    }

    @Test func `The error for a missing folder names it`() async throws {
        let error = #expect(throws: StoreError.self) { try HostStore(path: "/nonexistent/sessions.sqlite") }
        #expect(error?.description.contains("/nonexistent/sessions.sqlite") == true)
    }

    @Test func `Without a file, sessions are kept in memory`() async throws {
        let store = try HostStore(path: nil)
        try await store.write([.saveSessions([record("a", 1)])])
        #expect(try await store.sessions().map(\.id) == ["a"])
    }
}
