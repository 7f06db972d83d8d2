import Testing

@testable import ChaosHistory

/// Made-up histories in which something is typed into a scene, and kept or lost.
@Suite(.timeLimit(.minutes(5)))
struct TypedTests {
    private typealias History = CheckerTests.History

    /// A history in which 7 was typed and answered, and its worker was killed right after that.
    private static var typed: History {
        var history = History.watched
        history.types(7, at: 4000, stored: 4010, answered: 4020)
        history.fault(.killWorker, at: 4030, to: 5000, process: "worker-1")
        return history
    }

    @Test("What was typed and answered is in the session's next scene, also if its worker is killed right after that")
    func typedAndKept() {
        var history = Self.typed
        history.at(6600, "worker-2", .active(session: "s", token: 2, count: 1, typed: ["client": 7]))
        for watcher in ["client", "plugin"] {
            history.shows("b-6600000000", count: 1, tick: 5, typed: 7, at: 6700, to: watcher)
        }
        history.final(
            sessions: ["s": "worker-2"], observers: ["client", "plugin"], typed: ["s": ["client": 7]])
        let verdict = Checker.verdict(on: history.records)
        #expect(verdict.violations == [])
        #expect(verdict.checked["restored fields"] == 2)
        #expect(verdict.checked["fields in pictures"] == 2)
        #expect(verdict.checked["fields at the end"] == 1)
    }

    @Test("What was typed and answered is lost if a next scene, a picture of it, or the state at the end is without it")
    func typedAndLost() {
        var scene = Self.typed
        scene.at(6600, "worker-2", .active(session: "s", token: 2, count: 1, typed: ["client": 6, "other": 9]))
        #expect(scene.broken == [.typedLost])
        var picture = Self.typed
        picture.at(6600, "worker-2", .active(session: "s", token: 2, count: 1, typed: ["client": 7]))
        picture.shows("b-6600000000", count: 1, tick: 5, typed: 6, at: 6700, to: "client")
        #expect(picture.broken == [.typedLost])
        var end = Self.typed
        end.at(6600, "worker-2", .active(session: "s", token: 2, count: 1, typed: ["client": 7]))
        end.final(at: 9000, sessions: ["s": "worker-2"], typed: ["s": [:]])
        #expect(end.broken == [.typedLost])
    }

    @Test("What was typed without an answer may be lost, and a picture on its way may be without it")
    func typedWithoutAnswer() {
        var history = History.watched
        history.types(7, at: 4000, stored: 4010, answered: nil)
        history.fault(.killWorker, at: 4030, to: 5000, process: "worker-1")
        history.at(6600, "worker-2", .active(session: "s", token: 2, count: 1))
        #expect(history.broken == [])
        var late = History.watched
        late.types(7, at: 4000, stored: 4010, answered: 4020)
        late.shows("a", count: 2, tick: 5, at: 4030, to: "client")
        late.shows("a", count: 2, tick: 5, typed: 7, at: 4040, to: "client")
        #expect(late.broken == [])
        late.shows("a", count: 2, tick: 5, typed: 6, at: 4050, to: "client")
        #expect(late.broken == [.shownBackwards])
    }

    @Test(
        "What was typed is lost with the host only before it is on the disk",
        arguments: [(FaultKind.powerCut, true), (.killHost, true), (.stopHost, false), (.removeStore, false)]
            as [(FaultKind, Bool)])
    func typedBeforeTheHostEnds(kind: FaultKind, endsHost: Bool) {
        func broken(at time: UInt64, diskIsFull: Bool = false) -> [Promise] {
            var history = History.watched
            history.types(7, at: 4000, stored: 4010, answered: 4020)
            if diskIsFull { history.fault(.fullDisk, 2, at: 3000, to: 6000) }
            history.fault(kind, at: time, to: time + 1000, process: "host")
            history.at(time + 10, "worker-1", .inactive(session: "s", reason: "suspended"))
            history.at(time + 3000, "worker-2", .active(session: "s", token: 2, count: 2))
            return history.broken
        }
        #expect(broken(at: 4015) == (endsHost ? [] : [.typedLost]))
        #expect(broken(at: 4100) == (endsHost ? [] : [.typedLost]))
        #expect(broken(at: 6000) == [.typedLost])
        #expect(broken(at: 7000, diskIsFull: true) == (endsHost ? [] : [.typedLost]))
    }
}
