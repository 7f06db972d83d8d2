import Testing

@testable import ChaosHistory

/// For each promise to those who watch scenes a made-up history that breaks it, and one that keeps it.
@Suite(.timeLimit(.minutes(5)))
struct WatcherTests {
    private typealias History = CheckerTests.History

    @Test(
        "A next scene may be shown with less, if the last input had no time to be stored, and a host that is away is no end"
    )
    func clean() {
        var history = History.watched
        history.fault(.killWorker, at: 4000, to: 5000, process: "worker-1")
        history.at(6600, "worker-2", .active(session: "s", token: 2, count: 1))
        for watcher in ["client", "plugin"] {
            history.shows("a", count: 2, tick: 5, isLive: false, at: 4100, to: watcher)
            history.shows("b", count: 1, tick: 5, at: 6700, to: watcher)
        }
        history.final(sessions: ["s": "worker-2"], observers: ["client", "plugin"])
        // What comes when the processes end does not count.
        history.shows("b", count: 1, tick: 5, isLive: false, at: 60_100, to: "client")
        let verdict = Checker.verdict(on: history.records)
        #expect(verdict.violations == [])
        #expect(verdict.checked["pictures"] == 10)
        #expect(verdict.checked["last pictures"] == 2)
    }

    @Test("Nothing in the pictures of a scene goes backwards, for each watcher separately")
    func backwards() {
        var count = History.watched
        count.shows("a", count: 1, tick: 5, at: 4000, to: "client")
        #expect(count.broken == [.shownBackwards])
        var entry = History.watched
        entry.shows("a", count: 2, tick: 4, at: 4000, to: "client")
        entry.shows("a", count: 2, tick: 5, at: 4100, to: "client")
        #expect(entry.broken == [.shownBackwards])
        var late = History.watched
        late.at(4000, "worker-2", .watching(session: "s"))
        late.shows("a", count: 1, tick: 4, at: 4010, to: "worker-2")
        #expect(late.broken == [])
    }

    @Test("A picture that goes backwards after a new watch of the same process counts, too")
    func backwardsInNextWatch() {
        var history = History.watched
        history.at(4000, "client", .watching(session: "s"))
        history.shows("a", count: 1, tick: 5, at: 4010, to: "client")
        #expect(history.broken == [.shownBackwards])
    }

    @Test("A scene is not shown again after the session's next one")
    func again() {
        var history = History.watched
        history.shows("b", count: 0, tick: 5, at: 4000, to: "client")
        #expect(history.broken == [])
        history.shows("a", count: 2, tick: 5, at: 4100, to: "client")
        history.shows("b", count: 1, tick: 5, at: 4200, to: "client")
        #expect(history.broken == [.shownBackwards])
    }

