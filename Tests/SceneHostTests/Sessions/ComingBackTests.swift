import Bus
import Testing

@testable import SceneHost

/// Workers that return with scenes: in time, late, or without a complete copy of the container.
@Suite(.timeLimit(.minutes(5)))
struct ComingBackTests {
    private let start = MonotonicInstant.now
    private func at(_ seconds: Double) -> MonotonicInstant { start + .seconds(seconds) }

    private func record(_ id: String, _ position: Int64 = 1, token: UInt64 = 0) -> SessionRecord {
        SessionRecord(id: id, role: "r", configuration: "Wall", position: position, token: token)
    }

    private func token(of id: String, in table: SessionTable) -> UInt64 { table.sessions[id]?.token ?? 0 }

    private func held(_ id: String, _ token: UInt64) -> [HeldScene] { [HeldScene(session: id, token: token)] }

    /// Attaches a worker whose copy of the container is not complete yet.
    @discardableResult
    private func attach(
        _ worker: UInt64, to table: inout SessionTable, capacity: Int = 2, held: [HeldScene] = [],
        as process: UInt64? = nil, at seconds: Double
    ) -> [SessionTable.Action] {
        let process = process ?? worker
        return table.attached(
            worker, ProcessIdentity(peer: "w\(process)", pid: Int32(process)), offers: ["Wall"], capacity: capacity,
            held: held, at: at(seconds))
    }

    // MARK: - Not complete

    /// Returns a table with a worker that returned with scenes but no complete container, and a complete worker with
    /// some room.
    private func impatient(_ count: Int, room: Int) -> SessionTable {
        var table = SessionTable(epoch: 1)
        attach(1, to: &table, capacity: count, at: 0)
        var actions = table.synchronized(1, at: at(0))
        for number in 0..<count { actions += table.opened(record("s\(number)", Int64(number)), links: [], at: at(0)) }
        while !actions.isEmpty {
            guard case .connect(let id, _, let token) = actions.removeFirst() else { continue }
            actions += table.connected(id, token: token)
            actions += table.tick(at: at(0))
        }
        let scenes = table.ordered.map { HeldScene(session: $0.id, token: $0.token) }
        _ = table.detached(1, reason: "it attaches anew", isOver: false, at: at(0))
        attach(2, to: &table, capacity: count, held: scenes, as: 1, at: 1)
        attach(9, to: &table, capacity: room, at: 1)
        _ = table.synchronized(9, at: at(1))
        return table
    }

    @Test(arguments: [0, 1, 3, 40])
    func `Scenes of a worker without a complete copy are moved as far as others have room`(room: Int) {
        var table = impatient(100, room: room)
        #expect(table.workers[2]?.sessions.count == 100)
        // A worker starts only so many scenes at a time.
        let given = min(room, SessionTable.maximumStarting)
        let actions = table.tick(at: at(10))
        #expect(actions.count { if case .connect(_, 9, _) = $0 { true } else { false } } == given)
        #expect(actions.count { if case .discard(_, 2, _) = $0 { true } else { false } } == given)
        #expect(table.workers[2]?.sessions.count == 100 - given)
        #expect(table.sessions.values.allSatisfy { $0.phase != .waiting })
        #expect(table.faults(at: at(10)) == [])
        _ = table.synchronized(2, at: at(11))
        #expect(table.faults(at: at(11)) == [])
    }

    @Test func `A scene stays with a worker without a complete copy while nothing can be placed`() {
        var unwritten = impatient(1, room: 1)
        unwritten.hold()
        #expect(unwritten.tick(at: at(10)) == [])
        #expect(unwritten.sessions["s0"]?.phase == .returning(2))
        // The store can be written to again.
        _ = unwritten.release()
        #expect(unwritten.tick(at: at(11)).count == 2)
        var expecting = impatient(1, room: 1)
        expecting.expected = (["w7"], at(60))
        #expect(expecting.tick(at: at(10)) == [])
        #expect(expecting.sessions["s0"]?.phase == .returning(2))
        #expect(expecting.faults(at: at(10)) == [])
    }

    @Test func `A worker is told to resume a scene only once its copy of the container is complete`() {
        var table = SessionTable(epoch: 1)
        attach(1, to: &table, at: 0)
        _ = table.synchronized(1, at: at(0))
        _ = table.opened(record("a"), links: [], at: at(0))
        let first = token(of: "a", in: table)
        _ = table.connected("a", token: first)
        _ = table.detached(1, reason: "it attaches anew", isOver: false, at: at(1))
        attach(2, to: &table, held: held("a", first), as: 1, at: 1)
        #expect(table.synchronized(2, at: at(1)).count == 1)
        let second = token(of: "a", in: table)
        // The resume request is not delivered, and the worker loses its link before the next attempt.
        #expect(table.connectFailed("a", token: second, .notSent, reason: "lost", at: at(1)) == [])
        _ = table.detached(2, reason: "it attaches anew", isOver: false, at: at(1.5))
        attach(3, to: &table, held: held("a", first), as: 1, at: 1.6)
        #expect(table.sessions["a"]?.phase == .returning(3))
        #expect(table.tick(at: at(2.1)) == [])
        #expect(table.sessions["a"]?.phase == .returning(3))
        #expect(table.faults(at: at(2.1)) == [])
        let actions = table.synchronized(3, at: at(4))
        #expect(actions == [.resume("a", 3, token: token(of: "a", in: table))])
    }

