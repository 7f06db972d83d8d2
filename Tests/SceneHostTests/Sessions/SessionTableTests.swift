import Bus
import CBOR
import CoordinatorKit
import OrderedCollections
import Testing

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct SessionTableTests {
    private let start = MonotonicInstant.now
    private func at(_ seconds: Double) -> MonotonicInstant { start + .seconds(seconds) }

    private func record(_ id: String, _ position: Int64 = 1, token: UInt64 = 0) -> SessionRecord {
        SessionRecord(id: id, role: "r", configuration: "Wall", position: position, token: token)
    }

    private func activity(_ text: String) -> CBORRaw {
        CBORRaw(unchecked: CBORValue.string(text).encoded())
    }

    /// Makes a table with ready workers of the given ids.
    private func table(_ workers: UInt64..., capacity: Int = 2) -> SessionTable {
        var table = SessionTable(epoch: 1)
        for worker in workers { attach(worker, to: &table, capacity: capacity) }
        return table
    }

    @discardableResult
    private func attach(
        _ worker: UInt64, to table: inout SessionTable, capacity: Int = 2, held: [HeldScene] = [],
        as process: UInt64? = nil, at seconds: Double = 0
    ) -> [SessionTable.Action] {
        let process = process ?? worker
        let first = table.attached(
            worker, ProcessIdentity(peer: "w\(process)", pid: Int32(process)), offers: ["Wall"], capacity: capacity,
            held: held, at: at(seconds))
        return first + table.synchronized(worker, at: at(seconds))
    }

    /// Opens a session that runs on a worker of the table.
    private func run(_ id: String, in table: inout SessionTable) throws -> (worker: UInt64, token: UInt64) {
        let actions = table.opened(record(id), links: [], at: at(0))
        guard case .connect(id, let worker, let token)? = actions.first else { throw NotReached() }
        _ = table.connected(id, token: token)
        return (worker, token)
    }

    private struct NotReached: Error {}

    private func token(of id: String, in table: SessionTable) -> UInt64 { table.sessions[id]?.token ?? 0 }

    // MARK: - Placing

    @Test func `A session is placed on the worker with the most room`() throws {
        var table = table(1, 2)
        #expect(try run("a", in: &table).worker == 1)
        #expect(try run("b", in: &table).worker == 2)
    }

    @Test func `Without room a session waits and is placed when there is room`() throws {
        var table = table()
        #expect(table.opened(record("a"), links: [], at: at(0)) == [])
        #expect(table.sessions["a"]?.phase == .waiting)
        let actions = attach(1, to: &table)
        #expect(actions == [.connect("a", 1, token: token(of: "a", in: table))])
    }

    @Test func `A quiet worker gets no session until it is heard again`() throws {
        var table = table(1, 2)
        let (gone, _) = try run("a", in: &table)
        let other: UInt64 = gone == 1 ? 2 : 1
        #expect(table.quiet([other]) == [])
        #expect(table.detached(gone, reason: "killed", isOver: true, at: at(1)) == [])
        #expect(table.sessions["a"]?.phase == .waiting)
        #expect(table.quiet([other]) == [])
        #expect(table.quiet([]) == [.connect("a", other, token: token(of: "a", in: table))])
    }

    @Test(arguments: [SessionTable.ConnectFailure.refused, .unreadableState])
    func `A scene that no other worker accepts is not retried at once`(failure: SessionTable.ConnectFailure) throws {
        var table = table(1, 2)
        let (from, token) = try run("a", in: &table)
        _ = table.drain(from)
        _ = table.frozen("a", token: token, state: nil)
        _ = table.stored("a")
        _ = table.connectFailed("a", token: self.token(of: "a", in: table), failure, reason: "no", at: at(1))
        #expect(table.connected("a", token: self.token(of: "a", in: table)) == [])
        #expect(table.tick(at: at(1.5)) == [])
        let later = table.tick(at: at(2.5))
        #expect(later.count == (failure == .refused ? 1 : 0))
        // A new worker may accept what the others refused.
        let third = attach(3, to: &table, at: 3)
        #expect(third.count == (failure == .refused ? 0 : 1))
    }

    @Test func `Sessions closed while their scenes are being created leave the worker free for others`() {
        var table = table(1, capacity: 100)
        for number in 0..<40 {
            #expect(table.opened(record("s\(number)"), links: [], at: at(0)).count == 1)
            guard case .discard(let id, let worker, let token)? = table.closed("s\(number)").first else {
                Issue.record("the table discards nothing")
                continue
            }
            #expect(table.discarded(id, at: worker, token: token) == [])
        }
    }

    @Test func `A closed session makes room for one that must leave its worker`() throws {
        var table = table(1, capacity: 1)
        let (_, first) = try run("a", in: &table)
        attach(2, to: &table, capacity: 1)
        _ = try run("b", in: &table)
        #expect(table.drain(1) == [])
        #expect(
            table.summary(of: try #require(table.sessions["a"]))
                == "it cannot leave w1: no other worker that offers 'Wall' has room")
        guard case .discard("b", 2, let token)? = table.closed("b").first else { throw NotReached() }
        #expect(table.discarded("b", at: 2, token: token) == [.freeze("a", 1, token: first)])
    }

    @Test func `Room that a closed session leaves can be used for any configuration of the worker`() throws {
        var table = SessionTable(epoch: 1)
        _ = table.attached(
            1, ProcessIdentity(peer: "w1", pid: 1), offers: ["Wall", "Desk"], capacity: 1, held: [], at: at(0))
        _ = table.synchronized(1, at: at(0))
        _ = table.opened(record("a"), links: [], at: at(0))
        let desk = SessionRecord(id: "b", role: "r", configuration: "Desk", position: 2)
        #expect(table.opened(desk, links: [], at: at(0)) == [])
        guard case .discard("a", 1, let old)? = table.closed("a").first else { throw NotReached() }
        #expect(table.discarded("a", at: 1, token: old) == [.connect("b", 1, token: token(of: "b", in: table))])
    }

    @Test func `A worker that could not read a state is tried again with a changed state`() throws {
        var table = table(1, 2)
        let (from, token) = try run("a", in: &table)
        let other: UInt64 = from == 1 ? 2 : 1
        _ = try table.move("a", to: nil)
        _ = table.frozen("a", token: token, state: activity("new"))
        _ = table.stored("a")
        _ = table.connectFailed(
            "a", token: self.token(of: "a", in: table), .unreadableState, reason: "no", at: at(1))
        let resumed = self.token(of: "a", in: table)
        _ = table.connected("a", token: resumed)
        #expect(throws: SceneCommandError.self) { try table.move("a", to: nil) }
        _ = try table.checkpoint("a", state: activity("old"), token: resumed)
        #expect(try table.move("a", to: nil) == [.freeze("a", from, token: resumed)])
        _ = table.detached(from, reason: "killed", isOver: true, at: at(2))
        #expect(table.sessions["a"]?.phase == .connecting(other, from: nil))
    }

    @Test func `A session closed before old leases expire is discarded at the worker that holds it`() {
        var table = SessionTable(epoch: 1)
        table.start(with: [record("a", token: 7)], isClean: false, at: at(0))
        attach(2, to: &table, held: [HeldScene(session: "a", token: 8)], at: 0.2)
        #expect(table.closed("a") == [.discard("a", 2, token: 8)])
    }

    @Test func `No session moves to a quiet worker`() throws {
        var table = table(1, 2)
        let (from, token) = try run("a", in: &table)
        let other: UInt64 = from == 1 ? 2 : 1
        _ = table.quiet([other])
        #expect(throws: SceneCommandError.self) { try table.move("a", to: other) }
        #expect(table.drain(from) == [])
        #expect(table.quiet([]) == [.freeze("a", from, token: token)])
        _ = table.quiet([other])
        _ = table.frozen("a", token: token, state: nil)
        #expect(table.stored("a") == [.resume("a", from, token: self.token(of: "a", in: table))])
    }

    @Test func `A worker starts a limited number of scenes at a time and gets the next when one is done`() {
        var table = table()
        for number in 0..<40 { _ = table.opened(record("s\(number)", Int64(number)), links: [], at: at(0)) }
        let first = attach(1, to: &table, capacity: 100)
        #expect(first.count == 16)
        guard case .connect(let id, _, let token)? = first.first else {
            Issue.record("the table has nothing to connect")
            return
        }
        #expect(table.connected(id, token: token).count == 1)
    }

    @Test func `A token that no host has issued is rejected and does not affect later tokens`() {
        var table = table()
        _ = table.opened(record("a"), links: [], at: at(0))
        let actions = attach(1, to: &table, held: [HeldScene(session: "a", token: .max)])
        #expect(actions.first == .discard("a", 1, token: .max))
        #expect(actions.last == .connect("a", 1, token: token(of: "a", in: table)))
        #expect(token(of: "a", in: table) < 1 << 40)
    }

    // MARK: - Loss

    @Test func `A session whose worker's lease has expired is placed on another worker at once`() throws {
        var table = table(1, 2)
        let (worker, token) = try run("a", in: &table)
        let actions = table.detached(worker, reason: "silent", isOver: true, at: at(3))
        guard case .connect("a", let other, let newer)? = actions.first else { throw NotReached() }
        #expect(other != worker)
        #expect(newer > token)
        #expect(!table.mayAct("a", token: token, worker: worker))
        #expect(table.mayAct("a", token: newer, worker: other))
    }

    @Test func `A worker that returns on another link resumes its scene with a new token`() throws {
        var table = table(1, 2)
        let (worker, token) = try run("a", in: &table)
        #expect(table.detached(worker, reason: "came back", isOver: false, at: at(1)) == [])
        let actions = attach(3, to: &table, held: [HeldScene(session: "a", token: token)], at: 1)
        let newer = self.token(of: "a", in: table)
        #expect(newer > token)
        #expect(actions == [.resume("a", 3, token: newer)])
        _ = table.connected("a", token: newer)
        #expect(table.sessions["a"]?.phase == .running(3))
    }

    @Test func `A worker that returns too late must discard its copy`() throws {
        var table = table(1, 2)
        let (worker, token) = try run("a", in: &table)
        _ = table.detached(worker, reason: "silent", isOver: true, at: at(3))
        _ = table.connected("a", token: self.token(of: "a", in: table))
        let actions = attach(3, to: &table, held: [HeldScene(session: "a", token: token)], at: 4)
        #expect(actions == [.discard("a", 3, token: token)])
    }

    @Test func `A scene that its returning worker no longer has is placed anew when the lease expires`() throws {
        var table = table(1)
        let (worker, _) = try run("a", in: &table)
        _ = table.detached(worker, reason: "came back", isOver: false, at: at(1))
        attach(3, to: &table, at: 1)
        #expect(table.tick(at: at(2)) == [])
        let actions = table.tick(at: at(3.6))
        #expect(actions == [.connect("a", 3, token: token(of: "a", in: table))])
    }

    @Test func `A scene whose worker dies while creating it waits before it is placed again`() throws {
        var table = table(1, 2)
        guard case .connect(_, let worker, let token)? = table.opened(record("a"), links: [], at: at(0)).first else {
            throw NotReached()
        }
        #expect(table.detached(worker, reason: "killed", isOver: true, at: at(0.5)) == [])
        #expect(table.connectFailed("a", token: token, .unknown, reason: "gone", at: at(0.5)) == [])
        #expect(table.tick(at: at(1)) == [])
        #expect(table.tick(at: at(1.6)).count == 1)
    }

    @Test func `A scene that a worker may have created is withdrawn before another worker creates it`() throws {
        var table = table(1, 2)
        guard case .connect(_, let worker, let token)? = table.opened(record("a"), links: [], at: at(0)).first else {
            throw NotReached()
        }
        let actions = table.connectFailed("a", token: token, .unknown, reason: "timeout", at: at(5))
        #expect(actions == [.withdraw("a", worker, token: token)])
        #expect(table.tick(at: at(60)) == [])
        #expect(table.withdrawn("a", token: token, at: at(61)) == [])
        #expect(table.tick(at: at(62)).count == 1)
    }

    @Test func `A state that one worker cannot read is given to another`() throws {
        var table = table(1, 2)
        guard case .connect(_, let first, let token)? = table.opened(record("a"), links: [], at: at(0)).first else {
            throw NotReached()
        }
        let actions = table.connectFailed("a", token: token, .unreadableState, reason: "newer", at: at(0))
        guard case .connect("a", let second, let newer)? = actions.first else { throw NotReached() }
        #expect(second != first)
        #expect(table.connectFailed("a", token: newer, .unreadableState, reason: "newer", at: at(0)) == [])
        #expect(table.sessions["a"]?.phase == .waiting)
        // A new worker may be able to read the state.
        #expect(attach(3, to: &table) == [.connect("a", 3, token: self.token(of: "a", in: table))])
    }

    @Test func `The reason why a state cannot be read stays when its workers are gone, until a scene starts`() throws {
        var table = table(1)
        _ = table.opened(record("a"), links: [], at: at(0))
        _ = table.connectFailed(
            "a", token: token(of: "a", in: table), .unreadableState, reason: "wall: no page 'attic'", at: at(0))
        #expect(try problem(in: table) == "wall: no page 'attic'")
        // The next worker, which might read it, dies before it has said so.
        attach(2, to: &table, at: 1)
        _ = table.detached(2, reason: "killed", isOver: true, at: at(1))
        let gone = try #require(try problem(in: table))
        #expect(gone.contains("no page 'attic'") && gone.contains("is gone: killed"), "\(gone)")
        attach(3, to: &table, at: 2)
        _ = table.tick(at: at(60))
        _ = table.connected("a", token: token(of: "a", in: table))
        #expect(try problem(in: table) == nil)
        _ = table.detached(3, reason: "killed", isOver: true, at: at(61))
        #expect(try problem(in: table)?.contains("attic") == false)
    }

    private func problem(in table: SessionTable) throws -> String? {
        var reasons: [String: String] = [:]
        return table.trouble(of: try #require(table.sessions["a"]), reasons: &reasons)
    }

    // MARK: - Moving

    @Test func `A move freezes, stores and places the scene, then discards the old copy`() throws {
        var table = table(1, 2)
        let (from, token) = try run("a", in: &table)
        let to: UInt64 = from == 1 ? 2 : 1
        #expect(try table.move("a", to: nil) == [.freeze("a", from, token: token)])
        #expect(table.frozen("a", token: token, state: activity("here")) == [.store("a")])
        #expect(!table.mayAct("a", token: token, worker: from))
        let actions = table.stored("a")
        let newer = self.token(of: "a", in: table)
        #expect(actions == [.connect("a", to, token: newer)])
        #expect(table.sessions["a"]?.record.state == activity("here"))
        #expect(table.connected("a", token: newer) == [.discard("a", from, token: newer)])
        #expect(table.sessions["a"]?.phase == .running(to))
    }

    @Test func `If the new worker cannot read the state, the scene resumes where it was`() throws {
        var table = table(1, 2)
        let (from, token) = try run("a", in: &table)
        _ = try table.move("a", to: nil)
        _ = table.frozen("a", token: token, state: nil)
        _ = table.stored("a")
        let actions = table.connectFailed(
            "a", token: self.token(of: "a", in: table), .unreadableState, reason: "older", at: at(1))
        #expect(actions == [.resume("a", from, token: self.token(of: "a", in: table))])
    }

    @Test func `If the target dies, the frozen scene resumes where it was`() throws {
        var table = table(1, 2)
        let (from, token) = try run("a", in: &table)
        let to: UInt64 = from == 1 ? 2 : 1
        _ = try table.move("a", to: to)
        _ = table.frozen("a", token: token, state: nil)
        _ = table.stored("a")
        let actions = table.detached(to, reason: "killed", isOver: true, at: at(1))
        #expect(actions == [.resume("a", from, token: self.token(of: "a", in: table))])
    }

    @Test func `If the source dies after the freeze, the move completes`() throws {
        var table = table(1, 2)
        let (from, token) = try run("a", in: &table)
        _ = try table.move("a", to: nil)
        _ = table.frozen("a", token: token, state: nil)
        _ = table.stored("a")
        #expect(table.detached(from, reason: "killed", isOver: true, at: at(1)) == [])
        #expect(table.connected("a", token: self.token(of: "a", in: table)) == [])
        #expect(table.sessions["a"]?.phase == .running(from == 1 ? 2 : 1))
    }

    @Test func `If the source dies before the freeze, the scene is placed anew and a late state is ignored`() throws {
        var table = table(1, 2)
        let (from, token) = try run("a", in: &table)
        _ = try table.move("a", to: nil)
        #expect(table.detached(from, reason: "killed", isOver: true, at: at(1)).count == 1)
        #expect(table.frozen("a", token: token, state: activity("late")) == [])
    }

    @Test func `A scene that cannot be frozen resumes where it is`() throws {
        var table = table(1, 2)
        let (from, token) = try run("a", in: &table)
        _ = try table.move("a", to: nil)
        let actions = table.freezeFailed("a", token: token, reason: "busy", at: at(1))
        #expect(actions == [.resume("a", from, token: self.token(of: "a", in: table))])
    }

    @Test func `A scene whose new worker dies during a move is not moved again at once`() throws {
        var table = table(1, 2, 3)
        let (from, token) = try run("a", in: &table)
        guard case .freeze? = table.drain(from).first, case .freezing(let move)? = table.sessions["a"]?.phase else {
            throw NotReached()
        }
        _ = table.frozen("a", token: token, state: nil)
        _ = table.stored("a")
        _ = table.detached(move.to, reason: "killed", isOver: true, at: at(1))
        #expect(table.connected("a", token: self.token(of: "a", in: table)) == [])
        #expect(table.tick(at: at(1.5)) == [])
        #expect(table.tick(at: at(2.1)).count == 1)
    }

    @Test func `A scene that cannot be frozen gets five seconds before the next attempt`() throws {
        var table = table(1, 2)
        let (from, token) = try run("a", in: &table)
        _ = table.drain(from)
        _ = table.freezeFailed("a", token: token, reason: "busy", at: at(1))
        #expect(table.connected("a", token: self.token(of: "a", in: table)) == [])
        #expect(table.sessions["a"]?.phase == .running(from))
        #expect(table.summary(of: try #require(table.sessions["a"])) == "it cannot leave w\(from): busy")
        #expect(table.tick(at: at(5.9)) == [])
        #expect(table.tick(at: at(6.1)) == [.freeze("a", from, token: self.token(of: "a", in: table))])
        _ = table.freezeFailed("a", token: self.token(of: "a", in: table), reason: "busy", at: at(7))
        _ = table.connected("a", token: self.token(of: "a", in: table))
        _ = table.undrain(from)
        #expect(table.summary(of: try #require(table.sessions["a"])) == "running")
    }

    @Test func `A drained worker stays drained after losing its link, and a new process of its name is not`() throws {
        var table = table(1)
        _ = table.drain(1)
        _ = table.detached(1, reason: "silent", isOver: true, at: at(1))
        attach(2, to: &table, as: 1)
        #expect(table.workers[2]?.isDraining == true)
        _ = table.undrain(2)
        _ = table.detached(2, reason: "silent", isOver: true, at: at(2))
        attach(3, to: &table, as: 1)
        #expect(table.workers[3]?.isDraining == false)
        _ = table.drain(3)
        _ = table.detached(3, reason: "ended", isOver: true, at: at(3))
        _ = table.attached(4, ProcessIdentity(peer: "w1", pid: 9), offers: [], capacity: 1, held: [], at: at(3))
        #expect(table.workers[4]?.isDraining == false)
        #expect(table.drained.isEmpty)
    }

    @Test func `Only the last thousand drained workers that lost their links are remembered`() throws {
        var table = table(1)
        for number in 1...1001 {
            table.rememberDrained(ProcessIdentity(peer: "x\(number)", pid: 1))
        }
        #expect(table.drained.count == 1000)
        for (number, isDraining) in [(1, false), (2, true), (1001, true)] {
            let id = WorkerID(100 + number)
            _ = table.attached(
                id, ProcessIdentity(peer: "x\(number)", pid: 1), offers: [], capacity: 1, held: [], at: at(1))
            #expect(table.workers[id]?.isDraining == isDraining)
        }
    }

    @Test func `A worker that has not received the resume request still holds its scene`() throws {
        var table = table(1)
        let (_, token) = try run("a", in: &table)
        _ = table.detached(1, reason: "came back", isOver: false, at: at(1))
        attach(2, to: &table, held: [HeldScene(session: "a", token: token)], as: 1, at: 1)
        let newer = self.token(of: "a", in: table)
        #expect(newer > token)
        _ = table.detached(2, reason: "came back", isOver: false, at: at(1))
        let actions = attach(3, to: &table, held: [HeldScene(session: "a", token: token)], as: 1, at: 1)
        #expect(actions == [.resume("a", 3, token: self.token(of: "a", in: table))])
        #expect(self.token(of: "a", in: table) > newer)
        // The scene has resumed, so a worker that returns with the old token is another process or too late.
        _ = table.connected("a", token: self.token(of: "a", in: table))
        _ = table.detached(3, reason: "came back", isOver: false, at: at(1))
        let late = attach(4, to: &table, held: [HeldScene(session: "a", token: token)], as: 1, at: 1)
        #expect(late == [.discard("a", 4, token: token)])
    }

    @Test func `A move whose target no longer has room resumes the scene where it was`() throws {
        var table = table(1, 2, 3, capacity: 1)
        let (from, token) = try run("a", in: &table)
        let others = [1, 2, 3].filter { $0 != from } as [UInt64]
        _ = try table.move("a", to: others[0])
        _ = table.drain(others[0])
        _ = table.frozen("a", token: token, state: nil)
        #expect(table.stored("a") == [.resume("a", from, token: self.token(of: "a", in: table))])
        #expect(table.sessions["a"]?.problem == "w\(others[0]) has no room any more")
    }

    @Test func `A session that may run soon is waited for, and one that cannot has a reason`() throws {
        var table = table(1, capacity: 1)
        _ = try run("a", in: &table)
        _ = table.opened(record("b", 2), links: [], at: at(0))
        let b = try #require(table.sessions["b"])
        #expect(!table.mayRun(b, before: at(10)))
        #expect(table.summary(of: b) == "no worker that offers 'Wall' has room")
        attach(2, to: &table)
        _ = table.quiet([2])
        _ = table.opened(record("c", 3), links: [], at: at(0))
        #expect(table.mayRun(try #require(table.sessions["c"]), before: at(10)))
        _ = table.drain(1)
        _ = table.drain(2)
        #expect(table.summary(of: try #require(table.sessions["c"])).contains("being drained"))
        #expect(
            table.ordered.allSatisfy { $0.id == "a" || $0.phase == .connecting(2, from: nil) || $0.phase == .waiting })
    }

    @Test func `After a crash every waiting session has a reason once old leases have expired`() throws {
        var table = SessionTable(epoch: 2)
        table.start(with: [record("a"), record("b", 2), record("c", 3)], isClean: false, at: at(0))
        attach(1, to: &table, capacity: 1)
        _ = table.tick(at: at(2.6))
        let waiting = table.ordered.filter { $0.phase == .waiting }
        #expect(waiting.count == 2)
        #expect(waiting.allSatisfy { table.summary(of: $0) == "no worker that offers 'Wall' has room" })
    }

    @Test func `A move that is not possible is refused`() throws {
        var table = table(1, 2, capacity: 1)
        _ = try run("a", in: &table)
        _ = try run("b", in: &table)
        #expect(throws: SceneCommandError.self) { _ = try table.move("a", to: 2) }
        #expect(throws: SceneCommandError.self) { _ = try table.move("a", to: nil) }
        #expect(throws: SceneCommandError.self) { _ = try table.move("nobody", to: nil) }
    }

    @Test func `A drained worker gives up its sessions as others have room, and gets no new ones`() throws {
        var table = table(1, capacity: 3)
        for id in ["a", "b", "c"] { _ = try run(id, in: &table) }
        #expect(table.drain(1) == [])
        // A worker with room gets as many sessions as fit.
        let actions = attach(2, to: &table, capacity: 2)
        #expect(actions.count == 3)
        var moved = 0
        for id in ["a", "b", "c"] {
            _ = table.frozen(id, token: token(of: id, in: table), state: nil)
            guard case .connect(_, 2, let newer)? = table.stored(id).first else { continue }
            #expect(table.connected(id, token: newer) == [.discard(id, 1, token: newer)])
            _ = table.discarded(id, at: 1, token: newer)
            moved += 1
        }
        #expect(moved == 2)
        #expect(table.opened(record("d", 9), links: [], at: at(1)) == [])
        // The waiting session is placed; the one that had stayed no longer has to leave.
        #expect(table.undrain(1).count == 1)
    }

    // MARK: - The host's restart

    @Test func `After a clean end sessions are placed at once`() {
        var table = SessionTable(epoch: 2)
        table.start(with: [record("a")], isClean: true, at: at(0))
        #expect(attach(1, to: &table).count == 1)
    }

    @Test func `Nothing is placed before the expected workers have attached or their time is over`() {
        var table = SessionTable(epoch: 2)
        table.start(with: [record("a", 1), record("b", 2)], isClean: true, expecting: ["w1", "w2"], at: at(0))
        #expect(attach(1, to: &table) == [])
        let actions = attach(2, to: &table)
        let workers = actions.compactMap { if case .connect(_, let worker, _) = $0 { worker } else { UInt64?.none } }
        #expect(workers.sorted() == [1, 2])
        var alone = SessionTable(epoch: 2)
        alone.start(with: [record("a")], isClean: true, expecting: ["w1", "w2"], at: at(0))
        #expect(attach(1, to: &alone) == [])
        #expect(alone.tick(at: at(2.6)).count == 1)
    }

    @Test func `After a crash sessions are placed when all old leases have expired`() {
        var table = SessionTable(epoch: 2)
        table.start(with: [record("a", token: 7)], isClean: false, at: at(0))
        #expect(attach(1, to: &table, at: 0.1) == [])
        #expect(table.tick(at: at(2)) == [])
        #expect(table.tick(at: at(2.6)).count == 1)
    }

    @Test func `After a crash the newest copy resumes, and the others are discarded`() {
        var table = SessionTable(epoch: 2)
        table.start(with: [record("a", token: 7)], isClean: false, at: at(0))
        #expect(
            attach(1, to: &table, held: [HeldScene(session: "a", token: 6)], at: 0.1) == [.discard("a", 1, token: 6)])
        #expect(attach(2, to: &table, held: [HeldScene(session: "a", token: 8)], at: 0.2) == [])
        #expect(
            attach(3, to: &table, held: [HeldScene(session: "a", token: 9)], at: 0.3) == [.discard("a", 2, token: 8)])
        #expect(
            attach(4, to: &table, held: [HeldScene(session: "a", token: 8)], at: 0.4) == [.discard("a", 4, token: 8)])
        let actions = table.tick(at: at(2.6))
        #expect(actions == [.resume("a", 3, token: token(of: "a", in: table))])
        #expect(token(of: "a", in: table) > 9)
    }

    @Test func `A copy of a closed session is discarded`() {
        var table = table()
        #expect(attach(1, to: &table, held: [HeldScene(session: "x", token: 9)]) == [.discard("x", 1, token: 9)])
    }

    @Test func `A session closed during a move is discarded on both workers`() throws {
        var table = table(1, 2)
        let (_, token) = try run("a", in: &table)
        _ = try table.move("a", to: nil)
        _ = table.frozen("a", token: token, state: nil)
        _ = table.stored("a")
        #expect(table.closed("a").count == 2)
        #expect(table.sessions.isEmpty)
        #expect(table.workers.values.allSatisfy { $0.sessions.isEmpty })
    }

    @Test func `A new host waits for workers that it told to reconnect, but not forever`() {
        var table = SessionTable(epoch: 2)
        table.start(with: [record("a", 1, token: 7), record("b", 2, token: 8)], isClean: false, at: at(0))
        attach(1, to: &table, held: [HeldScene(session: "a", token: 7)], at: 1)
        table.stillArriving(at: at(2))
        #expect(table.tick(at: at(2.6)) == [])
        table.stillArriving(at: at(4.4))
        // The worker was told to reconnect later, and still has its scene.
        #expect(attach(2, to: &table, held: [HeldScene(session: "b", token: 8)], at: 6) == [])
        let actions = table.tick(at: at(7))
        #expect(
            actions == [
                .resume("a", 1, token: token(of: "a", in: table)), .resume("b", 2, token: token(of: "b", in: table)),
            ]
        )
        var patient = SessionTable(epoch: 2)
        patient.start(with: [record("a", token: 7)], isClean: false, at: at(0))
        attach(1, to: &patient)
        for second in stride(from: 1.0, to: 59, by: 2) {
            patient.stillArriving(at: at(second))
            #expect(patient.tick(at: at(second + 1)) == [])
        }
        patient.stillArriving(at: at(59.9))
        #expect(patient.tick(at: at(60)).count == 1)
    }

    @Test func `Workers that return after the waiting time have lost their scenes`() {
        var table = SessionTable(epoch: 2)
        table.start(with: [record("a", token: 7)], isClean: false, at: at(0))
        attach(1, to: &table)
        #expect(table.tick(at: at(2.6)).count == 1)
        table.stillArriving(at: at(2.7))
        let late = attach(2, to: &table, held: [HeldScene(session: "a", token: 7)], at: 3)
        #expect(late == [.discard("a", 2, token: 7)])
    }

    @Test func `A host whose workers outlive it with their scenes has not ended cleanly`() throws {
        var table = table(1)
        let (_, token) = try run("a", in: &table)
        table.end()
        _ = table.detached(1, reason: "goodbye", isOver: true, mayComeBack: false, at: at(1))
        #expect(!table.isClean)
        var next = SessionTable(epoch: 2)
        next.start(with: [record("a", token: token)], isClean: table.isClean, at: at(2))
        #expect(attach(1, to: &next, at: 2.1) == [])
        #expect(attach(2, to: &next, held: [HeldScene(session: "a", token: token)], as: 2, at: 2.2) == [])
        #expect(next.tick(at: at(4.6)) == [.resume("a", 2, token: self.token(of: "a", in: next))])
    }

    @Test func `A host ends cleanly if its own workers end with it, and not if one was cut off`() throws {
        var table = SessionTable(epoch: 1)
        _ = table.attached(
            1, ProcessIdentity(peer: "w1", pid: 1), offers: ["Wall"], capacity: 2, held: [], endsWithHost: true,
            at: at(0))
        _ = table.synchronized(1, at: at(0))
        _ = try run("a", in: &table)
        var other = table
        table.end()
        _ = table.detached(1, reason: "ended", isOver: true, mayComeBack: false, at: at(1))
        #expect(table.isClean)
        _ = other.detached(1, reason: "came back", isOver: false, at: at(1))
        other.end()
        #expect(!other.isClean)
        // A worker without scenes keeps none.
        var idle = self.table(1, 2)
        idle.end()
        _ = idle.detached(1, reason: "goodbye", isOver: true, mayComeBack: false, at: at(1))
        #expect(idle.isClean)
    }

    // MARK: - Scenes that are to end

    @Test func `A discard is repeated until the scene has ended, and the scene keeps its place until then`() throws {
        var table = table(1, capacity: 1)
        let (_, token) = try run("a", in: &table)
        _ = table.opened(record("b", 2), links: [], at: at(0))
        #expect(table.closed("a") == [.discard("a", 1, token: token)])
        table.discardFailed("a", at: 1, at: at(1))
        #expect(table.sessions["b"]?.phase == .waiting)
        #expect(table.summary(of: try #require(table.sessions["b"])) == "no worker that offers 'Wall' has room")
        #expect(table.tick(at: at(1.9)) == [])
        #expect(table.tick(at: at(2.1)) == [.discard("a", 1, token: token)])
        table.discardFailed("a", at: 1, at: at(2.1))
        #expect(table.tick(at: at(4.2)) == [.discard("a", 1, token: token)])
        #expect(table.discarded("a", at: 1, token: token) == [.connect("b", 1, token: self.token(of: "b", in: table))])
        #expect(table.tick(at: at(60)) == [])
    }

    @Test func `The copy that a move leaves behind keeps its place until it has ended`() throws {
        var table = table(1, 2, capacity: 1)
        let (from, token) = try run("a", in: &table)
        _ = try table.move("a", to: nil)
        _ = table.frozen("a", token: token, state: nil)
        _ = table.stored("a")
        let newer = self.token(of: "a", in: table)
        #expect(table.connected("a", token: newer) == [.discard("a", from, token: newer)])
        #expect(table.opened(record("b", 2), links: [], at: at(1)) == [])
        // Its pending discard is dropped with the worker.
        _ = table.detached(from, reason: "ended", isOver: true, at: at(2))
        #expect(attach(3, to: &table, capacity: 1) == [.connect("b", 3, token: self.token(of: "b", in: table))])
        #expect(table.discarded("a", at: from, token: newer) == [])
    }

    @Test func `A worker gets a limited number of discards at a time`() {
        var table = table()
        let held = (0..<100).map { HeldScene(session: "s\($0)", token: 9) }
        var asked = attach(1, to: &table, capacity: 200, held: held)
        #expect(asked.count == 16)
        var ended = 0
        while !asked.isEmpty {
            guard case .discard(let id, 1, 9) = asked.removeFirst() else { continue }
            asked += table.discarded(id, at: 1, token: 9)
            ended += 1
        }
        #expect(ended == 100)
        #expect(table.workers[1]?.room == 200)
    }

    @Test func `A scene whose worker could not be sent the resume request stays with it`() throws {
        var table = table(1, 2)
        let (_, token) = try run("a", in: &table)
        _ = table.detached(1, reason: "came back", isOver: false, at: at(1))
        attach(3, to: &table, held: [HeldScene(session: "a", token: token)], as: 1, at: 1)
        let newer = self.token(of: "a", in: table)
        #expect(table.connectFailed("a", token: newer, .notSent, reason: "overloaded", at: at(1)) == [])
        #expect(table.sessions["a"]?.phase == .returning(3))
        #expect(table.tick(at: at(2.1)) == [.resume("a", 3, token: self.token(of: "a", in: table))])
    }

    // MARK: - Many

    @Test func `Changes of many sessions are processed in slices, and completely`() throws {
        var table = SessionTable(epoch: 2)
        let records = (0..<2000).map { record("s\($0)", Int64($0)) }
        table.start(with: records, isClean: false, at: at(0))
        for worker in 1...200 as ClosedRange<UInt64> { attach(worker, to: &table, capacity: 10) }
        var placed = 0
        var open: [SessionTable.Action] = table.tick(at: at(3))
        while table.hasMore || !open.isEmpty {
            #expect(open.count <= SessionTable.placements)
            placed += open.count
            for case .connect(let id, _, let token) in open { #expect(table.connected(id, token: token) == []) }
            open = table.tick(at: at(3))
        }
        #expect(placed == 2000)
        #expect(table.connectedCount == 2000)
        #expect(table.faults(at: at(3)) == [])
        for worker in 1...100 as ClosedRange<UInt64> {
            _ = table.detached(worker, reason: "goodbye", isOver: true, at: at(4))
        }
        #expect(table.faults(at: at(4)) == [])
        #expect(table.sessions.values.count { $0.phase == .waiting } == 1000)
    }

    @Test func `A drained worker's sessions leave it in turn, even if some are closed meanwhile`() throws {
        var table = table(1, capacity: 100)
        for number in 0..<40 { _ = table.opened(record("s\(number)", Int64(number)), links: [], at: at(0)) }
        while let next = table.sessions.values.first(where: { $0.phase == .connecting(1, from: nil) }) {
            _ = table.connected(next.id, token: next.token)
        }
        #expect(table.connectedCount == 40)
        attach(2, to: &table, capacity: 100)
        var open = table.drain(1)
        #expect(open.count == 4)
        var closed = 0
        while !open.isEmpty {
            #expect(table.faults(at: at(1)) == [])
            guard case .freeze(let id, 1, let token) = open.removeFirst() else { continue }
            // Some sessions are closed meanwhile.
            if closed < 10 {
                closed += 1
                open += table.closed(id)
                continue
            }
            open += table.frozen(id, token: token, state: nil)
            open += table.stored(id)
            open += table.connected(id, token: self.token(of: id, in: table))
        }
        #expect(table.workers[1]?.sessions == [])
        #expect(table.workers[2]?.sessions.count == 30)
    }

    @Test func `The old token stays valid where the scene is until the new token is confirmed`() throws {
        var table = table(1, 2)
        let (worker, token) = try run("s", in: &table)
        _ = try table.move("s", to: 3 - worker)
        _ = table.freezeFailed("s", token: token, reason: "busy", at: at(0))
        let renewed = self.token(of: "s", in: table)
        #expect(renewed > token)
        for (said, mayAct) in [(token - 1, false), (token, true), (renewed, true), (renewed + 1, false)] {
            #expect(table.mayAct("s", token: said, worker: worker) == mayAct)
        }
        #expect(!table.mayAct("s", token: token, worker: 3 - worker))
        #expect(throws: Never.self) { _ = try table.checkpoint("s", state: activity("late"), token: token) }
        _ = table.connected("s", token: renewed)
        #expect(!table.mayAct("s", token: token, worker: worker))
        #expect(throws: SceneCommandError.self) { _ = try table.checkpoint("s", state: activity("old"), token: token) }
    }

    @Test func `A worker that reconnects but never becomes complete loses its scene after ten seconds`() throws {
        var table = table(1)
        let (_, token) = try run("s", in: &table)
        attach(9, to: &table)
        var link: UInt64 = 1
        for second in 0..<4 {
            let now = Double(second) * 2.4
            _ = table.detached(link, reason: "it attaches anew", isOver: false, at: at(now))
            link += 1
            _ = table.attached(
                link, ProcessIdentity(peer: "w1", pid: 1), offers: ["Wall"], capacity: 2,
                held: [HeldScene(session: "s", token: token)], at: at(now))
            #expect(table.sessions["s"]?.phase == .returning(link))
            #expect(table.faults(at: at(now)) == [])
        }
        #expect(table.tick(at: at(9.9)) == [])
        #expect(table.sessions["s"]?.phase == .returning(link))
        #expect(table.nextTick == at(10))
        let actions = table.tick(at: at(10))
        #expect(actions.contains(.discard("s", link, token: token)))
        #expect(table.sessions["s"]?.phase == .connecting(9, from: nil))
        #expect(table.faults(at: at(10)) == [])
    }

    @Test func `A worker that never becomes complete keeps its scene while no other worker has room`() throws {
        var table = table(1)
        let (_, token) = try run("s", in: &table)
        _ = table.detached(1, reason: "it attaches anew", isOver: false, at: at(0))
        let process = ProcessIdentity(peer: "w1", pid: 1)
        _ = table.attached(
            2, process, offers: ["Wall"], capacity: 2, held: [HeldScene(session: "s", token: token)], at: at(1))
        #expect(table.tick(at: at(10)) == [])
        #expect(table.tick(at: at(15)) == [])
        #expect(table.faults(at: at(15)) == [])
        let actions = table.synchronized(2, at: at(16))
        #expect(actions == [.resume("s", 2, token: self.token(of: "s", in: table))])
    }

    @Test func `After a failed move, a scene stays with its worker even if the worker loses its link`() throws {
        var table = table(1, 2)
        let (worker, token) = try run("s", in: &table)
        let other = 3 - worker
        _ = try table.move("s", to: other)
        _ = table.frozen("s", token: token, state: nil)
        _ = table.stored("s")
        let moved = self.token(of: "s", in: table)
        let back = table.connectFailed("s", token: moved, .refused, reason: "no", at: at(1))
        #expect(back.contains(.resume("s", worker, token: self.token(of: "s", in: table))))
        _ = table.detached(worker, reason: "it attaches anew", isOver: false, at: at(2))
        _ = table.attached(
            9, ProcessIdentity(peer: "w\(worker)", pid: Int32(worker)), offers: ["Wall"], capacity: 2,
            held: [HeldScene(session: "s", token: token)], at: at(3))
        #expect(table.sessions["s"]?.phase == .returning(9))
    }

    // MARK: - Whatever happens

    /// Simulates correct workers with every kind of loss, and checks after each step that no session is active in two
    /// places. An active copy counts for as long as its lease lasts.
    @Test(arguments: 0..<200)
    func `No session is ever active twice`(seed: UInt64) {
        var play = SessionPlay(seed: seed)
        for _ in 0..<300 { play.step() }
        #expect(play.problems == [])
        play.settle()
        #expect(play.problems == [])
    }
}
