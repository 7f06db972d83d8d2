import Bus
import CBOR
import CoordinatorKit
import Foundation
import Glibc
import Hub
import Messaging
import Synchronization
import TestKit
import Testing

@testable import SceneHost

/// A store whose files are removed, replaced or shortened while it is open.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct StoreDamageTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func request(_ number: UInt64) -> RequestRecord {
        RequestRecord(peer: "wall", id: MessageID(high: 1, low: number), message: "orderPlace", time: 7)
    }

    enum Damage: String, CaseIterable {
        case database = "rm sessions.sqlite"
        case log = "rm sessions.sqlite-wal"
        case index = "rm sessions.sqlite-shm"
        case all = "rm sessions.sqlite*"
        case replaced = "mv sessions.sqlite old; printf 'a list' > sessions.sqlite"
        case emptiedLog = "truncate -s 0 sessions.sqlite-wal"
        case emptiedDatabase = "truncate -s 0 sessions.sqlite"
        case folder = "rm -rf ../FOLDER"

        /// Whether SQLite can still read everything.
        var keepsAll: Bool { self != .emptiedLog && self != .emptiedDatabase }
    }

    func shell(_ command: String) {
        let name = (folder.path as NSString).lastPathComponent
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command.replacing("FOLDER", with: name)]
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        #expect(throws: Never.self) { try process.run() }
        process.waitUntilExit()
    }

    @Test(arguments: Damage.allCases)
    func `A store whose files are damaged is written anew before the next write succeeds`(damage: Damage) async throws {
        let writer = StoreWriter(try HostStore(path: folder.store))
        try await writer.write(.beginLife(epoch: 5))
        try await writer.write(.saveSessions([.wall("a"), .wall("b")]))
        try await writer.write(.addRequest(request(1)))
        try await writer.write(.addReply([1, 2, 3], to: request(1).id, from: "wall"))
        writer.memory = { [.saveSessions([.wall("a"), .wall("b")]), .restoreRequests([request(1)])] }
        var said: [String] = []
        writer.onRestored = { said.append($0) }
        #expect(writer.problems.isEmpty)
        #expect(writer.store.damage() == nil)

        shell(damage.rawValue)
        #expect(writer.store.damage() != nil)
        try await writer.write(.saveSessions([.wall("c")]))

        #expect(writer.problems.count == 1)
        #expect(writer.problems.first?.contains("while the host runs (at ") == true)
        #expect(said.count == 1)
        #expect(said.first?.contains(folder.store) == true)
        #expect(writer.store.damage() == nil)
        // The next host finds everything, as after a crash of this one.
        let next = try HostStore(path: folder.store)
        #expect(try await next.sessions().map(\.id).sorted() == ["a", "b", "c"])
        #expect(try await next.lastLife() == (5, false))
        #expect(try await next.requests().map(\.record) == [request(1)])
        if damage.keepsAll {
            #expect(try await next.reply(to: request(1).id, from: "wall") == [1, 2, 3])
            #expect(said.first?.contains("nothing is missing") == true)
        }
        try await writer.write(.deleteSession("a"))
        #expect(try await next.sessions().map(\.id).sorted() == ["b", "c"])
        if damage == .replaced { #expect(try folder.text(of: "sessions.sqlite.replaced") == "a list") }
        for store in [next, writer.store] { try store.close() }
    }

    @Test func `Nothing succeeds on a store that is gone and cannot be written anew`() async throws {
        let writer = StoreWriter(try HostStore(path: folder.store))
        try await writer.write(.beginLife(epoch: 5))
        try await writer.write(.saveSessions([.wall("a")]))
        shell("rm sessions.sqlite*; mkdir sessions.sqlite.new; touch sessions.sqlite.new/x")
        var said: [String?] = []
        writer.onProblem = { said.append($0) }
        let problem = "\(folder.store) was removed while the host runs, and cannot be written anew: "
        for _ in 0..<3 {
            let error = await #expect(throws: StoreError.self) { try await writer.write(.saveSessions([.wall("b")])) }
            #expect(error?.kind == .lost)
            #expect(error?.description.hasPrefix(problem) == true)
            // The store is named once.
            #expect(error?.description.contains("cannot use the store") == false)
        }
        #expect(writer.problems.first?.hasPrefix(problem) == true)
        #expect(said == [writer.problems.first])
        // As soon as it can be written, it is.
        shell("rm -r sessions.sqlite.new")
        while !Task.isCancelled, (try? await writer.write(.saveSessions([.wall("b")]))) == nil { await Task.yield() }
        let next = try HostStore(path: folder.store)
        #expect(try await next.sessions().map(\.id).contains("b"))
        #expect(writer.problems.count == 1)
        #expect(said.count == 2 && said.last == .some(nil))
        for store in [next, writer.store] { try store.close() }
    }

    @Test func `A file that takes the store's place again is set aside beside the first one`() async throws {
        let writer = StoreWriter(try HostStore(path: folder.store))
        for text in ["one", "two"] {
            try await writer.write(.saveSessions([.wall(text)]))
            shell("mv sessions.sqlite old; printf \(text) > sessions.sqlite")
        }
        try await writer.write(.saveSessions([.wall("three")]))
        #expect(try folder.text(of: "sessions.sqlite.replaced") == "one")
        #expect(try folder.text(of: "sessions.sqlite.replaced-2") == "two")
        #expect(try await writer.store.sessions().map(\.id).sorted() == ["one", "three", "two"])
        try writer.store.close()
    }

    @Test(arguments: [false, true])
    func `A copy that could not be opened takes its place later, or is made anew from memory`(isCopyThere: Bool)
        async throws
    {
        let writer = StoreWriter(try HostStore(path: folder.store))
        try await writer.write(.beginLife(epoch: 5))
        try await writer.write(.saveSessions([.wall("a")]))
        writer.memory = { [.saveSessions([.wall("a")])] }
        // As after a failure between the two.
        try writer.store.close()
        writer.store.isClosed.withLock { $0 = true }
        if isCopyThere {
            try folder.write(try folder.bytes(of: "sessions.sqlite"), to: "sessions.sqlite.restored")
            try folder.write("not a store", to: "sessions.sqlite")
        } else {
            shell("rm sessions.sqlite*")
        }
        try await writer.write(.saveSessions([.wall("b")]))
        #expect(try await writer.store.sessions().map(\.id).sorted() == ["a", "b"])
        #expect(writer.problems.count == 1)
        if isCopyThere { #expect(try folder.text(of: "sessions.sqlite.replaced") == "not a store") }
        #expect(try !folder.contents().contains { $0.contains(".new") || $0.contains(".restored") })
        try writer.store.close()
    }

    @Test func `A program that replaces the store again and again does not fill the disk`() async throws {
        let writer = StoreWriter(try HostStore(path: folder.store))
        for number in 0..<12 {
            try await writer.write(.saveSessions([.wall("\(number)")]))
            shell("mv sessions.sqlite old; printf \(number) > sessions.sqlite")
        }
        try await writer.write(.saveSessions([.wall("last")]))
        #expect(try folder.text(of: "sessions.sqlite.replaced") == "0")
        #expect(try folder.text(of: "sessions.sqlite.replaced-8") == "11")
        #expect(try folder.contents().count { $0.contains(".replaced") } == 8)
        #expect(try await writer.store.sessions().count == 13)
        try writer.store.close()
    }

    // MARK: - The next start

    func storage() async throws -> HostStorage {
        var configuration = try HostConfiguration(name: "test")
        configuration.store = folder.store
        return try await HostStorage(configuration)
    }

    /// Opens the store for one life, in which it gets some sessions.
    private func live(_ ids: String...) async throws {
        let storage = try await storage()
        let epoch = try storage.nextEpoch()
        try await storage.store.write([.beginLife(epoch: epoch)])
        try storage.record(epoch)
        for id in ids { try await storage.store.write([.saveSessions([.wall(id)])]) }
        try storage.store.close()
        storage.lock?.release()
    }

    private func loss() async throws -> String? {
        let storage = try await storage()
        defer { storage.lock?.release() }
        try storage.store.close()
        return storage.loss
    }

    @Test func `A store that is older than its epoch file is said at the start, and a newer one is not`() async throws {
        try await live("a", "b")
        #expect(try await loss() == nil)
        shell("cp sessions.sqlite backup; cp sessions.sqlite.epoch older")
        try await live("c")
        #expect(try await loss() == nil)
        shell("cp sessions.sqlite newer; rm sessions.sqlite-*[lm]; cp backup sessions.sqlite")
        #expect(try await loss()?.contains("its last 2 writes are missing") == true)
        shell("rm sessions.sqlite-*[lm]; cp newer sessions.sqlite; cp older sessions.sqlite.epoch")
        #expect(try await loss() == nil)
        shell("rm sessions.sqlite sessions.sqlite-*[lm]")
        #expect(try await loss()?.contains("are missing") == true)
    }

    @Test(arguments: ["truncate -s 0", "printf x | dd conv=notrunc bs=1 seek=5000 status=none of="])
    func `A log that was damaged after a crash is said at the start`(command: String) async throws {
        let storage = try await storage()
        try await storage.store.write([.beginLife(epoch: 7)])
        try storage.record(7)
        for id in ["a", "b", "c"] { try await storage.store.write([.saveSessions([.wall(id)])]) }
        // The files as a crash leaves them.
        shell("mkdir crash; cp sessions.sqlite sessions.sqlite-wal sessions.sqlite.epoch crash")
        try storage.store.close()
        storage.lock?.release()
        shell("mv crash/* .; rm sessions.sqlite-shm")
        shell(command.hasSuffix("=") ? command + "sessions.sqlite-wal" : command + " sessions.sqlite-wal")
        #expect(try await loss()?.contains("writes are missing") == true)
    }

    // MARK: - The end

    @Test func `After the end of a host, what the next start needs stays on the disk, and is void`() async throws {
        try await live("a", "b")
        var info = stat()
        #expect(stat(folder.store + "-shm", &info) == 0 && info.st_size >= 32 << 10)
        #expect(stat(folder.store + "-wal", &info) == 0 && info.st_size > 4096)
        shell("cp sessions.sqlite backup")
        try await live("c")
        // A copy that is put back without removing the log gets none of its changes.
        shell("cp backup sessions.sqlite")
        let store = try HostStore(path: folder.store)
        #expect(try await store.sessions().map(\.id).sorted() == ["a", "b"])
        try store.close()
    }
}

extension LiveTests {
    /// A host whose store is removed.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct RemovedStoreTests {
        @Test("A host whose store is removed says so, and writes it anew; sessions survive the next start")
        func removed() async throws {
            let folder = try TemporaryFolder()
            var ids: Set<String> = []
            try await withHost(in: folder, configure: { $0.store = folder.store }) { live in
                let raw = try await live.rawWorker(named: "raw", capacity: 8)
                let client = try await live.client()
                for _ in 0..<3 { ids.insert(try await client.open(at: raw)) }
                #expect(try await client.chain.hostStatus().problems.isEmpty)
                for name in try folder.contents() where name.hasPrefix("sessions") { try folder.remove(name) }
                // Without any request that writes.
                try await live.until("the host says so") {
                    try await client.chain.hostStatus().problems.contains { $0.contains("was removed") }
                }
                #expect(Set(try await HostStore(path: folder.store).sessions().map(\.id)) == ids)
                #expect(try folder.contents().contains("sessions.sqlite.lock"))
                #expect(try folder.contents().contains("sessions.sqlite.epoch"))
                ids.insert(try await client.open(at: raw))
                // The lock alone comes back, too.
                try folder.remove("sessions.sqlite.lock")
                try await live.until("the lock is there") { try folder.contents().contains("sessions.sqlite.lock") }
            }
            try await withHost(in: folder, configure: { $0.store = folder.store }) { live in
                let client = try await live.client()
                #expect(Set(try await client.chain.hostSessions().map(\.session)) == ids)
                #expect(try await client.chain.hostStatus().problems.isEmpty)
            }
        }
    }
}
