import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(1)))
struct LivenessTests {
    private let start = ContinuousClock.now
    private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func `silence beyond two and a half intervals is death`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        #expect(liveness.look(at: at(1)).verdict == .alive)
        #expect(liveness.look(at: at(2.4)).verdict == .alive)
        #expect(liveness.look(at: at(2.6)).verdict == .dead(silent: .seconds(2.6)))
    }

    @Test func `looking exactly when told to never stands still, and finds the silent side dead at the limit`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        var now = at(0)
        for _ in 0..<3 {
            #expect(liveness.nextLook > now)
            now = liveness.nextLook
            if case .dead(let silent) = liveness.look(at: now).verdict {
                #expect(silent == .milliseconds(2500))
                return
            }
        }
        Issue.record("still alive at \(now - start)")
    }

    @Test func `what is heard counts`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        _ = liveness.look(at: at(1))
        liveness.heard(at: at(2))
        #expect(liveness.look(at: at(3)).verdict == .alive)
    }

    @Test func `a heartbeat is due when nothing else was sent for an interval`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        #expect(!liveness.look(at: at(0.9)).sendHeartbeat)
        liveness.sent(at: at(0.9))
        #expect(!liveness.look(at: at(1.5)).sendHeartbeat)
        #expect(liveness.look(at: at(1.95)).sendHeartbeat)
        #expect(!liveness.look(at: at(2)).sendHeartbeat)
    }

    @Test func `a process that stood still itself gives the other side a chance to be heard`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        #expect(liveness.look(at: at(60)).verdict == .alive)
        #expect(liveness.look(at: at(61.1)).verdict != .alive)
    }
}
