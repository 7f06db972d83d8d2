import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct LeaseTests {
    private let start = MonotonicInstant.now
    private func at(_ seconds: Double) -> MonotonicInstant { start + .seconds(seconds) }

    @Test func `The lease counts from when the heartbeat was sent, not from when its answer arrived`() {
        var lease = Lease(interval: .seconds(1))
        #expect(lease.isOver(at: at(0)))
        lease.renew(sentAt: at(0))
        #expect(!lease.isOver(at: at(1.99)))
        #expect(lease.isOver(at: at(2)))
    }

    @Test func `A late answer to an older heartbeat does not shorten the lease`() {
        var lease = Lease(interval: .seconds(1))
        lease.renew(sentAt: at(1))
        lease.renew(sentAt: at(0))
        #expect(lease.end == at(3))
    }

    @Test func `The lease expires before the host can declare the worker dead, whatever the delay`() {
        for way in [0.0, 0.3, 0.9] {
            var lease = Lease(interval: .seconds(1))
            var host = Liveness(interval: .seconds(1), now: at(0))
            // The last heartbeat leaves at 1. It takes `way` to arrive, and its answer takes as long to come back.
            host.heard(at: at(1 + way))
            lease.renew(sentAt: at(1))
            var time = 1.0
            while host.look(at: at(time)) == nil { time += 0.25 }
            #expect(lease.isOver(at: at(time - 0.25)), "way \(way)")
        }
    }
}
