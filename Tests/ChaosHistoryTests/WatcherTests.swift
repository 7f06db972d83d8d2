import Testing

@testable import ChaosHistory

/// For each promise to those who watch scenes a made-up history that breaks it, and one that keeps it.
@Suite(.timeLimit(.minutes(5)))
struct WatcherTests {
    private typealias History = CheckerTests.History

    /// A history with a scene that has counted two inputs, of which two watchers are shown both.
    private static var watched: History {
        var history = History()
        history.at(300, "client", .opened(session: "s"))
        history.at(310, "worker-1", .active(session: "s", token: 1, count: 0))
        for watcher in ["client", "plugin"] { history.at(350, watcher, .watching(session: "s")) }
        history.at(400, "worker-1", .input(id: "i", session: "s", count: 1))
        history.ticks(5, at: 500)
        history.at(3900, "worker-1", .input(id: "j", session: "s", count: 2))
        for watcher in ["client", "plugin"] {
            history.shows("a", count: 1, tick: 4, at: 410, to: watcher)
            history.shows("a", count: 1, tick: 5, at: 510, to: watcher)
            history.shows("a", count: 2, tick: 5, at: 3910, to: watcher)
        }
        return history
    }

    fileprivate static func tick(_ value: Int) -> Counter { Counter(life: 1, value: value) }

    @Test(
        "A next scene may be shown with less, if the last input had no time to be stored, and a host that is away is no end"
    )
    func clean() {
        var history = Self.watched
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
        var count = Self.watched
        count.shows("a", count: 1, tick: 5, at: 4000, to: "client")
        #expect(count.broken == [.shownBackwards])
        var entry = Self.watched
        entry.shows("a", count: 2, tick: 4, at: 4000, to: "client")
        entry.shows("a", count: 2, tick: 5, at: 4100, to: "client")
        #expect(entry.broken == [.shownBackwards])
        var late = Self.watched
        late.at(4000, "worker-2", .watching(session: "s"))
        late.shows("a", count: 1, tick: 4, at: 4010, to: "worker-2")
        #expect(late.broken == [])
    }

    @Test("A picture that goes backwards after a new watch of the same process counts, too")
    func backwardsInNextWatch() {
        var history = Self.watched
        history.at(4000, "client", .watching(session: "s"))
        history.shows("a", count: 1, tick: 5, at: 4010, to: "client")
        #expect(history.broken == [.shownBackwards])
    }

    @Test("A scene is not shown again after the session's next one")
    func again() {
        var history = Self.watched
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
            var history = Self.watched
            change(&history)
            history.final(sessions: [session: worker], observers: ["client", "plugin"])
            // The session has no scene, or is gone, which other checks tell.
            return history.broken.filter { $0 != .sessionLost && $0 != .sessionWithoutScene }
        }
        let expected: [Promise] = session == "s" ? [.lastStateNotShown] : []
        #expect(broken { _ in } == [])
        #expect(broken { $0.at(5000, "worker-1", .input(id: "k", session: "s", count: 3)) } == expected + expected)
        #expect(broken { $0.ticks(6, at: 5000) } == expected + expected)
        #expect(broken { $0.shows("a", count: 2, tick: 5, isLive: false, at: 5000, to: "client") } == expected)
        #expect(broken { $0.shows("a", count: 3, tick: 5, at: 5000, to: "client") } == expected)
    }

    @Test("A watcher that is shown nothing misses the last state, unless it has ended")
    func nothing() {
        var history = Self.watched
        history.at(5000, "worker-2", .watching(session: "s"))
        var ended = history
        history.final(sessions: ["s": "worker-1"], observers: ["client", "plugin", "worker-2"])
        #expect(history.broken == [.lastStateNotShown])
        ended.final(sessions: ["s": "worker-1"], observers: ["client", "plugin"])
        #expect(ended.broken == [])
    }

    @Test("A watch ends only with its session", arguments: [true, false])
    func ends(isClosed: Bool) {
        var history = Self.watched
        if isClosed { history.at(4000, "plugin", .closing(session: "s")) }
        history.at(4100, "client", .unwatched(session: "s", reason: "unknownSession"))
        #expect(history.broken == (isClosed ? [] : [.watchEnded]))
    }

    @Test("An action that a watched scene counts twice took effect twice")
    func twice() {
        var history = Self.watched
        history.request("k", .input, at: 4900, answer: (5020, .reply))
        history.at(5000, "worker-1", .input(id: "k", session: "s", count: 3))
        #expect(history.broken == [])
        history.at(5010, "worker-1", .input(id: "k", session: "s", count: 4))
        #expect(history.broken == [.tookEffectTwice])
    }
}

extension CheckerTests.History {
    /// Sets the entry, which all processes receive.
    fileprivate mutating func ticks(_ value: Int, at time: UInt64) {
        at(time, "plugin", .set(entry: "tick", value: WatcherTests.tick(value)))
        for process in ["client", "plugin", "worker-1", "worker-2"] {
            at(time + 1, process, .saw(entry: "tick", value: WatcherTests.tick(value)))
        }
    }

    fileprivate mutating func shows(
        _ scene: String, count: Int, tick: Int, isLive: Bool = true, at time: UInt64, to watcher: String
    ) {
        let picture = ShownPicture(
            scene: scene, count: count, values: ["tick": WatcherTests.tick(tick)], isLive: isLive)
        at(time, watcher, .shown(session: "s", picture: picture))
    }
}
