import Testing

@testable import ChaosHistory

/// For each promise a made-up history that breaks it, and one that keeps it.
@Suite(.timeLimit(.minutes(5)))
struct CheckerTests {
    /// Two workers on machines 2 and 3, a plugin and a client on machine 1. Times are in milliseconds.
    struct History {
        static let pids: [String: Int32] = ["host": 1, "plugin": 2, "client": 3, "worker-1": 11, "worker-2": 12]
        var records: [HistoryRecord] = []

        init() {
            for (name, machine) in [("host", 1), ("plugin", 1), ("client", 1), ("worker-1", 2), ("worker-2", 3)] {
                at(0, name, .started(machine: machine))
            }
        }

        mutating func at(_ time: UInt64, _ process: String, _ event: Event) {
            records.append(
                HistoryRecord(time: time * 1_000_000, process: process, pid: Self.pids[process] ?? 0, event: event))
        }

        mutating func request(
            _ id: String, _ kind: RecordedRequest.Kind = .plain, at time: UInt64, deadline: UInt64 = 1000,
            applied: [UInt64] = [], answer: (UInt64, RequestOutcome)? = nil, session: String? = nil
        ) {
            let sender = session == nil ? "client" : "worker-1"
            at(
                time, sender,
                .asked(RecordedRequest(id: id, kind: kind, deadline: deadline * 1_000_000, session: session)))
            for time in applied { at(time, "plugin", .applied(id: id)) }
            if let answer { at(answer.0, sender, .answered(id: id, outcome: answer.1)) }
        }

        mutating func fault(
            _ kind: FaultKind, _ number: Int = 1, at time: UInt64, to end: UInt64, process: String? = nil,
            machine: Int? = nil, sparesNew: Bool = false
        ) {
            at(
                time, "chaos",
                .fault(
                    FaultRecord(
                        number: number, kind: kind, pids: [process.flatMap { Self.pids[$0] }].compactMap { $0 },
                        machines: [machine].compactMap { $0 }, sparesNew: sparesNew)))
            at(end, "chaos", .mended(number: number))
        }

        mutating func final(
            at time: UInt64 = 60_000, sessions: [String: String?] = [:], observers: [String] = [], left: [String] = [],
            descriptors: [String: FinalLook.DescriptorCount] = [:], memory: [String: Int] = [:],
            typed: [String: [String: Int]] = [:]
        ) {
            at(
                time, "chaos",
                .final(
                    FinalLook(
                        sessions: sessions.mapValues { Placement(worker: $0, token: 1, isRunning: $0 != nil) },
                        observers: observers.compactMap { Self.pids[$0] }, leftProcesses: left,
                        descriptors: descriptors, memory: memory, typed: typed)))
        }

        var broken: [Promise] { Checker.verdict(on: records.shuffled()).violations.map(\.promise) }
    }

