import Bus
import InMemoryLogging
import Logging
import TestKit
import Testing

@testable import SceneHost

/// What is kept of the requests and crashes for which a session is suspected. The tests supply the time.
@Suite(.timeLimit(.minutes(5)))
struct SuspicionTests {
    private let start = MonotonicInstant.now
    private func at(_ seconds: Double) -> MonotonicInstant { start + .seconds(seconds) }

    @Test func `The name of an action is kept up to a limit, and still tells a scene that has done it since`() {
        let long = String(repeating: "x", count: 1 << 20)
        let moment = SessionTable.Moment.act(long)
        #expect(moment.utf8.count == Suspicion.maximumMoment)
        #expect(SessionTable.Moment.act("add") == "act add")
        var suspicion = Suspicion()
        suspicion.add([moment])
        let isDisproved = suspicion.disprove(SessionTable.Moment.act(long))
        #expect(isDisproved)
        // A character that is cut becomes a sign that is a little longer.
        let wide = SessionTable.Moment.act("xx" + String(repeating: "\u{1F600}", count: 1000))
        #expect(wide.utf8.count <= Suspicion.maximumMoment + 3)
        suspicion.add([wide])
        let isWideDisproved = suspicion.disprove(wide)
        #expect(isWideDisproved)
    }

    @Test func `A bounded number of requests is kept whose senders have stopped to wait, while they count`() {
        var asks = SessionTable.Asks()
        for number in 0..<100 { asks.addUnanswered("act \(number)", until: at(5), at: at(0)) }
        #expect(asks.unanswered.count == SessionTable.Asks.maximumUnanswered)
        #expect(asks.moments(at: at(5)).count == SessionTable.Asks.maximumUnanswered)
        #expect(asks.moments(at: at(6)) == [])
        asks.addUnanswered("act late", until: at(11), at: at(6))
        #expect(asks.moments(at: at(6)) == ["act late"])
        asks.forgetUnanswered()
        #expect(asks.moments(at: at(6)) == [])
    }

    // MARK: - Words for operators

    private func crash(_ worker: String, _ words: String? = nil) -> Suspicion.Crash {
        Suspicion.Crash(worker: worker, time: 1_800_000_000, words: words)
    }

    @Test func `A held session names the workers that crashed, with last words, also in the next host`() throws {
        var suspicion = Suspicion()
        suspicion.add([SessionTable.Moment.content], crash("wall-1", "its first words"))
        suspicion.add([SessionTable.Moment.content], crash("wall-2", "Wall.swift:26: Fatal error: no"))
        let next = try #require(Suspicion(encoded: suspicion.encoded ?? ""))
        #expect(next == suspicion)
        let problem = next.problem(of: "a")
        #expect(problem.hasPrefix("crashed 2 workers (wall-1 at 2027-01-1"), "\(problem)")
        #expect(problem.contains("), the last one while the scene was asked for its content"), "\(problem)")
        #expect(problem.contains(", wall-2 at 2027-01-1"), "\(problem)")
        #expect(problem.contains(": Wall.swift:26: Fatal error: no)"), "\(problem)")
        #expect(!problem.contains("first words"))
    }

    @Test func `A suspicion that an earlier version has stored is read, and names nobody`() throws {
        let stored = #"{"crashes":2,"moments":["content"],"last":"content"}"#
        let suspicion = try #require(Suspicion(encoded: stored))
        #expect(suspicion.isHeld)
        #expect(suspicion.problem(of: "a").hasPrefix("crashed 2 workers, the last one while"))
    }

    @Test func `A suspicion for a crash with other scenes in the worker's hands is stored as such`() throws {
        var suspicion = Suspicion()
        for _ in 0..<2 { suspicion.add(["content"], isShared: true) }
        let next = try #require(Suspicion(encoded: suspicion.encoded ?? ""))
        #expect(next == suspicion)
        #expect(!next.isHeld)
        suspicion.add(["content"], isShared: true)
        #expect(suspicion.isHeld)
    }

