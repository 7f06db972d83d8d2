import Bus
import Testing

@testable import Hub

struct BacklogTests {
    private let start = MonotonicInstant.now
    private var backlog: Backlog { Backlog(heartbeat: .seconds(1), now: start) }

    @Test("A hub whose timer fires late twice in a row is behind, for half a heartbeat")
    func late() {
        var backlog = backlog
        for second in [1.0, 2] {
            let due = backlog.nextTick(at: start + .seconds(second))
            #expect(!backlog.isBehind(at: due))
            _ = backlog.tick(at: due + .milliseconds(251))
        }
        let last = start + .milliseconds(2501)
        #expect(backlog.isBehind(at: last))
        #expect(backlog.isBehind(at: last + .milliseconds(499)))
        #expect(!backlog.isBehind(at: last + .milliseconds(500)))
    }

    @Test("One late tick, or ticks that are a little late, are no backlog")
    func onTime() {
        var backlog = backlog
        for (second, delay) in [(1.0, 0), (2, 10_000), (13, 250), (14, 250), (15, 300), (16, 0), (17, 300)] {
            let due = backlog.nextTick(at: start + .seconds(second))
            _ = backlog.tick(at: due + .milliseconds(delay))
            #expect(!backlog.isBehind(at: due + .milliseconds(delay)))
        }
    }

    @Test("A hub that ticks a heartbeat late stood still")
    func stoodStill() {
        var backlog = backlog
        let due = backlog.nextTick(at: start)
        #expect(due == start + .milliseconds(250))
        let atOnce = backlog.tick(at: due + .seconds(1))
        #expect(!atOnce)
        let late = backlog.tick(at: due + .milliseconds(1001))
        #expect(late)
    }
}
