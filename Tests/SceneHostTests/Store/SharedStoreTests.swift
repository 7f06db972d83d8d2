import TestKit
import CoordinatorKit
import Foundation
import GRDB
@testable import SceneHost
import Testing

/// Other users of the store: a newer host, a reader, a process that holds a lock, another user.
@Suite(.timeLimit(.minutes(5)))
struct SharedStoreTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The store as another program has it open.
    private func otherProcess() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: folder.store, configuration: configuration)
    }

    private func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")
        return try #require(attributes[.posixPermissions] as? Int)
    }

    // MARK: - A newer host

    @Test func `A host whose store was taken over by a newer host writes nothing more`() async throws {
        let old = try HostStore(path: folder.store)
        try await old.write([.beginLife(epoch: 5), .saveSessions([.wall("a")])])
        let new = try HostStore(path: folder.store)
        try await new.write([.beginLife(epoch: 6)])
        for operation in [.saveSessions([.wall("b")]), .deleteSession("a"), .endLife, .beginLife(epoch: 7)]
            as [StoreOperation]
        {
            let error = await #expect(throws: StoreError.self) { try await old.write([operation]) }
            #expect(error?.kind == .superseded)
            #expect(error?.description.contains("epoch 6") == true)
        }
        #expect(try await new.sessions() == [.wall("a")])
        #expect(try await new.lastLife() == (6, false))
        try await new.write([.deleteSession("a")])
    }

    @Test func `A host that opened the store before another one began cannot begin after it`() async throws {
        let (first, second) = (try HostStore(path: folder.store), try HostStore(path: folder.store))
        try await first.write([.beginLife(epoch: 5)])
        let error = await #expect(throws: StoreError.self) { try await second.write([.beginLife(epoch: 6)]) }
        #expect(error?.kind == .superseded)
    }

    @Test(arguments: [4, 5] as [UInt64])
    func `A life cannot begin in an epoch that was already used`(epoch: UInt64) async throws {
        let store = try HostStore(path: folder.store)
        try await store.write([.beginLife(epoch: 5)])
        let error = await #expect(throws: StoreError.self) {
            try await store.write([.saveSessions([.wall("a")]), .beginLife(epoch: epoch)])
        }
        #expect(error?.description.contains("backwards") == true)
        #expect(try await store.lastLife() == (5, false))
        #expect(try await store.sessions().isEmpty)
    }

    // MARK: - Other programs

    @Test func `A reader does not delay a write`() async throws {
        let store = try HostStore(path: folder.store, busyTimeout: .milliseconds(1))
        try await store.write([.saveSessions([.wall("a")])])
        let reader = try otherProcess()
        try await reader.writeWithoutTransaction { try $0.execute(sql: "BEGIN; SELECT * FROM session") }
        for name in ["b", "c"] { try await store.write([.saveSessions([.wall(name)])]) }
        #expect(try await store.sessions().count == 3)
        #expect(
            try await reader.writeWithoutTransaction { try Int.fetchOne($0, sql: "SELECT count(*) FROM session") } == 1)
        #expect(store.logProblem(limit: 1)?.contains(folder.store) == true)
        #expect(store.logProblem(limit: 1 << 30) == nil)
        try await reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    }

    @MainActor
    @Test func `A log that a reader lets grow is a problem until the reader ends and the log is small again`()
        async throws
    {
        // The size to which SQLite shrinks the log.
        let limit = 4 << 20
        let writer = StoreWriter(try HostStore(path: folder.store), maximumLog: limit)
        try await writer.write(.saveSessions([.wall("a")]))
        let reader = try otherProcess()
        try await reader.writeWithoutTransaction { try $0.execute(sql: "BEGIN; SELECT * FROM session") }
        for number in 0..<6 {
            var large = SessionRecord.wall("large \(number)")
            large.role = String(repeating: "x", count: 1 << 20)
            try await writer.write(.saveSessions([large]))
        }
        #expect(writer.problems.count == 1)
        #expect(writer.problems.first?.contains("end that process") == true)
        try await reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        // The log is copied to the database's file after one write, and starts anew with the next.
        for number in 0..<10 where !writer.problems.isEmpty {
            try await writer.write(.saveSessions([.wall("small \(number)")]))
        }
        #expect(writer.problems.isEmpty)
    }

    @Test func `A locked store is reported as busy, and the write succeeds after the lock is released`() async throws {
        let store = try HostStore(path: folder.store, busyTimeout: .milliseconds(1))
        let other = try otherProcess()
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let error = await #expect(throws: StoreError.self) { try await store.write([.saveSessions([.wall("a")])]) }
        #expect(error?.kind == .busy)
        #expect(error?.description.contains(folder.store) == true)
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        try await store.write([.saveSessions([.wall("a")])])
        #expect(try await store.sessions().count == 1)
    }

    // MARK: - Other users

    @Test func `A new store and its companion files are private`() async throws {
        let store = try HostStore(path: folder.store)
        try await store.write([.saveSessions([.wall("a")])])
        #expect(try folder.contents() == ["", "-shm", "-wal"].map { "sessions.sqlite" + $0 })
        for name in try folder.contents() { #expect(try mode(name) == 0o600) }
        try store.close()
    }

    @Test func `A store that others could open is made private`() async throws {
        let before = try HostStore(path: folder.store)
        try await before.write([.saveSessions([.wall("a")])])
        for name in try folder.contents() { chmod("\(folder.path)/\(name)", 0o644) }
        let store = try HostStore(path: folder.store)
        #expect(try await store.sessions().count == 1)
        #expect(try folder.contents().count == 3)
        for name in try folder.contents() { #expect(try mode(name) == 0o600) }
        for store in [before, store] { try store.close() }
    }

    @Test func `A database of another application keeps its mode`() throws {
        try folder.execute("CREATE TABLE recipe (name TEXT)")
        chmod(folder.store, 0o644)
        #expect(throws: StoreError.self) { try HostStore(path: folder.store) }
        #expect(try mode("sessions.sqlite") == 0o644)
    }
}