    @Test("A history with a fault in which all promises are kept has no violation, and its figures are reported")
    func clean() {
        var history = History()
        let (old, new) = (Counter(life: 1, value: 9), Counter(life: 2, value: 1))
        history.request("a", at: 100, applied: [110], answer: (120, .reply))
        history.request("b", .once, at: 100, answer: (1150, .failed(code: "timeout", mayHaveBeenHandled: true)))
        history.request("c", .idempotent, at: 100, applied: [110, 3000], answer: (3010, .reply))
        history.request("d", .post, at: 100, applied: [110])
        history.at(200, "plugin", .set(entry: "count", value: old))
        history.at(205, "client", .saw(entry: "count", value: old))
        history.at(210, "client", .wrote(id: "a", entry: "count", value: old, held: old))
        history.at(5000, "client", .saw(entry: "count", value: nil))
        history.at(5100, "plugin", .set(entry: "count", value: new))
        history.at(5200, "client", .saw(entry: "count", value: new))
        history.at(300, "client", .opened(session: "s"))
        history.at(310, "worker-1", .active(session: "s", token: 1, count: 0))
        history.at(400, "worker-1", .input(id: "i", session: "s", count: 1))
        history.at(3000, "client", .looked(placements: ["s": Placement(worker: "worker-1", token: 1, isRunning: true)]))
        history.fault(.killWorker, at: 4000, to: 5000, process: "worker-1")
        history.at(6500, "client", .looked(placements: ["s": Placement(worker: nil, token: 1, isRunning: false)]))
        history.at(6600, "worker-2", .active(session: "s", token: 2, count: 1))
        history.final(
            sessions: ["s": "worker-2"], observers: ["client"], descriptors: ["host": .init(before: 40, after: 45)],
            memory: ["host": 41_000, "worker-1": 20_500, "worker-2": 30_800])
        let verdict = Checker.verdict(on: history.records)
        #expect(verdict.violations == [])
        #expect(verdict.faults == [FaultKind.killWorker.title: 1])
        #expect(verdict.requests["plain"] == ["reply": 1])
        #expect(verdict.requests["once"] == ["timeout": 1])
        #expect(verdict.longestDetection == [FaultKind.killWorker.title: 2500])
        #expect(verdict.longestRestoration == [FaultKind.killWorker.title: 2600])
        #expect(verdict.largestMemory == ["host": 40, "worker": 30])
    }

    // MARK: - Requests

    @Test("A reply without an effect is an acknowledged request that was lost")
    func acknowledgedAndLost() {
        var history = History()
        history.request("a", at: 100, answer: (120, .reply))
        #expect(history.broken == [.acknowledgedAndLost])
    }

    @Test("A request takes effect at most once, unless it is idempotent", arguments: RecordedRequest.Kind.allCases)
    func twice(kind: RecordedRequest.Kind) {
        var history = History()
        history.request("a", kind, at: 100, applied: [110, 200], answer: kind == .post ? nil : (210, .reply))
        #expect(history.broken == (kind == .idempotent || kind == .control ? [] : [.tookEffectTwice]))
    }

    @Test("A request that was reported as not handled must have no effect")
    func denied() {
        var history = History()
        history.request(
            "a", .once, at: 100, applied: [110], answer: (120, .failed(code: "peerLost", mayHaveBeenHandled: false)))
        history.request(
            "b", .once, at: 100, applied: [110], answer: (120, .failed(code: "peerLost", mayHaveBeenHandled: true)))
        #expect(history.broken == [.deniedButHandled])
    }

    @Test("A request that ends long after its deadline, or never, counts as hung")
    func hung() {
        var history = History()
        history.request("late", at: 100, deadline: 1000, applied: [200], answer: (4200, .reply))
        history.request("never", at: 100, deadline: 1000)
        history.final()
        #expect(history.broken == [.hungRequest, .hungRequest])
    }

    @Test("A request does not count as hung when its sender was suspended or killed")
    func hungExcused() {
        var history = History()
        history.fault(.stopWorker, at: 150, to: 6150, process: "client")
        history.request("late", at: 100, deadline: 1000, applied: [200], answer: (6200, .reply))
        history.fault(.killWorker, 2, at: 7000, to: 7500, process: "client")
        history.request("never", at: 6900, deadline: 1000)
        history.final()
        #expect(history.broken == [])
    }

    // MARK: - Dependencies

    @Test("An older value after a newer one went backwards, for each observer separately")
    func backwards() {
        var history = History()
        for (time, value) in [(100, 1), (200, 3), (300, 2)] as [(UInt64, Int)] {
            history.at(time, "client", .saw(entry: "count", value: Counter(life: 1, value: value)))
        }
        history.at(400, "worker-1", .saw(entry: "count", value: Counter(life: 1, value: 1)))
        history.at(500, "worker-1", .saw(entry: "other", value: Counter(life: 0, value: 0)))
        #expect(history.broken == [.wentBackwards])
    }

