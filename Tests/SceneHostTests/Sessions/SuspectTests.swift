import Bus
import CBOR
import CoordinatorKit
import Testing

@testable import SceneHost

/// Sessions whose scenes were in the hands of workers that crashed. The tests supply the time.
@Suite(.timeLimit(.minutes(5)))
struct SuspectTests {
    private let start = MonotonicInstant.now
    private func at(_ seconds: Double) -> MonotonicInstant { start + .seconds(seconds) }
    private let content = SessionTable.Moment.content

    private func record(_ id: String) -> SessionRecord {
        SessionRecord(id: id, role: "r", configuration: "Wall", position: 1)
    }

    private func process(_ worker: UInt64) -> ProcessIdentity {
        ProcessIdentity(peer: "w\(worker)", pid: Int32(worker))
    }

    @discardableResult
    private func attach(
        _ worker: UInt64, to table: inout SessionTable, as process: UInt64? = nil, held: [HeldScene] = [],
        capacity: Int = 8, isOwn: Bool = true, at seconds: Double = 0
    ) -> [SessionTable.Action] {
        let identity = self.process(process ?? worker)
        return table.attached(
            worker, identity, offers: ["Wall"], capacity: capacity, held: held, endsWithHost: isOwn, at: at(seconds))
            + table.synchronized(worker, at: at(seconds))
    }

    private func table(_ workers: UInt64..., capacity: Int = 8) -> SessionTable {
        var table = SessionTable(epoch: 1)
        for worker in workers { attach(worker, to: &table, capacity: capacity) }
        return table
    }

    private func token(_ id: String, _ table: SessionTable) -> UInt64 { table.sessions[id]?.token ?? 0 }
    private func phase(_ id: String, _ table: SessionTable) -> SessionTable.Phase? { table.sessions[id]?.phase }

    private func crash(
        _ worker: UInt64, in table: inout SessionTable, mayComeBack: Bool = false, at seconds: Double
    ) -> [SessionTable.Action] {
        table.detached(
            worker, reason: "gone", isOver: true, mayComeBack: mayComeBack, isCrash: true, at: at(seconds))
    }

    /// Confirms every scene that is to be made.
    private func connect(_ actions: [SessionTable.Action], in table: inout SessionTable) {
        var actions = actions
        while !actions.isEmpty {
            guard case .connect(let id, _, let token) = actions.removeFirst() else { continue }
            actions += table.connected(id, token: token)
        }
    }

    private func run(_ ids: String..., in table: inout SessionTable) {
        for id in ids { connect(table.opened(record(id), links: [], at: at(0)), in: &table) }
    }

    private func ask(_ id: String, in table: inout SessionTable) { table.asked(id, content, token: token(id, table)) }

    private func trouble(_ id: String, _ table: SessionTable) -> String { table.sessions[id].map(table.summary) ?? "" }

    @Test(arguments: [false, true])
    func `A crash counts if the worker was asked to freeze and to resume the scene meanwhile, and did not`(
        hasResumed: Bool
    ) throws {
        var table = table(1, 2)
        run("bad", in: &table)
        guard case .running(let worker)? = phase("bad", table) else { throw NotRunning() }
        ask("bad", in: &table)
        let asked = token("bad", table)
        #expect(try table.move("bad", to: nil) == [.freeze("bad", worker, token: asked)])
        // It crashes here, but the host notices only that it cannot send.
        let resume = table.freezeFailed("bad", token: asked, reason: "it could not be sent", at: at(1))
        #expect(resume == [.resume("bad", worker, token: token("bad", table))])
        if hasResumed {
            _ = table.connected("bad", token: token("bad", table))
        } else {
            let failure = SessionTable.ConnectFailure.notSent
            _ = table.connectFailed("bad", token: token("bad", table), failure, reason: "gone", at: at(1))
            #expect(phase("bad", table) == .returning(worker))
        }
        _ = crash(worker, in: &table, at: 2)
        #expect(table.sessions["bad"]?.record.suspicion?.crashes == (hasResumed ? nil : 1))
    }

