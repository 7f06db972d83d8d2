import Bus
import GRDB
import Messaging
import OperatorKit
import PeerLink
import TestKit
import Testing
import ZeroMQ

@testable import SceneHost

extension LiveTests {
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct AuditTests {
        private func texts(_ entries: [AuditEntry]) -> [String] {
            entries.map { "\($0.peer) \($0.key ?? "-") \($0.role): \($0.action) \($0.object): \($0.outcome)" }
        }

        @Test("What an operator has done, and what has failed, is kept, also for the next host")
        func actions() async throws {
            let folder = try TemporaryFolder()
            let store: (inout HostConfiguration) -> Void = { $0.store = "\(folder.path)/sessions.sqlite" }
            try await withHost(in: folder, configure: store) { live in
                try await live.worker("wall")
                let client = try await live.client(named: "desk")
                let session = try await client.open()
                _ = try await client.act(session, "show", "secret")
                await #expect(throws: RemoteError.self) { try await client.chain.hostCloseSession(session: "none") }
                _ = try await client.chain.hostStatus()
                let entries = try await client.chain.hostAudit(since: nil)
                #expect(entries.map(\.number) == [1, 2, 3])
                let name = client.link.configuration.peer
                let kept = texts(entries)
                #expect(kept[0].hasPrefix("\(name) - operator: hostOpenSession"), "\(kept)")
                #expect(kept[0].hasSuffix(": done"))
                #expect(kept[1] == "\(name) - operator: hostSceneAct \(session) show: done")
                #expect(kept[2].hasPrefix("\(name) - operator: hostCloseSession none: "))
                #expect(!kept[2].hasSuffix("done"))
                #expect(try await client.chain.hostAudit(since: entries[2].time + 1).isEmpty)
                let page = try await client.chain.hostAudit(since: nil, after: nil, limit: 2)
                #expect(page.entries.count == 2)
                #expect(try await client.chain.hostAudit(since: nil, after: page.next, limit: 2).entries.count == 1)
                await #expect(throws: RemoteError.self) {
                    try await client.chain.hostAudit(since: nil, after: "x", limit: nil)
                }
            }
            try await withHost(in: folder, configure: store) { live in
                let client = try await live.client()
                #expect(try await client.chain.hostAudit(since: nil).count == 3)
            }
        }

        @Test("What a key does not allow is kept, once for a while, and so are changes of the list")
        func refusals() async throws {
            try await KeyedHost.with { host in
                try await host.allow("desk viewer")
                let desk = try await host.client("desk")
                defer { desk.close() }
                for _ in 0..<3 {
                    await #expect(throws: MessageError.self) { try await desk.chain.hostCloseSession(session: "none") }
                }
                await #expect(throws: MessageError.self) { try await desk.chain.hostAudit(since: nil) }
                await #expect(throws: Refusal.self) { try await host.attached("desk", role: .worker, as: "desk-1") }
                let local = try await host.live.client()
                let kept = texts(try await local.chain.hostAudit(since: nil))
                let name = desk.link.configuration.peer
                #expect(kept.count == 4, "\(kept)")
                #expect(kept[0] == " - host: allow a key desk viewer: done")
                #expect(kept[1].hasPrefix("\(name) desk viewer: hostCloseSession : "))
                #expect(kept[2].hasPrefix("\(name) desk viewer: hostAudit : "))
                #expect(kept[3].hasPrefix("desk-1 desk worker: attach : "))
            }
        }

        @Test("Of old entries and of more than the maximum, only the newest are kept")
        func bounded() async throws {
            let folder = try TemporaryFolder()
            let store = try HostStore(path: folder.store)
            func entry(_ time: Double) -> AuditEntry {
                AuditEntry(time: time, peer: "p", key: nil, role: "r", action: "a", object: "o", outcome: "done")
            }
            let now = 200.0 * 86_400
            try await store.write((1...499).map { .addAudit(entry($0 < 400 ? 1 : now)) })
            #expect(try await store.audit(since: 0, after: 0, limit: 1000).count == 499)
            try await store.write([.addAudit(entry(now))])
            #expect(try await store.audit(since: 0, after: 0, limit: 1000).map(\.number) == Array(400...500))
            try store.close()
        }