    @Test("At the end, every observer must have the latest value")
    func latest() {
        var history = History()
        history.at(100, "plugin", .set(entry: "count", value: Counter(life: 1, value: 1)))
        for observer in ["client", "worker-1"] {
            history.at(110, observer, .saw(entry: "count", value: Counter(life: 1, value: 1)))
        }
        history.at(200, "plugin", .set(entry: "count", value: Counter(life: 1, value: 2)))
        history.at(210, "worker-1", .saw(entry: "count", value: Counter(life: 1, value: 2)))
        history.final(at: 5000, observers: ["client", "worker-1", "worker-2"])
        #expect(history.broken == [.latestValueMissed, .latestValueMissed])
    }

    @Test("A writer must find its own write in its container", arguments: [nil, 4, 5, 6] as [Int?])
    func ownWrite(held: Int?) {
        var history = History()
        history.at(
            100, "client",
            .wrote(
                id: "a", entry: "count", value: Counter(life: 1, value: 5),
                held: held.map { Counter(life: 1, value: $0) }))
        #expect(history.broken == ((held ?? 0) < 5 ? [.ownWriteNotRead] : []))
    }

    // MARK: - Sessions

    @Test("Two active scenes of a session at a time break a promise")
    func twoPlaces() {
        var history = History()
        history.at(100, "worker-1", .active(session: "s", token: 1, count: 0))
        history.at(200, "worker-2", .active(session: "s", token: 2, count: 0))
        history.at(220, "worker-1", .opened(session: "t"))
        history.at(300, "worker-1", .inactive(session: "s", reason: "gone"))
        #expect(history.broken == [.sessionInTwoPlaces])
    }

    @Test("A process that stands still with an old scene breaks no promise, if it suspends the scene when it goes on")
    func standsStill() {
        for isLate in [false, true] {
            var history = History()
            history.at(100, "worker-1", .active(session: "s", token: 1, count: 0))
            history.at(200, "worker-2", .active(session: "s", token: 2, count: 0))
            history.at(900, "worker-1", .opened(session: "t"))
            history.at(isLate ? 990 : 910, "worker-1", .inactive(session: "s", reason: "suspended"))
            #expect(history.broken == (isLate ? [.sessionInTwoPlaces] : []))
        }
    }

    @Test("A process that reuses the id of a killed one is a different process")
    func sameID() {
        var history = History()
        history.at(1000, "client", .opened(session: "s"))
        history.at(1100, "worker-1", .active(session: "s", token: 1, count: 0))
        history.fault(.killWorker, at: 5000, to: 5100, process: "worker-1")
        history.at(5010, "worker-1", .ended(how: "killed", isExpected: true))
        history.at(6000, "worker-2", .active(session: "s", token: 2, count: 0))
        // Another worker gets the id of the killed one, but none of its scenes.
        history.at(20_000, "worker-1", .started(machine: 2))
        history.at(20_500, "chaos", .attached(pids: [2, 3, 11, 12]))
        history.final(sessions: ["s": "worker-2"])
        #expect(Checker.verdict(on: history.records).count(of: .sessionInTwoPlaces) == 0)
    }

    @Test("A scene that was killed, moved away or suspended with its process does not count as active")
    func onePlace() {
        var history = History()
        history.at(100, "worker-1", .active(session: "a", token: 1, count: 0))
        history.at(150, "worker-1", .inactive(session: "a", reason: "moved"))
        history.at(200, "worker-2", .active(session: "a", token: 2, count: 0))
        history.fault(.stopWorker, at: 1000, to: 7000, process: "worker-2")
        history.at(4000, "worker-1", .active(session: "a", token: 3, count: 0))
        history.at(7010, "worker-2", .inactive(session: "a", reason: "gone"))
        history.fault(.killWorker, 2, at: 8000, to: 9000, process: "worker-1")
        history.at(11_000, "worker-2", .active(session: "a", token: 4, count: 0))
        #expect(history.broken == [])
    }