    @Test func `A session that was asked in two crashes is held, and the others run on`() throws {
        var table = table(1, 2, 3)
        run("bad", "good", in: &table)
        for (round, seconds) in [(1, 1.0), (2, 2.0)] {
            guard case .running(let worker)? = phase("bad", table) else { throw NotRunning() }
            ask("bad", in: &table)
            let actions = crash(worker, in: &table, at: seconds)
            #expect(actions.contains { if case .connect("bad", _, _) = $0 { true } else { false } } == (round == 1))
            connect(actions, in: &table)
        }
        #expect(phase("bad", table) == .waiting)
        #expect(trouble("bad", table).hasPrefix("crashed 2 workers"))
        #expect(trouble("bad", table).contains("scenebus sessions retry bad"))
        #expect(table.sessions["good"]?.state == .running)
        #expect(table.sessions["good"]?.isSuspect == false)
        // Inputs fail at once, and nothing gives it to a worker.
        #expect(try !table.mayRun(#require(table.sessions["bad"]), before: at(1000)))
        connect(attach(9, to: &table, at: 3), in: &table)
        connect(table.tick(at: at(1000)), in: &table)
        #expect(phase("bad", table) == .waiting)
        #expect(table.faults(at: at(1000)) == [])
        // Until an operator says so.
        connect(try table.retry("bad"), in: &table)
        #expect(table.sessions["bad"]?.state == .running)
        #expect(table.sessions["bad"]?.record.suspicion == nil)
        #expect(table.faults(at: at(1000)) == [])
    }

    private struct NotRunning: Error {}