    @Test(
        "At the end, each watcher is shown the last state of a scene that runs", arguments: ["s": "worker-1", "t": nil])
    func lastState(session: String, worker: String?) {
        func broken(_ change: (inout History) -> Void) -> [Promise] {
            var history = History.watched
            change(&history)
            // Before a change is shown too late.
            history.final(at: 9000, sessions: [session: worker], observers: ["client", "plugin"])
            // The session has no scene, or is gone, which other checks tell.
            return history.broken.filter { $0 != .sessionLost && $0 != .sessionWithoutScene }
        }
        let expected: [Promise] = session == "s" ? [.lastStateNotShown] : []
        #expect(broken { _ in } == [])
        #expect(broken { $0.at(5000, "worker-1", .input(id: "k", session: "s", count: 3)) } == expected + expected)
        #expect(broken { $0.ticks(6, at: 5000) } == expected + expected)
        #expect(broken { $0.shows("a", count: 2, tick: 5, isLive: false, at: 5000, to: "client") } == expected)
        #expect(broken { $0.shows("a", count: 3, tick: 5, at: 5000, to: "client") } == expected)
        #expect(broken { $0.types(7, at: 5000, stored: 5010, answered: 5020) } == expected + expected)
        #expect(broken { $0.types(7, at: 5000, stored: 5010, answered: nil) } == [])
        #expect(
            broken { history in
                history.types(7, at: 5000, stored: 5010, answered: 5020)
                for watcher in ["client", "plugin"] {
                    history.shows("a", count: 2, tick: 5, typed: 7, at: 5030, to: watcher)
                }
            } == [])
    }

    @Test("A watcher that is shown nothing misses the last state, unless it has ended")
    func nothing() {
        var history = History.watched
        history.at(5000, "worker-2", .watching(session: "s"))
        var ended = history
        history.final(sessions: ["s": "worker-1"], observers: ["client", "plugin", "worker-2"])
        #expect(history.broken == [.lastStateNotShown])
        ended.final(sessions: ["s": "worker-1"], observers: ["client", "plugin"])
        #expect(ended.broken == [])
    }

    @Test("A watch ends only with its session", arguments: [true, false])
    func ends(isClosed: Bool) {
        var history = History.watched
        if isClosed { history.at(4000, "plugin", .closing(session: "s")) }
        history.at(4100, "client", .unwatched(session: "s", reason: "unknownSession"))
        #expect(history.broken == (isClosed ? [] : [.watchEnded]))
    }

    @Test("An action that a watched scene counts twice took effect twice")
    func twice() {
        var history = History.watched
        history.request("k", .input, at: 4900, answer: (5020, .reply))
        history.at(5000, "worker-1", .input(id: "k", session: "s", count: 3))
        #expect(history.broken == [])
        history.at(5010, "worker-1", .input(id: "k", session: "s", count: 4))
        #expect(history.broken == [.tookEffectTwice])
    }

    @Test("An action that is sent again with its identifier is one request", arguments: [true, false])
    func sentAgain(isDoneAgain: Bool) {
        var history = History.watched
        history.request("k", .action, at: 4900, deadline: 5000, answer: (6500, .reply))
        history.at(5000, "worker-1", .input(id: "k", session: "s", count: 3))
        history.at(6400, "client", .askedAgain(id: "k"))
        if isDoneAgain { history.at(6450, "worker-1", .input(id: "k", session: "s", count: 4)) }
        let verdict = Checker.verdict(on: history.records)
        #expect(verdict.violations.map(\.promise) == (isDoneAgain ? [.tookEffectTwice] : []))
        #expect(verdict.checked["actions sent again"] == 1)
    }

    // MARK: - Late pictures

    /// A history in which one watcher is shown a change at once, and the other one eight seconds later.
    private static func late(_ change: (inout History) -> Void) -> History {
        var history = History.watched
        change(&history)
        history.shows("a", count: 3, tick: 6, typed: 7, at: 5010, to: "plugin")
        history.shows("a", count: 3, tick: 6, typed: 7, at: 13_000, to: "client")
        return history
    }

    @Test("A watcher is shown a change of the count, an entry or a field in time")
    func lateChange() {
        let input = Self.late { $0.at(5000, "worker-1", .input(id: "k", session: "s", count: 3)) }
        #expect(input.broken == [.shownTooLate])
        let typed = Self.late { $0.types(7, at: 4990, stored: 5000, answered: 5005) }
        #expect(typed.broken == [.shownTooLate])
        let entry = Self.late { $0.ticks(6, at: 5000) }
        #expect(entry.broken == [.shownTooLate])
    }

    @Test("A newer value in time is as good as the change itself")
    func newerValue() {
        var history = History.watched
        history.ticks(6, at: 5000)
        for watcher in ["client", "plugin"] { history.shows("a", count: 2, tick: 8, at: 9000, to: watcher) }
        history.final(sessions: ["s": "worker-1"])
        let verdict = Checker.verdict(on: history.records)
        #expect(verdict.violations == [])
        #expect((verdict.checked["changes for watchers"] ?? 0) > 0)
    }

    @Test("A watcher that is shown nothing at all after a change is shown it too late")
    func neverShown() {
        var history = History.watched
        history.at(5000, "worker-1", .input(id: "k", session: "s", count: 3))
        history.final(sessions: ["s": "worker-1"])
        #expect(history.broken == [.shownTooLate, .shownTooLate])
    }

    @Test(
        "A late picture is excused by a fault of the watcher, the scene's worker or the host, and by no other",
        arguments: [
            (FaultKind.cutLink, nil, 2, true), (.cutLink, nil, 1, true), (.cutLink, nil, 3, false),
            (.stopHost, "host", nil, true), (.stopWorker, "worker-1", nil, true),
            (.stopWorker, "worker-2", nil, false), (.greedyPeer, nil, nil, false), (.fullDisk, nil, nil, false),
        ] as [(FaultKind, String?, Int?, Bool)])
    func excused(kind: FaultKind, process: String?, machine: Int?, isExcuse: Bool) {
        var history = Self.late { $0.at(5000, "worker-1", .input(id: "k", session: "s", count: 3)) }
        history.fault(kind, at: 4990, to: 9000, process: process, machine: machine)
        #expect(history.broken == (isExcuse ? [] : [.shownTooLate]))
    }

    @Test("A cut that spares new connections excuses the time of a recovery, and the absence of a scene excuses itself")
    func excusedInPart() {
        func broken(isSparing: Bool, at end: UInt64) -> [Promise] {
            var history = History.watched
            if isSparing {
                history.fault(.cutBus, at: 4990, to: 20_000, machine: 2, sparesNew: true)
            } else {
                history.at(5010, "worker-1", .inactive(session: "s", reason: "suspended"))
                history.at(12_000, "worker-1", .active(session: "s", token: 1, count: 2))
            }
            history.ticks(6, at: 5000)
            for watcher in ["client", "plugin"] { history.shows("a", count: 2, tick: 6, at: end, to: watcher) }
            return history.broken
        }
        for isSparing in [true, false] {
            #expect(broken(isSparing: isSparing, at: 18_500) == [])
            #expect(broken(isSparing: isSparing, at: 19_500) == [.shownTooLate, .shownTooLate])
        }
    }
}
