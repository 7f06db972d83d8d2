import Bus
import Testing

@testable import SceneHost

/// Which worker may come back with a session: one of the key that it was given to last.
@Suite(.timeLimit(.minutes(5)))
struct SessionHolderTests {
    private let start = MonotonicInstant.now
    private func at(_ seconds: Double) -> MonotonicInstant { start + .seconds(seconds) }

    private func attach(_ id: UInt64, key: String?, held: [HeldScene] = [], to table: inout SessionTable) {
        _ = table.attached(
            id, ProcessIdentity(peer: "\(key ?? "local")-\(id)", pid: Int32(id)), offers: ["Wall"], capacity: 5,
            held: held, key: key, at: at(0))
        _ = table.synchronized(id, at: at(0))
    }

    /// A table with a session that runs on a worker with the key "a".
    private func table() -> (SessionTable, token: UInt64) {
        var table = SessionTable(epoch: 1)
        attach(1, key: "a", to: &table)
        let record = SessionRecord(id: "s", role: "r", configuration: "Wall", position: 1)
        _ = table.opened(record, links: [], at: at(0))
        let token = table.sessions["s"]?.token ?? 0
        _ = table.connected("s", token: token)
        return (table, token)
    }

    @Test(arguments: [("a", true), ("b", false), (nil, true)] as [(String?, Bool)])
    func `A session whose worker is away waits for its key, or for a worker without one`(key: String?, isHis: Bool) {
        var (table, token) = table()
        _ = table.detached(1, reason: "its line has changed", isOver: false, at: at(1))
        attach(2, key: key, held: [HeldScene(session: "s", token: token)], to: &table)
        #expect((table.sessions["s"]?.phase.workers.contains(2) == true) == isHis)
        #expect(table.sessions["s"]?.record.holder == (isHis ? key : "a"))
    }

    @Test func `A move that fails leaves the session to the key that has it`() throws {
        var (table, token) = table()
        attach(2, key: "b", to: &table)
        _ = try table.move("s", to: 2)
        _ = table.frozen("s", token: token, state: nil)
        _ = table.stored("s")
        #expect(table.sessions["s"]?.record.holder == "b")
        _ = table.connectFailed("s", token: table.sessions["s"]?.token ?? 0, .refused, reason: "no", at: at(1))
        #expect(table.sessions["s"]?.record.holder == "a")
        let resumed = table.sessions["s"]?.token ?? 0
        _ = table.connected("s", token: resumed)
        _ = table.detached(1, reason: "its line has changed", isOver: false, at: at(2))
        attach(3, key: "b", held: [HeldScene(session: "s", token: resumed)], to: &table)
        #expect(table.sessions["s"]?.phase.workers.contains(3) == false)
        attach(4, key: "a", held: [HeldScene(session: "s", token: resumed)], to: &table)
        #expect(table.sessions["s"]?.phase.workers.contains(4) == true)
    }

    @Test func `The next host knows whose a session was`() {
        let (before, token) = table()
        guard let record = before.sessions["s"]?.record else { return }
        for (key, isHis) in [("a", true), ("b", false)] {
            var table = SessionTable(epoch: 2)
            table.take([record], isClean: false)
            table.begin(expecting: [], at: at(0))
            attach(9, key: key, held: [HeldScene(session: "s", token: token)], to: &table)
            #expect((table.workers[9]?.candidates == ["s"]) == isHis, "\(key)")
        }
    }
}
