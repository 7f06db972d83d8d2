import Bus
import GRDB
import Glibc
import InMemoryLogging
import Logging
import Messaging
import PeerLink
import TestKit
import Testing

@testable import SceneHost

/// A store that cannot be written, or not written anew: the operator hears of it.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct StoreLossTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Removes the store's files.
    private func removeStore() throws {
        for suffix in ["", "-wal", "-shm"] { try folder.remove("sessions.sqlite" + suffix) }
    }

    @Test func `A full disk is said once, and its end too`() async throws {
        let writer = StoreWriter(try HostStore(path: folder.store, maximumPages: 12))
        var said: [String?] = []
        writer.onProblem = { said.append($0) }
        var large = SessionRecord.wall("large")
        large.role = String(repeating: "x", count: 100_000)
        for _ in 0..<2 {
            await #expect(throws: StoreError.self) { try await writer.write(.saveSessions([large])) }
        }
        #expect(said == ["cannot use the store \(folder.store): the disk is full: make room"])
        try await writer.write(.probe)
        #expect(said.count == 2 && said.last == .some(nil))
        try writer.store.close()
    }

    @Test func `A write that has no room does not take those that wait with it along`() async throws {
        let writer = StoreWriter(try HostStore(path: folder.store, maximumPages: 12))
        try await writer.write(.saveSessions([.wall("closed")]))
        var large = SessionRecord.wall("large")
        large.role = String(repeating: "x", count: 100_000)
        var ends: [String: Bool] = [:]
        writer.write(.saveSessions([large])) { ends["large"] = $0 == nil }
        writer.write(.deleteSession("closed")) { ends["closed"] = $0 == nil }
        writer.write(.saveSessions([.wall("small")])) { ends["small"] = $0 == nil }
        await writer.finish()
        #expect(ends == ["large": false, "closed": true, "small": true])
        #expect(writer.problems.count == 1)
        #expect(try await writer.store.sessions().map(\.id) == ["small"])
        try await writer.write(.probe)
        #expect(writer.problems.isEmpty)
        try writer.store.close()
    }

    @Test(arguments: [
        ResultCode.SQLITE_FULL, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_IOERR_WRITE,
        .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_SHMSIZE, .SQLITE_ERROR,
    ])
    func `What may be over at the next attempt does not give up the replies on record`(code: ResultCode) {
        #expect(!HostStore.isUnreadable(DatabaseError(resultCode: code)))
    }

    @Test(arguments: [
        ResultCode.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ,
        .SQLITE_IOERR_CORRUPTFS, .SQLITE_CONSTRAINT_UNIQUE,
    ])
    func `What cannot be read is written anew from memory`(code: ResultCode) {
        #expect(HostStore.isUnreadable(DatabaseError(resultCode: code)))
    }

    // MARK: - A host that was killed

    private func storage() async throws -> HostStorage {
        var configuration = try HostConfiguration(name: "test")
        configuration.store = folder.store
        return try await HostStorage(configuration)
    }

    /// Makes what a host leaves that was killed when its copy was complete.
    private func makeComplete(_ id: String) async throws {
        let store = try HostStore(path: folder.store)
        try await store.write([.saveSessions([.wall(id)])])
        try store.close()
        try folder.write(try folder.bytes(of: "sessions.sqlite"), to: "sessions.sqlite.restored")
        try removeStore()
    }

    @Test func `A store that was removed gives back the room of its log before it is written anew`() async throws {
        let writer = StoreWriter(try HostStore(path: folder.store))
        for number in 0..<20 { try await writer.write(.saveSessions([.wall("\(number)")])) }
        let log = open(folder.store + "-wal", O_RDONLY | O_CLOEXEC)
        defer { close(log) }
        var info = stat()
        #expect(fstat(log, &info) == 0 && info.st_size > 0)
        try removeStore()
        #expect(try await writer.store.restore(from: []) == .whole)
        #expect(fstat(log, &info) == 0 && info.st_size == 0)
        #expect(try await writer.store.sessions().count == 20)
        try writer.store.close()
    }

    @Test func `A complete copy takes its place at the next start, and an incomplete one is removed`() async throws {
        try await makeComplete("a")
        for suffix in ["", "-journal"] { try folder.write("half", to: "sessions.sqlite.new" + suffix) }
        // It belongs to the file that is gone.
        try folder.write("old", to: "sessions.sqlite-wal")
        let storage = try await storage()
        #expect(try await storage.store.sessions().map(\.id) == ["a"])
        #expect(try !folder.contents().contains { $0.contains(".new") || $0.contains(".restored") })
        try storage.store.close()
        storage.lock?.release()
    }

    @Test func `A complete copy beside a store that is in place is kept, and not used`() async throws {
        try await makeComplete("a")
        let copy = try folder.bytes(of: "sessions.sqlite.restored")
        let store = try HostStore(path: folder.store)
        try await store.write([.saveSessions([.wall("b")])])
        try store.close()
        let storage = try await storage()
        #expect(try await storage.store.sessions().map(\.id) == ["b"])
        #expect(try folder.bytes(of: "sessions.sqlite.replaced") == copy)
        #expect(try !folder.contents().contains("sessions.sqlite.restored"))
        try storage.store.close()
        storage.lock?.release()
    }

    // MARK: - The end

    @Test func `The last attempt to write a store anew does not wait, and its failure is known`() async throws {
        let writer = StoreWriter(try HostStore(path: folder.store))
        writer.memory = { [.saveSessions([.wall("a")])] }
        try await writer.write(.saveSessions([.wall("a")]))
        #expect(await writer.end() == nil)
        // The new copy has this name.
        try folder.write("", to: "sessions.sqlite.new/x")
        try removeStore()
        await #expect(throws: StoreError.self) { try await writer.write(.probe) }
        #expect(await writer.end()?.description.contains("cannot be written anew") == true)
        try folder.remove("sessions.sqlite.new")
        #expect(await writer.end() == nil)
        let next = try HostStore(path: folder.store)
        #expect(try await next.sessions().map(\.id) == ["a"])
        for store in [next, writer.store] { try store.close() }
    }
    @Test func `A look after the end writes nothing`() async throws {
        let writer = StoreWriter(try HostStore(path: folder.store))
        #expect(await writer.end() == nil)
        try removeStore()
        await writer.look()
        await writer.finish()
        #expect(try folder.contents().isEmpty)
        try? writer.store.close()
    }
}