    @Test func `A scene that crashes its workers while it is made is held after the second one`() {
        var table = table(1, 2, 3)
        _ = table.opened(record("bad"), links: [], at: at(0))
        guard case .connecting(let first, _)? = phase("bad", table) else { return #expect(Bool(false)) }
        _ = crash(first, in: &table, at: 1)
        _ = table.tick(at: at(60))
        guard case .connecting(let second, _)? = phase("bad", table) else { return #expect(Bool(false)) }
        _ = crash(second, in: &table, at: 61)
        #expect(phase("bad", table) == .waiting)
        #expect(table.sessions["bad"]?.isHeld == true)
        #expect(table.tick(at: at(1000)) == [])
        #expect(trouble("bad", table).contains("while it made the scene"))
        #expect(table.faults(at: at(1000)) == [])
    }

    @Test func `A session that does afterwards what its worker had crashed with is not suspect any more`() {
        var table = table(1, 2)
        run("a", in: &table)
        let worker = phase("a", table) == .running(1) ? UInt64(1) : 2
        ask("a", in: &table)
        connect(crash(worker, in: &table, at: 1), in: &table)
        #expect(table.sessions["a"]?.isSuspect == true)
        let token = token("a", table)
        // Another answer proves nothing.
        table.asked("a", SessionTable.Moment.act("add"), token: token)
        _ = table.ended("a", SessionTable.Moment.act("add"), token: token, .answered, at: at(2))
        #expect(table.sessions["a"]?.isSuspect == true)
        table.asked("a", content, token: token)
        _ = table.ended("a", content, token: token, .notHandled, at: at(2))
        #expect(table.sessions["a"]?.isSuspect == true)
        table.asked("a", content, token: token)
        _ = table.ended("a", content, token: token, .answered, at: at(2))
        #expect(table.sessions["a"]?.isSuspect == false)
    }

    @Test func `A session is not suspect any more when its scene has run for some minutes`() {
        var table = table(1, 2)
        run("a", in: &table)
        ask("a", in: &table)
        connect(crash(phase("a", table) == .running(1) ? 1 : 2, in: &table, at: 1), in: &table)
        _ = table.tick(at: at(100))
        _ = table.tick(at: at(121))
        #expect(table.sessions["a"]?.isSuspect == true)
        _ = table.tick(at: at(242))
        #expect(table.sessions["a"]?.isSuspect == false)
        #expect(table.faults(at: at(242)) == [])
    }

    @Test func `Of several sessions that were asked in two crashes, only the one that was asked in the second is held`()
        throws
    {
        var table = table(1)
        run("a", "b", "c", in: &table)
        for id in ["a", "b", "c"] { ask(id, in: &table) }
        var actions = crash(1, in: &table, at: 1)
        actions += attach(2, to: &table, at: 2)
        // Suspects are made one after the other.
        #expect(actions.count == 1)
        while case .connect(let id, _, let token)? = actions.first {
            actions = table.connected(id, token: token)
            #expect(actions.count <= 1)
            #expect(table.faults(at: at(2)) == [])
        }
        for id in ["a", "b", "c"] { #expect(table.sessions[id]?.state == .running) }
        // They are asked one after the other, too.
        ask("a", in: &table)
        #expect(try table.mayAsk(#require(table.sessions["a"])))
        #expect(try !table.mayAsk(#require(table.sessions["b"])))
        _ = table.takeChanges()
        _ = table.ended("a", content, token: token("a", table), .answered, at: at(3))
        #expect(table.takeChanges().sessions.isSuperset(of: ["b", "c"]))
        #expect(try table.mayAsk(#require(table.sessions["b"])))
        ask("b", in: &table)
        _ = crash(2, in: &table, at: 4)
        #expect(table.sessions["a"]?.isSuspect == false)
        #expect(table.sessions["b"]?.isHeld == true)
        #expect(table.sessions["c"]?.isHeld == false)
    }

    @Test func `A second crash with other scenes in the worker's hands holds no session, and the third one does`() {
        var table = table(1)
        run("bad", "good", in: &table)
        for id in ["bad", "good"] { ask(id, in: &table) }
        _ = crash(1, in: &table, at: 1)
        connect(attach(2, to: &table, at: 2), in: &table)
        // It is not suspect, so it may be asked together with a suspect.
        run("new", in: &table)
        for id in ["bad", "new"] { ask(id, in: &table) }
        _ = crash(2, in: &table, at: 3)
        #expect(table.sessions["bad"]?.record.suspicion?.crashes == 2)
        #expect(table.held == [])
        connect(attach(3, to: &table, at: 4), in: &table)
        run("newer", in: &table)
        for id in ["bad", "newer"] { ask(id, in: &table) }
        _ = crash(3, in: &table, at: 5)
        #expect(table.held == ["bad"])
        #expect(trouble("bad", table).hasPrefix("crashed 3 workers"))
        #expect(table.faults(at: at(5)) == [])
    }

    @Test func `A worker whose end the host would not see gets a suspect only right after it has shown that it lives`()
        throws
    {
        var table = SessionTable(epoch: 1)
        for worker in [UInt64(1), 2] { attach(worker, to: &table, isOwn: false) }
        run("a", "b", in: &table)
        guard case .running(let first)? = phase("a", table) else { throw NotRunning() }
        let second: UInt64 = first == 1 ? 2 : 1
        table.forgetHeard()
        #expect(table.heard(second) == [])
        ask("a", in: &table)
        #expect(crash(first, in: &table, mayComeBack: true, at: 1) == [])
        #expect(table.tick(at: at(2)) == [])
        #expect(table.faults(at: at(2)) == [])
        let actions = table.heard(second)
        #expect(actions == [.connect("a", second, token: token("a", table))])
        connect(actions, in: &table)
        // Its answer is a sign, too.
        #expect(try table.mayAsk(#require(table.sessions["a"])))
        table.forgetHeard()
        #expect(try !table.mayAsk(#require(table.sessions["a"])))
        #expect(try table.mayAsk(#require(table.sessions["b"])))
        _ = table.takeChanges()
        #expect(table.heard(second) == [])
        #expect(table.takeChanges().sessions == ["a"])
        #expect(try table.mayAsk(#require(table.sessions["a"])))
        #expect(table.faults(at: at(2)) == [])
    }

    @Test func `A sign of life lasts until all sessions that wait for the worker have been checked`() throws {
        var table = SessionTable(epoch: 1)
        attach(1, to: &table, capacity: 1, isOwn: false)
        run("a", in: &table)
        attach(2, to: &table, capacity: 1000, isOwn: false)
        // More sessions than one turn checks are in front of it: the only worker with room has refused them.
        for number in 0..<(2 * SessionTable.placements) {
            let id = "refused\(number)"
            _ = table.opened(record(id), links: [], at: at(1))
            _ = table.tick(at: at(1))
            _ = table.connectFailed(id, token: token(id, table), .unreadableState, reason: "no", at: at(1))
        }
        ask("a", in: &table)
        _ = crash(1, in: &table, mayComeBack: true, at: 1)
        for _ in 0..<10 { _ = table.tick(at: at(2)) }
        var actions = table.heard(2)
        for _ in 0..<10 where actions.isEmpty {
            table.forgetHeard()
            actions += table.tick(at: at(2))
        }
        #expect(actions.contains(.connect("a", 2, token: token("a", table))))
    }

    @Test func `A suspect leaves a worker that is drained when the worker has shown that it lives`() throws {
        var table = SessionTable(epoch: 1)
        for worker in [UInt64(1), 2, 3] { attach(worker, to: &table, isOwn: false) }
        run("a", in: &table)
        guard case .running(let first)? = phase("a", table) else { throw NotRunning() }
        ask("a", in: &table)
        _ = crash(first, in: &table, mayComeBack: true, at: 1)
        for worker in [UInt64(1), 2, 3] where worker != first {
            connect(table.heard(worker), in: &table)
            table.forgetHeard()
        }
        guard case .running(let home)? = phase("a", table) else { throw NotRunning() }
        #expect(table.sessions["a"]?.isSuspect == true)
        #expect(table.drain(home) == [])
        #expect(table.tick(at: at(2)) == [])
        #expect(table.faults(at: at(2)) == [])
        #expect(table.heard(home) == [.freeze("a", home, token: token("a", table))])
    }

    @Test func `A cut network accuses nobody once the workers are back`() {
        var table = table(1, 2, 3)
        run("a", in: &table)
        for (seconds, back) in [(1.0, UInt64(11)), (2.0, 12)] {
            guard case .running(let worker)? = phase("a", table) else { return #expect(Bool(false)) }
            ask("a", in: &table)
            connect(crash(worker, in: &table, mayComeBack: true, at: seconds), in: &table)
            _ = back
        }
        #expect(table.sessions["a"]?.isHeld == true)
        let silent = Array(table.accusations.keys)
        #expect(silent.count == 2)
        // The first that comes back takes its accusation with it, and the session is placed again.
        connect(attach(11, to: &table, as: UInt64(silent[0].pid), at: 5), in: &table)
        #expect(table.sessions["a"]?.state == .running)
        connect(attach(12, to: &table, as: UInt64(silent[1].pid), at: 6), in: &table)
        #expect(table.sessions["a"]?.isSuspect == false)
        #expect(table.accusations.isEmpty)
        #expect(table.faults(at: at(6)) == [])
    }

    @Test func `A request whose sender stopped to wait still counts until its worker would be known to be gone`() {
        for (seconds, isSuspect) in [(3.0, true), (60.0, false)] {
            var table = table(1)
            run("a", in: &table)
            let token = token("a", table)
            table.asked("a", content, token: token)
            _ = table.ended("a", content, token: token, .unknown, at: at(1))
            _ = crash(1, in: &table, mayComeBack: true, at: seconds)
            #expect(table.sessions["a"]?.isSuspect == isSuspect)
        }
    }

    @Test func `A worker that says goodbye, or loses its link only, accuses nobody`() {
        for isOver in [true, false] {
            var table = table(1)
            run("a", in: &table)
            ask("a", in: &table)
            _ = table.detached(1, reason: "goodbye", isOver: isOver, at: at(1))
            #expect(table.sessions["a"]?.isSuspect == false)
        }
    }

    @Test func `A session is still held by the next host`() {
        var suspicion = Suspicion()
        for _ in 0..<2 { suspicion.add([content]) }
        var record = record("a")
        record.suspicion = Suspicion(encoded: suspicion.encoded ?? "")
        #expect(record.suspicion == suspicion)
        for isClean in [true, false] {
            var table = SessionTable(epoch: 2)
            table.start(with: [record], isClean: isClean, at: at(0))
            var actions = attach(1, to: &table)
            for seconds in [5.0, 10, 300] { actions += table.tick(at: at(seconds)) }
            #expect(actions == [])
            #expect(trouble("a", table).hasPrefix("crashed 2 workers"))
            #expect(table.faults(at: at(300)) == [])
        }
        #expect(Suspicion(encoded: "nonsense") == nil)
    }

    @Test func `A scene whose move crashed two workers stays where it runs, also on a worker that is drained`() throws {
        var table = table(1, 2, 3, 4)
        run("a", in: &table)
        guard case .running(let home)? = phase("a", table) else { throw NotRunning() }
        for seconds in [1.0, 100] {
            let freeze = seconds == 1 ? table.drain(home) : table.tick(at: at(seconds))
            #expect(freeze.count == 1)
            _ = table.frozen("a", token: token("a", table), state: nil)
            guard case .connect(_, let other, _)? = table.stored("a").first else { throw NotRunning() }
            #expect(crash(other, in: &table, at: seconds) == [.resume("a", home, token: token("a", table))])
            #expect(table.connected("a", token: token("a", table)) == [])
        }
        #expect(table.sessions["a"]?.isHeld == true)
        #expect(table.tick(at: at(1000)) == [])
        #expect(phase("a", table) == .running(home))
        #expect(trouble("a", table).contains("crashed 2 workers"))
        #expect(throws: SceneCommandError.self) { try table.move("a", to: nil) }
        #expect(table.faults(at: at(1000)) == [])
        #expect(try table.retry("a").count == 1)
    }

    // MARK: - Reset

    @Test func `A reset session starts without its state when its worker has discarded the old scene`() throws {
        var table = table(1)
        var record = record("a")
        record.state = CBORRaw(unchecked: CBORValue.string("old").encoded())
        connect(table.opened(record, links: [], at: at(0)), in: &table)
        let old = token("a", table)
        let actions = try table.reset("a")
        #expect(actions == [.withdraw("a", 1, token: token("a", table))])
        #expect(token("a", table) > old)
        #expect(table.sessions["a"]?.record.state == nil)
        // The old scene may not bring its state back.
        #expect(throws: SceneCommandError.self) {
            try table.checkpoint("a", state: CBORRaw(unchecked: CBORValue.string("late").encoded()), token: old)
        }
        let next = table.withdrawn("a", token: token("a", table), at: at(1))
        #expect(next == [.connect("a", 1, token: token("a", table))])
        connect(next, in: &table)
        #expect(table.sessions["a"]?.state == .running)
        #expect(table.faults(at: at(1)) == [])
    }

    @Test func `A worker that comes back with the scene of a session that was reset discards it`() throws {
        var table = table(1)
        run("a", in: &table)
        let old = token("a", table)
        _ = table.detached(1, reason: "link lost", isOver: false, at: at(1))
        #expect(try table.reset("a") == [])
        let actions = attach(2, to: &table, as: 1, held: [HeldScene(session: "a", token: old)], at: 2)
        #expect(actions == [.discard("a", 2, token: old)])
        #expect(table.tick(at: at(60)).contains { if case .connect("a", 2, _) = $0 { true } else { false } })
        #expect(throws: SceneCommandError.self) { try table.reset("nobody") }
        #expect(throws: SceneCommandError.self) { try table.retry("nobody") }
    }

    @Test func `A held session can be reset, and a session that waits to be retried is tried at once`() throws {
        var table = table(1, 2, 3)
        _ = table.opened(record("a"), links: [], at: at(0))
        guard case .connecting(let first, _)? = phase("a", table) else { throw NotRunning() }
        #expect(crash(first, in: &table, at: 1) == [])
        #expect(try table.retry("a").count == 1)
        #expect(table.sessions["a"]?.isSuspect == false)
        guard case .connecting(let second, _)? = phase("a", table) else { throw NotRunning() }
        #expect(crash(second, in: &table, at: 2) == [])
        #expect(try table.reset("a").count == 1)
        #expect(table.faults(at: at(2)) == [])
    }
}
