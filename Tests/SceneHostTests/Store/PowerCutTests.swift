import TestKit
import CBOR
import CoordinatorKit
import CStoreLog
import Foundation
import GRDB
@testable import SceneHost
import Testing

/// Cuts the power at every point of a store's writes, as they reached the disk.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PowerCutTests {
    private let folder: TemporaryFolder
    /// Where the files are restored.
    private let other: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        other = try TemporaryFolder()
    }

    /// Everything that a host reads when it starts.
    private func contents(of store: HostStore) async throws -> [String] {
        try await store.sessions().map { "session \($0.id) \($0.token)" }
            + store.requests().map { "request \($0.record.id.low) \($0.replySize ?? -1)" }.sorted()
            + ["epoch \(store.lastLife())"]
    }

    private func id(_ number: UInt64) -> MessageID { MessageID(high: 1, low: number) }

    private func session(_ id: String, token: UInt64) -> SessionRecord {
        SessionRecord(
            id: id, role: "windowApplication", configuration: "Wall", position: 1,
            state: CBORRaw(unchecked: CBORValue.string(id).encoded()), token: token)
    }

    private func request(_ number: UInt64) -> StoreOperation {
        .addRequest(RequestRecord(peer: "wall", id: id(number), message: "orderPlace", time: Int64(number)))
    }

    private func reply(_ number: UInt64, size: Int) -> StoreOperation {
        .addReply(Array(repeating: 7, count: size), to: id(number), from: "wall")
    }

    /// The writes of one life of a host, and of the next.
    private var lives: [[[StoreOperation]]] {
        [
            [
                [.beginLife(epoch: 1)], [.saveSessions([session("a", token: 1), session("b", token: 1)])], [request(1)],
                [reply(1, size: 100)], [request(2), request(3)], [reply(2, size: 20_000)],
                [.saveSessions([session("a", token: 2)]), reply(3, size: 10)], [.deleteSession("b")], [.endLife],
            ],
            [
                [.beginLife(epoch: 2)], [request(4)], [.deleteRequests(before: 3)], [reply(4, size: 5000)],
                [request(5)],
                [.saveSessions([session("a", token: 3)])], [reply(5, size: 1)],
            ],
        ]
    }

    /// Runs lives of a host and cuts the power at every point. Each acknowledged write must survive; a write that was not
    /// acknowledged must survive completely or not at all.
    private func check(_ lives: [[[StoreOperation]]], isClosed: Bool) async throws {
        var states: [[String]] = []
        let cuts = try await PowerCut.all(in: folder, seed: 1) {
            for life in lives {
                let store = try HostStore(path: folder.store)
                if states.isEmpty { states.append(try await contents(of: store)) }
                for step in life {
                    try await store.write(step)
                    store_log_mark(Int64(states.count))
                    states.append(try await contents(of: store))
                }
                if isClosed { try store.close() }
            }
        }
        #expect(cuts.count > 100 * lives.count)
        for cut in cuts {
            try cut.restore(to: other)
            let store = try HostStore(path: other.store)
            let found = try await contents(of: store)
            let acknowledged = Int(cut.mark)
            let may = states[acknowledged..<min(acknowledged + 2, states.count)]
            #expect(may.contains(found), "\(cut)")
            #expect(store.unreadable.isEmpty, "\(cut)")
            // The restored store can be written to.
            try await store.write([.beginLife(epoch: 9)])
            try store.close()
        }
    }

    @Test func `Written data survives a power cut at any moment`() async throws {
        try await check(lives, isClosed: true)
    }

    @Test func `Written data survives a power cut even if the previous host crashed`() async throws {
        try await check(lives, isClosed: false)
    }

    @Test func `A store of an earlier version with a rollback journal becomes durable`() async throws {
        let store = try HostStore(path: folder.store)
        try await store.write([.saveSessions([session("old", token: 1)])])
        try store.close()
        try folder.setJournal("DELETE")
        #expect(try folder.bytes(of: "sessions.sqlite")[18] == 1)
        // Only the first host finds the journal.
        try await check([lives[0]], isClosed: true)
    }

    @Test func `The recorder detects a journal whose removal did not reach the disk`() async throws {
        let cuts = try await PowerCut.all(in: folder, seed: 1) {
            var configuration = Configuration()
            configuration.prepareDatabase {
                try $0.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL")
            }
            let queue = try DatabaseQueue(path: folder.store, configuration: configuration)
            try await queue.write { try $0.execute(sql: "CREATE TABLE n (n INTEGER)") }
            for number in 1...3 {
                try await queue.write { try $0.execute(sql: "INSERT INTO n VALUES (\(number))") }
                store_log_mark(Int64(number))
            }
            try queue.close()
        }
        var lost: Set<RecordedDisk.Luck> = []
        for cut in cuts where cut.mark > 0 {
            try cut.restore(to: other)
            let queue = try DatabaseQueue(path: other.store)
            let count = try await queue.read { try Int64.fetchOne($0, sql: "SELECT count(*) FROM n") ?? 0 }
            if count < cut.mark { lost.insert(cut.luck) }
            try queue.close()
        }
        #expect(lost.contains(.nothing))
        #expect(!lost.contains(.everything))
    }
}