        @Test("Of too many entries, those are removed of the user who has most of the key or the program that has most")
        func fairlyBounded() async throws {
            let folder = try TemporaryFolder()
            let store = try HostStore(path: folder.store)
            func add(_ count: Int, peer: String, key: String? = nil, user: String? = nil, role: String) async throws {
                let entry = AuditEntry(
                    time: 1e9, peer: peer, key: key, user: user, role: role, action: "a", object: "o", outcome: "no")
                try await store.write(Array(repeating: .addAudit(entry), count: count))
            }
            try await add(10, peer: "desk", key: "quiet", role: "operator")
            for number in 1...10 { try await add(1, peer: "local-\(number)", role: "operator") }
            try await add(10, peer: "console", user: "ada", role: "plugin")
            try await add(40_000, peer: "kiosk", key: "loud", user: "ben", role: "plugin")
            // The last one is the 500th of a row, after which there are not too many.
            let most = AuditRecord.maximumCount + 500 - 40_030
            try await add(most, peer: "console", user: "mallory", role: "plugin")
            let all = try await store.audit(since: 0, after: 0, limit: 200_000)
            #expect(all.count == AuditRecord.trimmedCount)
            #expect(all.count { $0.key == "quiet" } == 10 && all.count { $0.role == "operator" } == 20)
            #expect(all.count { $0.user == "ada" } == 10 && all.count { $0.user == "ben" } == 40_000)
            let mallorys = all.filter { $0.user == "mallory" }
            let removed = AuditRecord.maximumCount + 500 - AuditRecord.trimmedCount
            #expect(mallorys.count == most - removed && mallorys.first?.number == Int64(40_031 + removed))
            try store.close()
        }

        @Test func `The entries of a store of an earlier version are kept, with no user`() async throws {
            let folder = try TemporaryFolder()
            let old = try DatabaseQueue(path: folder.store)
            try HostStore.migrator.migrate(old, upTo: "8 holders")
            try await old.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO audit (time, peer, role, action, object, outcome)
                        VALUES (1, 'p', 'operator', 'hostDrain', 'w', 'done')
                        """)
                try database.execute(sql: "PRAGMA application_id = \(HostStore.applicationID)")
            }
            try old.close()
            let store = try HostStore(path: folder.store)
            let new = AuditEntry(
                number: 2, time: 2, peer: "p", key: "k", user: "anna", role: "operator", action: "hostOpenSession",
                object: "s", outcome: "done")
            try await store.write([.addAudit(new)])
            let entries = try await store.audit(since: 0, after: 0, limit: 10)
            #expect(entries.map(\.action) == ["hostDrain", "hostOpenSession"])
            #expect(entries.first?.user == nil && entries.last == new)
            try store.close()
        }

        @Test func `A key has a number of entries a minute`() {
            var acts = AuditedActs()
            let start = MonotonicInstant.now
            let kept = (0..<2000).count { _ in acts.allows("key loud", at: start) }
            #expect(kept == AuditedActs.maximum)
            let others = [acts.allows("key quiet", at: start), acts.allows("key loud", at: start + .seconds(60))]
            #expect(others == [true, true])
        }

        @Test func `A user has a number of entries a minute, and takes none from other users of the same program`() {
            var acts = AuditedActs()
            let start = MonotonicInstant.now
            let kept = (0..<2000).count { _ in acts.allows("process 7", for: "loud", at: start) }
            #expect(kept == AuditedActs.maximum)
            let others = [acts.allows("process 7", for: "quiet", at: start), acts.allows("process 7", at: start)]
            #expect(others == [true, true])
            // Whoever makes up names is counted as one at last.
            let many = (0..<5000).count { acts.allows("key maker", for: "u\($0)", at: start) }
            #expect(many == AuditedActs.maximumUsers + AuditedActs.maximum)
        }

        @Test(
            "What every key may ask again and again is kept when it changes something, and once a minute when it fails")
        func rotations() async throws {
            try await KeyedHost.with { host in
                try await host.allow("desk viewer")
                let desk = try await host.client("desk")
                defer { desk.close() }
                let own = "\(try host.key(of: "desk").publicKey)"
                for _ in 0..<5 {
                    await #expect(throws: (any Error).self) {
                        try await desk.chain.hostRotateKey(key: "no", keep: 1)
                    }
                    _ = try await desk.chain.hostRotateKey(key: own, keep: 1)
                }
                let local = try await host.live.client()
                let kept = texts(try await local.chain.hostAudit(since: nil)).filter { $0.contains("hostRotateKey") }
                #expect(kept.count == 1, "\(kept)")
            }
        }

        @Test func `Refusals of one kind are kept once a minute, and not without end`() {
            var refusals = AuditedRefusals()
            let start = MonotonicInstant.now
            #expect(refusals.isNew(of: "p", "a", at: start) == true)
            #expect(refusals.isNew(of: "p", "a", at: start) == false)
            #expect(refusals.isNew(of: "q", "a", at: start) == true)
            for number in 0..<2000 { _ = refusals.isNew(of: "r", "\(number)", at: start) }
            #expect(refusals.isNew(of: "r", "another", at: start) == false)
            // One peer leaves room for the others.
            #expect(refusals.isNew(of: "s", "a", at: start) == true)
            #expect(refusals.isNew(of: "r", "another", at: start + .seconds(60)) == true)
            for number in 0..<2000 { _ = refusals.isNew(of: "\(number / 10)", "\(number)", at: start + .seconds(60)) }
            #expect(refusals.isNew(of: "s", "a", at: start + .seconds(60)) == true)
        }
    }
}
