import TestKit
import CBOR
import CoordinatorKit
import Foundation
@testable import SceneHost
import Testing

/// Files that the store refuses. Each error has the reason and the remedy, and no file is changed.
@Suite(.timeLimit(.minutes(5)))
struct StoreErrorTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func record(_ id: String, text: String = "") -> SessionRecord {
        SessionRecord(
            id: id, role: "windowApplication", configuration: "Wall", position: 1,
            state: CBORRaw(unchecked: CBORValue.string(text).encoded()))
    }

    /// Opens the store and expects a refusal that changes no file.
    private func refusal() throws -> StoreError? {
        let before = try folder.bytes(of: "sessions.sqlite")
        let names = try folder.contents()
        let error = #expect(throws: StoreError.self) { try HostStore(path: folder.store) }
        #expect(try folder.bytes(of: "sessions.sqlite") == before)
        #expect(try folder.contents() == names)
        #expect(error?.path == folder.store)
        #expect(error?.description.contains(folder.store) == true)
        #expect(error?.description.contains("--store") == true)
        #expect(error?.kind == .unsuitable)
        return error
    }

    // MARK: - What is not ours

    @Test func `A database of another application is refused and left unchanged`() throws {
        try folder.execute("CREATE TABLE recipe (name TEXT); INSERT INTO recipe VALUES ('Soup')")
        #expect(try refusal()?.reason.contains("another application") == true)
    }

    @Test func `Another application's table with the name of a table of the store is refused`() throws {
        try folder.execute("CREATE TABLE session (id TEXT, state TEXT)")
        #expect(try refusal()?.reason.contains("another application") == true)
    }

    @Test func `A database marked by another application is refused even without tables`() throws {
        try folder.execute("PRAGMA application_id = 252006673")
        #expect(try refusal()?.reason.contains("another application") == true)
    }

    @Test func `A store of a newer version is refused and left unchanged`() async throws {
        try await HostStore(path: folder.store).write([.saveSessions([record("a")])])
        try folder.execute("INSERT INTO grdb_migrations VALUES ('99 from the future')")
        #expect(try refusal()?.reason.contains("newer SceneBus") == true)
    }

    @Test func `An empty file becomes a store with its application ID in the header`() async throws {
        try folder.write(Data(), to: "sessions.sqlite")
        let store = try HostStore(path: folder.store)
        try await store.write([.saveSessions([record("a")])])
        #expect(try await store.sessions().map(\.id) == ["a"])
        try store.close()
        #expect(try folder.bytes(of: "sessions.sqlite")[68..<72] == ArraySlice("SBus".utf8))
    }

    @Test func `A folder in the file's place is refused`() throws {
        try FileManager.default.createDirectory(atPath: folder.store, withIntermediateDirectories: false)
        let error = #expect(throws: StoreError.self) { try HostStore(path: folder.store) }
        #expect(error?.reason.contains("cannot be opened") == true)
    }

    // MARK: - What cannot be written

    @Test func `A full disk is reported, stored data stays, and writing continues when there is room`() async throws {
        do {
            let store = try HostStore(path: folder.store, maximumPages: 12)
            try await store.write([.saveSessions([record("a")])])
            let error = await #expect(throws: StoreError.self) {
                try await store.write([.saveSessions([record("b", text: String(repeating: "x", count: 100_000))])])
            }
            #expect(error?.description.contains(folder.store) == true)
            // A refused write is not made later.
            #expect(error?.reason == "the disk is full: make room")
            #expect(error?.kind == .other)
            #expect(try await store.sessions() == [record("a")])
            try await store.write([.saveSessions([record("c")])])
        }
        let store = try HostStore(path: folder.store)
        try await store.write([.saveSessions([record("b", text: String(repeating: "x", count: 100_000))])])
        #expect(try await Set(store.sessions().map(\.id)) == ["a", "b", "c"])
    }

    @Test func `A read-only file is named in the error when written to, and can still be read`() async throws {
        try await HostStore(path: folder.store).write([.saveSessions([record("a")])])
        // The header's write version: a version that is newer than SQLite knows makes the file read-only.
        var bytes = try folder.bytes(of: "sessions.sqlite")
        bytes[18] = 3
        try folder.write(bytes, to: "sessions.sqlite")
        let store = try HostStore(path: folder.store)
        #expect(try await store.sessions() == [record("a")])
        let save = await #expect(throws: StoreError.self) { try await store.write([.saveSessions([record("b")])]) }
        let delete = await #expect(throws: StoreError.self) { try await store.write([.deleteSession("a")]) }
        for error in [save, delete] {
            #expect(error?.description.contains(folder.store) == true)
            #expect(error?.reason.contains("may not be written to") == true)
        }
        #expect(try folder.bytes(of: "sessions.sqlite") == bytes)
    }
}