extension LiveTests {
    /// A host whose store is gone, and cannot be written anew.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct LostStoreTests {
        @Test("A host whose store is gone for good says so in its log, and fails at its end")
        func lost() async throws {
            let folder = try TemporaryFolder()
            let handler = InMemoryLogHandler()
            let logger = Logger(label: "test") { _ in handler }
            func count(_ text: String) -> Int {
                handler.entries.filter { entry in
                    entry.level == .error && "\(entry.message)" == text
                        && entry.metadata.values.contains { "\($0)".contains("cannot be written anew") }
                }.count
            }
            try await withHost(in: folder, logger: logger, configure: { $0.store = folder.store }) { live in
                // The new copy has this name.
                try folder.write("", to: "sessions.sqlite.new/x")
                for suffix in ["", "-wal", "-shm"] { try folder.remove("sessions.sqlite" + suffix) }
                try await live.until("the log says so") { count("the store cannot be used") > 0 }
                let end = await live.hostEnd()
                let error = #expect(throws: HostError.self) { try end?.get() }
                #expect(error?.exitCode == .failure)
                #expect(error?.description.contains("cannot be written anew") == true)
                #expect(count("the store cannot be used") == 1)
                #expect(count("the host ends without a store for the next one") == 1)
            }
        }
    }
}