    @Test func `The crash of a worker that comes back is not described, and the number of crashes is bounded`() {
        var suspicion = Suspicion()
        for number in 0..<100 { suspicion.add(["content"], crash("wall-\(number)")) }
        #expect(suspicion.known?.map(\.worker) == ["wall-96", "wall-97", "wall-98", "wall-99"])
        let isOver = suspicion.withdraw(of: "wall-97")
        #expect(!isOver)
        #expect(suspicion.known?.map(\.worker) == ["wall-96", "wall-98", "wall-99"])
        let isOverForStranger = suspicion.withdraw(of: "stranger")
        #expect(!isOverForStranger)
        #expect(suspicion.known?.count == 3)
    }

    @Test func `The table passes on what is known of a crash`() throws {
        var table = SessionTable(epoch: 1)
        let process = ProcessIdentity(peer: "wall-1", pid: 1)
        _ = table.attached(1, process, offers: ["Wall"], capacity: 8, held: [], at: at(0))
        _ = table.synchronized(1, at: at(0))
        let record = SessionRecord(id: "a", role: "r", configuration: "Wall", position: 1)
        #expect(table.opened(record, links: [], at: at(0)).count == 1)
        _ = table.detached(
            1, reason: "gone", isOver: true, mayComeBack: false, isCrash: true, crash: crash("wall-1"), at: at(1))
        #expect(table.sessions["a"]?.record.suspicion?.known == [crash("wall-1")])
    }
}

extension SuspicionTests {
    @Test func `Held sessions are a problem of the host until they are tried again or closed`() throws {
        var suspicion = Suspicion()
        for _ in 0..<2 { suspicion.add([SessionTable.Moment.content]) }
        var table = SessionTable(epoch: 1)
        let records = ["b", "a", "c"].map {
            SessionRecord(id: $0, role: "r", configuration: "Wall", position: 1, suspicion: suspicion)
        }
        let other = SessionRecord(id: "other", role: "r", configuration: "Wall", position: 2)
        table.start(with: records + [other], isClean: true, at: at(0))
        #expect(table.heldProblem?.contains("3 have crashed workers and are held;") == true)
        _ = try table.retry("a")
        _ = table.closed("c")
        #expect(table.heldProblem?.contains("one has crashed workers and is held;") == true)
        _ = table.tick(at: at(5))
        #expect(table.faults(at: at(5)) == [])
        _ = try table.reset("b")
        #expect(table.heldProblem == nil)
    }
}

extension LiveTests {
    /// What a host says of sessions that an earlier host held.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct HeldSessionTests {
        @Test("A host that starts with held sessions logs them, each with its reason up to a number")
        func start() async throws {
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/sessions.sqlite"
            var suspicion = Suspicion()
            for _ in 0..<2 { suspicion.add([SessionTable.Moment.content]) }
            let records = (1...20).map { number in
                SessionRecord(
                    id: "held-\(number)", role: "r", configuration: "Wall", position: Int64(number),
                    suspicion: suspicion)
            }
            let other = SessionRecord(id: "other", role: "r", configuration: "Wall", position: 21)
            try await HostStore(path: path).write([.saveSessions(records + [other]), .beginLife(epoch: 1), .endLife])
            let handler = InMemoryLogHandler()
            let logger = Logger(label: "test") { _ in handler }
            try await withHost(in: folder, logger: logger, configure: { $0.store = path }) { live in
                #expect(try await live.client().chain.hostStatus().problems.contains { $0.hasPrefix("sessions: ") })
                let lines = handler.entries.filter { "\($0.message)".contains("still held") }
                try #require(lines.count == 17)
                #expect(lines.allSatisfy { $0.level == .error })
                #expect("\(lines[0].metadata)".contains("crashed 2 workers"))
                #expect(!lines.contains { "\($0.metadata)".contains("other") })
                #expect("\(lines[16].metadata)".contains("4"))
            }
        }
    }
}