    @Test("A scene that resumes after its process was suspended must not act once a newer scene runs")
    func deeds() {
        var history = History()
        history.at(100, "worker-1", .active(session: "s", token: 1, count: 0))
        history.fault(.stopWorker, at: 1000, to: 7000, process: "worker-1")
        history.at(4000, "worker-2", .active(session: "s", token: 2, count: 0))
        history.at(7001, "worker-1", .input(id: "i", session: "s", count: 1))
        history.request("refused", at: 7002, answer: (7003, .threw("stale")), session: "s")
        history.request("taken", at: 7004, applied: [7005], answer: (7006, .reply), session: "s")
        history.at(7010, "worker-1", .inactive(session: "s", reason: "gone"))
        #expect(history.broken == [.sessionInTwoPlaces, .sessionInTwoPlaces])
    }

    @Test("A scene that starts late, because of a message queued in its process's socket, counts however short it is")
    func late() {
        var history = History()
        history.fault(.stopWorker, at: 50, to: 5000, process: "worker-1")
        history.at(3000, "worker-2", .active(session: "s", token: 2, count: 0))
        history.at(5001, "worker-1", .active(session: "s", token: 1, count: 0))
        history.at(5030, "worker-1", .inactive(session: "s", reason: "suspended"))
        // The scene with the newer token may act.
        history.at(6000, "worker-2", .input(id: "i", session: "s", count: 1))
        #expect(history.broken == [.sessionInTwoPlaces])
    }

    @Test("A scene that resumes on its own keeps its token")
    func resumed() {
        var history = History()
        history.at(100, "worker-1", .active(session: "s", token: 3, count: 0))
        history.at(200, "worker-1", .inactive(session: "s", reason: "suspended"))
        history.at(300, "worker-1", .active(session: "s", token: 0, count: 0))
        history.at(400, "worker-1", .input(id: "i", session: "s", count: 1))
        #expect(history.broken == [])
    }

    @Test("A session that was opened and not closed still exists at the end, with a scene")
    func lost() {
        var history = History()
        for session in ["kept", "lost", "closed", "waiting"] { history.at(100, "client", .opened(session: session)) }
        history.at(200, "client", .closing(session: "closed"))
        history.final(sessions: ["kept": "worker-1", "waiting": String?.none])
        #expect(history.broken == [.sessionLost, .sessionWithoutScene])
    }

    @Test("A state that had time to be stored is in the next scene, and a later one may be lost")
    func state() {
        var history = History()
        history.at(100, "worker-1", .active(session: "s", token: 1, count: 0))
        history.at(1000, "worker-1", .input(id: "i", session: "s", count: 1))
        history.at(9900, "worker-1", .input(id: "j", session: "s", count: 2))
        history.fault(.killWorker, at: 10_000, to: 10_500, process: "worker-1")
        var lost = history
        history.at(12_500, "worker-2", .active(session: "s", token: 2, count: 1))
        #expect(history.broken == [])
        lost.at(12_500, "worker-2", .active(session: "s", token: 2, count: 0))
        #expect(lost.broken == [.stateLost])
    }

    @Test("A scene that is only moved keeps its whole state", arguments: [2, 1])
    func moved(count: Int) {
        var history = History()
        history.at(100, "worker-1", .active(session: "s", token: 1, count: 0))
        history.at(200, "worker-1", .input(id: "i", session: "s", count: 1))
        history.at(210, "worker-1", .input(id: "j", session: "s", count: 2))
        history.at(211, "worker-1", .inactive(session: "s", reason: "suspended"))
        history.at(220, "worker-2", .active(session: "s", token: 2, count: count))
        #expect(history.broken == (count == 2 ? [] : [.stateLost]))
    }

    @Test("A state that the host reported as stored survives the host's death, unless the disk was full")
    func hostState() {
        var history = History()
        history.at(1000, "client", .stored(session: "s", count: 7))
        history.fault(.killHost, at: 6000, to: 6500, process: "host")
        history.at(8000, "worker-1", .active(session: "s", token: 2, count: 0))
        #expect(history.broken == [.stateLost])
        history.fault(.fullDisk, 2, at: 900, to: 5900)
        #expect(history.broken == [])
        // Later scenes do not have the state either.
        history.at(9000, "worker-1", .inactive(session: "s", reason: "disconnected"))
        history.at(12_000, "worker-1", .active(session: "s", token: 3, count: 0))
        #expect(history.broken == [])
    }