    // MARK: - Late

    /// A host's second life, with one worker that returned with its scenes in time, and a new one.
    private func restarted(held scenes: [HeldScene]) -> SessionTable {
        var table = SessionTable(epoch: 2)
        table.start(with: [record("a", 1, token: 7), record("b", 2, token: 8)], isClean: false, at: at(0))
        attach(1, to: &table, held: scenes, at: 1)
        _ = table.synchronized(1, at: at(1))
        attach(9, to: &table, at: 1)
        _ = table.synchronized(9, at: at(1))
        return table
    }

    @Test func `A worker that reconnects up to four seconds late after a crash keeps its scenes`() {
        var table = restarted(held: held("a", 7))
        // A scene that has returned resumes without waiting for the others.
        #expect(table.tick(at: at(2.5)) == [.resume("a", 1, token: token(of: "a", in: table))])
        #expect(table.sessions["b"]?.phase == .collecting(candidate: nil))
        #expect(!table.hasMore)
        #expect(table.nextTick == at(4.5))
        #expect(table.tick(at: at(3.9)) == [])
        #expect(table.faults(at: at(3.9)) == [])
        #expect(attach(2, to: &table, held: held("b", 8), at: 4) == [])
        #expect(table.synchronized(2, at: at(4)) == [.resume("b", 2, token: token(of: "b", in: table))])
        #expect(table.tick(at: at(4.6)) == [])
        #expect(!table.isArriving)
        #expect(table.faults(at: at(4.6)) == [])
    }

    @Test func `A scene whose worker does not return is placed when the time for late workers is over`() {
        var table = restarted(held: held("a", 7))
        _ = table.tick(at: at(2.5))
        let actions = table.tick(at: at(4.5))
        #expect(actions.count == 1)
        guard case .connect("b", _, let newer)? = actions.first else {
            Issue.record("it is not placed")
            return
        }
        #expect(attach(2, to: &table, held: held("b", 8), at: 4.6) == [.discard("b", 2, token: 8)])
        #expect(newer > 8)
        #expect(table.faults(at: at(4.6)) == [])
    }

    @Test func `If no worker has outlived the host, nothing waits for longer than its lease`() {
        var table = restarted(held: [])
        #expect(table.tick(at: at(2.5)).count == 2)
        #expect(!table.isArriving)
    }

    @Test func `Late workers that are told to reconnect are waited for, but not forever`() {
        var table = restarted(held: held("a", 7))
        _ = table.tick(at: at(2.5))
        table.stillArriving(at: at(4.4))
        #expect(table.tick(at: at(6.8)) == [])
        #expect(table.tick(at: at(7)).count == 1)
        var patient = restarted(held: held("a", 7))
        _ = patient.tick(at: at(2.5))
        for second in stride(from: 4.0, to: 60, by: 2) {
            patient.stillArriving(at: at(second))
            #expect(patient.tick(at: at(second)) == [])
        }
        #expect(patient.tick(at: at(60)).count == 1)
    }

    @Test func `A copy that is lost with its worker's link may return before the time is over`() {
        var table = restarted(held: held("a", 7))
        attach(2, to: &table, held: held("b", 8), at: 1)
        _ = table.detached(2, reason: "it attaches anew", isOver: false, at: at(2))
        _ = table.tick(at: at(2.5))
        #expect(attach(3, to: &table, held: held("b", 8), as: 2, at: 3) == [])
        #expect(table.synchronized(3, at: at(3)) == [.resume("b", 3, token: token(of: "b", in: table))])
    }

    @Test func `A worker that the host has started counts as arriving until it attaches, complete or not`() {
        var table = SessionTable(epoch: 2)
        table.start(with: [], isClean: true, expecting: ["w1", "w2"], at: at(0))
        attach(1, to: &table, at: 1)
        #expect(table.isArriving)
        attach(2, to: &table, at: 1)
        #expect(!table.isArriving)
        #expect(table.expected != nil)
    }

    // MARK: - What is shown

    @Test func `A scene whose worker has returned is not reported as cut off while others are awaited`() throws {
        let table = restarted(held: held("a", 7))
        let (a, b) = (try #require(table.sessions["a"]), try #require(table.sessions["b"]))
        #expect(a.state == .resuming)
        #expect(a.phase.worker == 1)
        #expect(table.summary(of: a) == "its worker has come back with it")
        #expect(b.state == .cutOff)
        #expect(b.phase.worker == nil)
        #expect(table.summary(of: b).contains("may still run its scene"))
        #expect(table.workers[1]?.sessionCount == 1)
    }
}
