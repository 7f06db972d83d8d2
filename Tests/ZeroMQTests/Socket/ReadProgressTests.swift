import Testing

@testable import ZeroMQ

struct ReadProgressTests {
    private let start = MonotonicInstant.now
    private func time(_ seconds: Int) -> MonotonicInstant { start + .seconds(seconds) }

    @Test func `While no message is left, everything is read`() {
        var progress = ReadProgress(now: time(0))
        progress.received(from: RoutingID([1]), at: time(1))
        progress.emptied(at: time(1))
        #expect(!progress.hasUnread)
        #expect(progress.time(at: time(5)) == time(5))
    }

    @Test func `What has arrived since the socket was empty is not read`() {
        var progress = ReadProgress(now: time(0))
        progress.emptied(at: time(1))
        #expect(progress.time(at: time(5), hasArrivals: true) == time(1))
        #expect(!progress.hasUnread)
    }

    @Test func `While messages are left and nobody had a whole round, only what came before them is read`() {
        var progress = ReadProgress(now: time(0))
        progress.emptied(at: time(1))
        progress.stopped(at: time(2))
        for sender in 1...100 as ClosedRange<UInt8> {
            for _ in 1...3 { progress.received(from: RoutingID([sender]), at: time(10)) }
        }
        progress.stopped(at: time(20))
        #expect(progress.hasUnread)
        #expect(progress.time(at: time(30)) == time(1))
    }

    @Test func `Under permanent load each round shows that the others had their turn`() {
        var progress = ReadProgress(now: time(0))
        progress.stopped(at: time(1))
        for second in 2...20 {
            progress.received(from: RoutingID([1]), at: time(second))
            progress.stopped(at: time(second))
        }
        // Rounds began at 1, 5, 9, 13 and 17.
        #expect(progress.time(at: time(20)) == time(13))
        progress.emptied(at: time(21))
        #expect(progress.time(at: time(22)) == time(22))
        // The next round begins anew.
        progress.stopped(at: time(23))
        for _ in 1...3 { progress.received(from: RoutingID([1]), at: time(24)) }
        #expect(progress.time(at: time(25)) == time(21))
    }
}