    // MARK: - What is done while a fault lasts

    @Test("A late change makes the container stale, unless a fault delays it")
    func stale() {
        var history = History()
        for time: UInt64 in stride(from: 1000, through: 20_000, by: 1000) {
            history.at(time, "plugin", .set(entry: "count", value: Counter(life: 1, value: Int(time))))
            guard time <= 3000 || time == 20_000 else { continue }
            history.at(time + 10, "worker-1", .saw(entry: "count", value: Counter(life: 1, value: Int(time))))
        }
        #expect(history.broken == [.staleTooLong])
        var excused = history
        excused.fault(.cutPublisher, at: 3100, to: 14_000, machine: 2)
        #expect(excused.broken == [])
        // A fault on another machine is no excuse, nor is one that does not affect new connections.
        history.fault(.cutPublisher, at: 3100, to: 14_000, machine: 3)
        history.fault(.cutPublisher, 2, at: 3100, to: 14_000, machine: 2, sparesNew: true)
        #expect(history.broken == [.staleTooLong])
    }

    @Test("A running process reattaches soon, unless a fault prevents it")
    func attachment() {
        var history = History()
        for time: UInt64 in stride(from: 1000, through: 15_000, by: 500) {
            history.at(time, "chaos", .attached(pids: time < 3000 ? [3, 11, 12] : [3, 12]))
        }
        #expect(history.broken == [.stayedDetached])
        var excused = history
        excused.fault(.cutBus, at: 2500, to: 10_000, machine: 2)
        #expect(excused.broken == [])
        history.fault(.cutBus, at: 2500, to: 10_000, machine: 2, sparesNew: true)
        #expect(history.broken == [.stayedDetached])
    }

    @Test(
        "A place whose key is revoked has no link after a moment, until it is allowed again"
    )
    func revokedKey() {
        var history = History()
        history.fault(.revokeKey, at: 2000, to: 8000, process: "worker-1")
        for time: UInt64 in stride(from: 1000, through: 15_000, by: 500) {
            history.at(time, "chaos", .attached(pids: (2500..<8000).contains(time) ? [3, 12] : [3, 11, 12]))
        }
        #expect(history.broken == [])
        var late = history
        late.at(5000, "chaos", .attached(pids: [3, 11, 12]))
        #expect(late.broken == [.revokedAttached])
        late.fault(.stopHost, 2, at: 2500, to: 4500, process: "host")
        #expect(late.broken == [])
    }

    @Test(
        "A session that lost its scene gets another one soon, unless a second fault prevents it",
        arguments: [FaultKind.hangWorker, .killRack, .cutRack, .cutBus])
    func away(kind: FaultKind) {
        var history = History()
        history.at(100, "worker-1", .active(session: "s", token: 1, count: 0))
        let isOfLink = [.cutRack, .cutBus].contains(kind)
        history.fault(
            kind, at: 2000, to: 11_000, process: isOfLink ? nil : "worker-1", machine: isOfLink ? 2 : nil)
        if isOfLink { history.at(4600, "worker-1", .inactive(session: "s", reason: "suspended")) }
        var (late, disturbed) = (history, history)
        history.at(6000, "worker-2", .active(session: "s", token: 2, count: 0))
        #expect(history.broken == [])
        late.at(9500, "worker-2", .active(session: "s", token: 2, count: 0))
        #expect(late.broken == [.awayTooLong])
        disturbed.fault(.killHost, 2, at: 3000, to: 4000, process: "host")
        disturbed.at(9500, "worker-2", .active(session: "s", token: 2, count: 0))
        #expect(disturbed.broken == [])
    }

