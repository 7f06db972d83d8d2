import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct LivenessTests {
    private let start = ContinuousClock.now
    private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func `silence beyond two and a half intervals is death`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        #expect(liveness.look(at: at(1)) == nil)
        #expect(liveness.look(at: at(2.4)) == nil)
        #expect(liveness.look(at: at(2.6)) == .seconds(2.6))
    }

    @Test func `looking exactly when told to never stands still, and finds the silent side dead at the limit`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        var now = at(0)
        for _ in 0..<3 {
            #expect(liveness.nextLook > now)
            now = liveness.nextLook
            if let silent = liveness.look(at: now) {
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
        #expect(liveness.look(at: at(3)) == nil)
    }

    @Test func `a process that stood still itself gives the other side a chance to be heard`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        #expect(liveness.look(at: at(60)) == nil)
        #expect(liveness.look(at: at(61.1)) != nil)
    }

    @Test func `a process that stood still for little more than an interval does so, too`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        liveness.heard(at: at(0))
        #expect(liveness.look(at: at(0.75)) == nil)
        // The process was stopped from 0.9 to 2.9.
        #expect(liveness.look(at: at(2.9)) == nil)
        liveness.heard(at: at(2.95))
        #expect(liveness.look(at: at(3.15)) == nil)
    }

    @Test func `a process that is slow in each of several turns does so, too`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        #expect(liveness.look(at: at(1.3)) == nil)
        // The process checked in between, but had read nothing.
        #expect(liveness.look(at: at(2.6)) == nil)
        liveness.heard(at: at(2.7))
        // Its earlier delay does not count any more.
        #expect(liveness.look(at: at(3.7)) == nil)
        #expect(liveness.look(at: at(4.7)) == nil)
        #expect(liveness.look(at: at(5.3)) != nil)
    }

    @Test func `a process that reads what came while it stood still, and looks then, finds death at the limit`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        #expect(liveness.look(at: at(1)) == nil)
        liveness.heard(at: at(3))
        for second in [3, 4, 5] { #expect(liveness.look(at: at(Double(second))) == nil) }
        #expect(liveness.look(at: at(5.6)) != nil)
    }

    @Test func `one that is dead is found dead also by a process that is slow again and again`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        #expect(liveness.look(at: at(2.9)) == nil)
        #expect(liveness.look(at: at(5.8)) != nil)
    }
}
