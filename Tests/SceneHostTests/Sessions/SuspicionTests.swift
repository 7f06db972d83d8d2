import Bus
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
        #expect(suspicion.disprove(SessionTable.Moment.act(long)))
        // A character that is cut becomes a sign that is a little longer.
        let wide = SessionTable.Moment.act("xx" + String(repeating: "\u{1F600}", count: 1000))
        #expect(wide.utf8.count <= Suspicion.maximumMoment + 3)
        suspicion.add([wide])
        #expect(suspicion.disprove(wide))
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
}