    @Test("A session is held only where its last scene was lost by a fault, and another fault took a worker soon after")
    func held() {
        func broken(second: FaultKind?, at time: UInt64, runsAgain: Bool = false) -> [Promise] {
            var history = History()
            history.at(100, "client", .opened(session: "s"))
            history.at(100, "worker-1", .active(session: "s", token: 1, count: 0))
            history.fault(.stopWorker, at: 2000, to: 11_000, process: "worker-1")
            if let second { history.fault(second, 2, at: time, to: time + 100, process: "worker-2") }
            if runsAgain { history.at(20_000, "worker-2", .active(session: "s", token: 2, count: 0)) }
            history.at(50_000, "chaos", .retried(session: "s"))
            history.at(50_010, "worker-2", .active(session: "s", token: 3, count: 0))
            history.final(sessions: ["s": "worker-2"])
            return history.broken.filter { $0 == .heldWithoutCause }
        }
        #expect(broken(second: .killWorker, at: 3000) == [])
        #expect(broken(second: .killWorker, at: 30_000) == [.heldWithoutCause])
        #expect(broken(second: .fullDisk, at: 3000) == [.heldWithoutCause])
        #expect(broken(second: nil, at: 0) == [.heldWithoutCause])
        // The two faults were long before the hold.
        #expect(broken(second: .killWorker, at: 3000, runsAgain: true) == [.heldWithoutCause])
    }

    @Test("A scene that ended without a fault has a successor soon")
    func awayByItself() {
        var history = History()
        history.at(100, "worker-1", .active(session: "s", token: 1, count: 0))
        history.at(200, "worker-1", .inactive(session: "s", reason: "moved"))
        history.at(100, "worker-2", .active(session: "closed", token: 1, count: 0))
        history.at(200, "client", .closing(session: "closed"))
        history.at(210, "worker-2", .inactive(session: "closed", reason: "disconnected"))
        history.at(9000, "worker-2", .active(session: "s", token: 2, count: 0))
        #expect(history.broken == [.awayTooLong])
    }

    @Test("An early timeout is a violation, except for an input, whose handler may have waited for less time")
    func early() {
        var history = History()
        let timeout = RequestOutcome.failed(code: "timeout", mayHaveBeenHandled: true)
        history.request("early", .once, at: 100, deadline: 3000, answer: (400, timeout))
        history.request("due", .once, at: 100, deadline: 3000, answer: (3090, timeout))
        history.request("other", .input, at: 100, deadline: 3000, answer: (400, timeout))
        #expect(history.broken == [.endedEarly])
    }

    @Test("A process that hangs until it is killed does not count as active meanwhile")
    func hang() {
        var history = History()
        history.at(100, "worker-1", .active(session: "s", token: 1, count: 0))
        history.fault(.hangWorker, at: 1000, to: 9000, process: "worker-1")
        history.at(9010, "worker-1", .ended(how: "SIGKILL", isExpected: true))
        history.at(4000, "worker-2", .active(session: "s", token: 2, count: 0))
        #expect(history.broken == [])
    }

    @Test("A state that the host reported as stored survives a power cut")
    func power() {
        var history = History()
        history.at(1000, "client", .stored(session: "s", count: 7))
        history.fault(.powerCut, at: 6000, to: 6500, process: "host")
        history.at(8000, "worker-1", .active(session: "s", token: 2, count: 0))
        #expect(history.broken == [.stateLost])
    }

    @Test("A clock jump and a second host excuse nothing", arguments: [FaultKind.clockJump, .secondHost])
    func noExcuse(kind: FaultKind) {
        var history = History()
        history.fault(kind, at: 50, to: 20_000)
        history.at(100, "worker-1", .active(session: "s", token: 1, count: 0))
        history.at(1000, "worker-1", .input(id: "i", session: "s", count: 1))
        history.at(9000, "worker-2", .active(session: "s", token: 2, count: 0))
        history.at(9100, "worker-1", .opened(session: "t"))
        history.at(9200, "chaos", .waited(nanoseconds: 0))
        history.request("late", at: 100, deadline: 1000, applied: [200], answer: (4200, .reply))
        #expect(Set(history.broken) == [.sessionInTwoPlaces, .stateLost, .hungRequest])
    }

    // MARK: - The end

