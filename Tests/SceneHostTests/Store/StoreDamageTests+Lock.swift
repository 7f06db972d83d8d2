import Foundation
import Glibc
import TestKit
import Testing

@testable import SceneHost

/// The lock of a store whose files are removed while it is open.
extension StoreDamageTests {
    @Test func `A host writes nothing where another host holds the lock of a store in its place`() async throws {
        let first = try await storage()
        let writer = StoreWriter(first.store)
        try await writer.write(.beginLife(epoch: 5))
        try await writer.write(.saveSessions([.wall("a")]))
        // As while the first host stands still.
        shell("rm -rf sessions.sqlite*")
        let second = try await storage()
        let other = StoreWriter(second.store)
        try await other.write(.beginLife(epoch: 4))
        try await other.write(.saveSessions([.wall("b")]))
        let error = await #expect(throws: StoreError.self) { try await writer.write(.saveSessions([.wall("c")])) }
        #expect(error?.kind == .superseded)
        #expect(writer.problems.contains { $0.contains("taken it over (process \(getpid()))") })
        // The other's files are in place, and it goes on.
        #expect(second.store.damage() == nil)
        try await other.write(.saveSessions([.wall("d")]))
        #expect(other.problems.isEmpty)
        #expect(try await second.store.sessions().map(\.id).sorted() == ["b", "d"])
        #expect(try !folder.contents().contains { $0.contains(".replaced") || $0.contains(".new") })
        for storage in [first, second] {
            try? storage.store.close()
            storage.lock?.release()
        }
    }

    @Test func `A lock that was removed is taken anew at the next look, so that no other host gets the store`()
        async throws
    {
        let first = try await storage()
        let writer = StoreWriter(first.store)
        shell("rm sessions.sqlite.lock")
        await writer.look()
        let error = await #expect(throws: HostError.self) { try await storage() }
        #expect(error?.code == .inUse)
        #expect(writer.problems.isEmpty)
        try await writer.write(.saveSessions([.wall("a")]))
        try first.store.close()
        first.lock?.release()
    }

    @Test func `A host whose removed lock another host has taken stops writing at the next look`() async throws {
        let first = try await storage()
        let writer = StoreWriter(first.store)
        shell("rm sessions.sqlite.lock")
        let second = try await storage()
        await writer.look()
        #expect(writer.problems.contains { $0.contains("taken it over") })
        let error = await #expect(throws: StoreError.self) { try await writer.write(.saveSessions([.wall("a")])) }
        #expect(error?.kind == .superseded)
        #expect(try await second.store.sessions().isEmpty)
        for storage in [first, second] {
            try? storage.store.close()
            storage.lock?.release()
        }
    }

    @Test func `A lock that cannot be taken anew is a problem until it can`() async throws {
        let first = try await storage()
        let writer = StoreWriter(first.store)
        shell("rm sessions.sqlite.lock; mkdir sessions.sqlite.lock")
        await writer.look()
        #expect(writer.problems.contains { $0.contains("its lock was removed") })
        shell("rmdir sessions.sqlite.lock")
        await writer.look()
        #expect(writer.problems.isEmpty)
        #expect(try folder.contents().contains("sessions.sqlite.lock"))
        try first.store.close()
        first.lock?.release()
    }

    @Test func `A look that is late takes no lock that the host has released`() async throws {
        let storage = try await storage()
        let lock = try #require(storage.lock)
        try lock.hold()
        try storage.store.close()
        lock.release()
        #expect(throws: StoreError.self) { try lock.hold() }
    }
}
