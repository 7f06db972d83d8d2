import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct LivenessTests {
    private let start = MonotonicInstant.now
    private func at(_ seconds: Double) -> MonotonicInstant { start + .seconds(seconds) }

    @Test func `A peer that is silent for more than two and a half intervals is dead`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        #expect(liveness.look(at: at(1)) == nil)
        #expect(liveness.look(at: at(2.4)) == nil)
        #expect(liveness.look(at: at(2.6)) == .milliseconds(2600))
    }

    @Test func `Checking exactly at the requested times detects a silent peer at the limit`() {
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

    @Test func `A received message resets the silence`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        _ = liveness.look(at: at(1))
        liveness.heard(at: at(2))
        #expect(liveness.look(at: at(3)) == nil)
    }

    @Test func `A process that was stopped gives its peer another chance before declaring it dead`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        #expect(liveness.look(at: at(60)) == nil)
        #expect(liveness.look(at: at(61.1)) != nil)
    }

    @Test func `A pause of little more than one interval is not counted against the peer`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        liveness.heard(at: at(0))
        #expect(liveness.look(at: at(0.75)) == nil)
        // The process was stopped from 0.9 to 2.9.
        #expect(liveness.look(at: at(2.9)) == nil)
        liveness.heard(at: at(2.95))
        #expect(liveness.look(at: at(3.15)) == nil)
    }

    @Test func `Short pauses in several turns are not counted against the peer`() {
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

    @Test func `After a pause whose backlog has been read, the usual limit applies`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        #expect(liveness.look(at: at(1)) == nil)
        liveness.heard(at: at(3))
        for second in [3, 4, 5] { #expect(liveness.look(at: at(Double(second))) == nil) }
        #expect(liveness.look(at: at(5.6)) != nil)
    }

    @Test func `A peer that has not spoken between two long pauses, as it was stopped, too, is not dead`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        #expect(liveness.look(at: at(3)) == nil)
        #expect(liveness.look(at: at(5.7)) == nil)
        liveness.heard(at: at(5.8))
        #expect(liveness.look(at: at(8.2)) == nil)
    }

    @Test func `A dead peer is detected even by a process that pauses repeatedly`() {
        var liveness = Liveness(interval: .seconds(1), now: at(0))
        #expect(liveness.look(at: at(2.9)) == nil)
        #expect(liveness.look(at: at(5.8)) == nil)
        #expect(liveness.look(at: at(8.7)) != nil)
    }
}