    @Test("Violations that the fault maker saw itself are reported, and so is too much memory of the host")
    func seen() {
        var history = History()
        history.at(100, "chaos", .broke(promise: .secondHost, detail: "it runs"))
        history.final(memory: ["host": 401 << 10, "worker-1": 900 << 10])
        #expect(history.broken == [.secondHost, .memoryUnbounded])
    }

    @Test("A process that ended without being stopped is reported")
    func ended() {
        var history = History()
        history.at(100, "host", .ended(how: "a trap", isExpected: false))
        history.at(200, "plugin", .ended(how: "SIGKILL", isExpected: true))
        #expect(history.broken == [.endedByItself])
    }

    @Test("Leaked processes and descriptors are reported")
    func leaks() {
        var history = History()
        history.final(
            left: ["worker-9 (99)"],
            descriptors: ["host": .init(before: 40, after: 90), "plugin": .init(before: 20, after: 22)])
        #expect(history.broken == [.leaked, .leaked])
    }
}

extension CheckerTests {
    @Test("What takes long because processes waited for a processor breaks no promise", arguments: [true, false])
    func waits(isBusy: Bool) {
        var history = History()
        history.request("a", at: 1000, deadline: 1000, applied: [1100], answer: (9000, .reply))
        for second in 0...20 as ClosedRange<UInt64> {
            history.at(second * 500, "chaos", .waited(nanoseconds: isBusy ? 900_000_000 : 1_000_000))
        }
        #expect(history.broken == (isBusy ? [] : [.hungRequest]))
    }

    @Test("What a scene does in two places counts, not that its process got no processor", arguments: [true, false])
    func waitingInTwoPlaces(acts: Bool) {
        var history = History()
        history.at(0, "chaos", .waited(nanoseconds: 0))
        history.at(100, "worker-1", .active(session: "s", token: 1, count: 0))
        history.at(200, "worker-2", .active(session: "s", token: 2, count: 0))
        if acts { history.at(600, "worker-1", .input(id: "i", session: "s", count: 1)) }
        history.at(700, "worker-1", .inactive(session: "s", reason: "suspended"))
        history.at(1000, "chaos", .waited(nanoseconds: 600_000_000))
        #expect(history.broken.contains(.sessionInTwoPlaces) == acts)
    }

    @Test("Waits before and after do not excuse what takes long")
    func otherWaits() {
        var history = History()
        history.request("a", at: 60_000, deadline: 1000, applied: [60_100], answer: (69_000, .reply))
        for (time, wait) in [(0, 0), (50_000, 40), (60_000, 0), (69_000, 0), (80_000, 10)] as [(UInt64, UInt64)] {
            history.at(time, "chaos", .waited(nanoseconds: wait * 1_000_000_000))
        }
        #expect(history.broken == [.hungRequest])
    }

    @Test("A request that is refused as overloaded is crowded out when only a greedy peer can be the cause")
    func crowdedOut() {
        func history(_ kind: FaultKind?, to end: UInt64 = 5000) -> [Promise] {
            var history = History()
            if let kind { history.fault(kind, at: 100, to: end, process: "worker-2") }
            history.request(
                "a", at: 4000, answer: (4010, .failed(code: "overloaded", mayHaveBeenHandled: false)))
            return history.broken
        }
        #expect(history(.greedyPeer) == [.crowdedOut])
        #expect(history(.greedyPeer, to: 500) == [])
        #expect(history(.stopWorker) == [])
        #expect(history(nil) == [])
        var both = History()
        both.fault(.greedyPeer, at: 100, to: 5000)
        both.fault(.stopPlugin, 2, at: 100, to: 5000, process: "plugin")
        both.request("a", at: 4000, answer: (4010, .failed(code: "overloaded", mayHaveBeenHandled: false)))
        #expect(both.broken == [])
    }

