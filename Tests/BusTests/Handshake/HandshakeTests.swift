import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct HandshakeTests {
    @Test func `The highest version that both sides support is chosen`() {
        let range = { ProtocolVersionRange(min: $0, max: $1) }
        #expect(range(1, 3).highestCommon(with: range(2, 5)) == 3)
        #expect(range(1, 1).highestCommon(with: range(1, 9)) == 1)
        #expect(range(1, 2).highestCommon(with: range(3, 4)) == nil)
        #expect(range(3, 4).highestCommon(with: range(1, 2)) == nil)
    }

    @Test func `Deadlines are converted to and from the host's clock`() {
        let start = MonotonicInstant.now
        let host = HostClock(startedAt: start)
        #expect(host.microseconds(at: start + .milliseconds(5)) == 5000)
        #expect(host.microseconds(at: start - .seconds(1)) == 0)
        let peer = HostClock(clock: 1_000_000, asked: start, received: start + .milliseconds(2))
        #expect(peer.microseconds(at: start + .milliseconds(11)) == 1_011_000)
        #expect(peer.instant(of: 1_010_000) == start + .milliseconds(12))
    }

    @Test(arguments: [0, 1000, 2000])
    func `No deadline expires early, whichever of hello and welcome was delayed`(waited: Int) {
        let start = MonotonicInstant.now
        // The host's clock starts with the hello and shows this value when the host sends the welcome. The welcome
        // takes the rest of the two seconds.
        let peer = HostClock(
            clock: UInt64(waited) * 1000, asked: start, received: start + .milliseconds(2000))
        let host = HostClock(startedAt: start)
        let deadline = start + .seconds(3)
        #expect(host.instant(of: peer.microseconds(at: deadline)) >= deadline)
        #expect(peer.instant(of: host.microseconds(at: deadline)) >= deadline)
    }

    @Test(arguments: [UInt64.max, UInt64.max - 1, 1 << 63, 1 << 63 - 1, 1 << 62, 1, 0] as [UInt64])
    func `A hostile clock value neither overflows nor runs backwards`(number: UInt64) {
        let start = MonotonicInstant.now
        let peer = HostClock(clock: number, asked: start, received: start + .milliseconds(2))
        #expect(peer.microseconds(at: start + .seconds(1)) >= number)
        #expect(peer.microseconds(at: start - .seconds(1)) <= number)
        #expect(peer.instant(of: .max) >= start)
        #expect(peer.instant(of: 0) <= start + .milliseconds(2))
        let host = HostClock(startedAt: start)
        #expect(host.microseconds(at: host.instant(of: number)) <= number)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(1e15), .milliseconds(Int64.max)])
    func `A very long timeout becomes a deadline in the far future`(timeout: Duration) {
        let start = MonotonicInstant.now
        let clock = HostClock(clock: 7, asked: start, received: start)
        let centuries = UInt64(200 * 365 * 86_400) * 1_000_000
        #expect(clock.microseconds(at: start + timeout) > centuries)
        #expect(clock.microseconds(at: start - timeout) == 0)
    }

    @Test func `A hostile deadline does not overflow the clock`() {
        let clock = HostClock(startedAt: .now)
        #expect(clock.instant(of: .max) > .now)
        #expect(clock.instant(of: 0) <= .now)
    }
}