    @Test("A session whose scene has crashed its worker has another scene soon", arguments: [4000, 12_000] as [UInt64])
    func crashes(returns: UInt64) {
        var history = History()
        history.at(100, "client", .opened(session: "s"))
        history.at(100, "worker-1", .active(session: "s", token: 1, count: 0))
        history.fault(.crashScene, at: 1000, to: 3000, process: "worker-1")
        history.at(2000, "worker-1", .ended(how: "signal 6", isExpected: true))
        history.at(returns, "worker-2", .active(session: "s", token: 2, count: 0))
        history.final(sessions: ["s": "worker-2"])
        #expect(history.broken == (returns > 9000 ? [.awayTooLong] : []))
    }
}

@Suite(.timeLimit(.minutes(5)))
struct FaultPlanTests {
    private static let population = FaultPlan.Population(machines: 3, workers: 6, plugins: 2)

    private func plan(_ seed: UInt64, seconds: Int = 30) -> FaultPlan {
        FaultPlan(seed: seed, length: .seconds(seconds), population: Self.population)
    }

    @Test("The same seed makes the same plan, and another seed makes another")
    func seeds() {
        #expect(plan(7) == plan(7))
        #expect(plan(7) != plan(8))
    }

    @Test(
        "Steps have valid targets, end in time, and do not undo each other", arguments: 1...40 as ClosedRange<UInt64>)
    func bounds(seed: UInt64) {
        let steps = plan(seed, seconds: 60).steps
        #expect(Set(steps.map(\.kind)).count >= 17)
        for (index, step) in steps.enumerated() {
            #expect(step.at + step.length <= .seconds(60))
            switch step.kind {
            case .killWorker, .stopWorker, .hangWorker, .rotateKey: #expect((0..<6).contains(step.target))
            // Connections inside the host's machine cross no link that could be cut.
            case .cutBus, .cutPublisher:
                #expect((1..<3).contains(step.target))
                #expect(FaultPlan.FlowCut.all.indices.contains(step.amount))
            case .killRack: #expect((0..<2).contains(step.target))
            case .clockJump: #expect(step.amount != 0)
            case .greedyPeer: #expect(Greed.allCases.indices.contains(step.amount))
            case .cutLink, .cutOneWay, .loss, .delay: #expect((0..<3).contains(step.target))
            default: break
            }
            for other in steps[..<index] { #expect(!other.excludes(step)) }
        }
    }

    @Test(
        "Faults that would undo each other exclude each other",
        arguments: [
            [.killHost, .powerCut], [.powerCut, .fullDisk], [.powerCut, .stopHost], [.powerCut, .secondHost],
            [.killHost, .secondHost], [.killHost, .hangPlugin], [.stopHost, .hangPlugin], [.cutRack, .cutLink],
            [.hangWorker, .stopWorker], [.hangWorker, .killWorker], [.killHost, .removeStore],
            [.removeStore, .fullDisk], [.removeStore, .secondHost], [.stopHost, .stubbornPlugin],
            [.silentConnections, .hangPlugin], [.revokeKey, .killWorker], [.revokeKey, .killRack],
            [.rotateKey, .revokeKey], [.rotateKey, .clockJump], [.rotateHostKey, .clockJump],
        ] as [[FaultKind]])
    func exclusions(kinds: [FaultKind]) {
        let steps = kinds.enumerated().map { number, kind in
            FaultPlan.Step(
                number: number, kind: kind, at: .seconds(number), length: .seconds(5), target: 0, amount: 0)
        }
        #expect(steps[0].excludes(steps[1]))
        #expect(steps[1].excludes(steps[0]))
        var later = steps[1]
        later.at = .seconds(6)
        #expect(!steps[0].excludes(later))
    }

    @Test("Killing the host does not exclude a clock jump, a lost rack, a cut bus or a stuck reader")
    func together() {
        let step = FaultPlan.Step(
            number: 1, kind: .killHost, at: .zero, length: .seconds(5), target: 0, amount: 0)
        for kind: FaultKind in [.clockJump, .killRack, .cutBus, .readsNothing, .greedyPeer, .unreadLog, .crashScene] {
            var other = step
            other.kind = kind
            #expect(!step.excludes(other))
        }
    }
}
