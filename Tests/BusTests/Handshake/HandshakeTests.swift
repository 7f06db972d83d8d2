import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(1)))
struct HandshakeTests {
    @Test func `the highest version that both speak is chosen`() {
        let range = { ProtocolVersionRange(min: $0, max: $1) }
        #expect(range(1, 3).highestCommon(with: range(2, 5)) == 3)
        #expect(range(1, 1).highestCommon(with: range(1, 9)) == 1)
        #expect(range(1, 2).highestCommon(with: range(3, 4)) == nil)
        #expect(range(3, 4).highestCommon(with: range(1, 2)) == nil)
    }

    @Test func `a barrier's topic comes last and says link and revision`() {
        let barrier = Barrier(link: 0x0102, known: .max)
        #expect(Barrier(topic: barrier.topic[...]) == barrier)
        #expect(barrier.topic.first == 0xFF)
        #expect(Barrier(topic: barrier.topic.dropLast()) == nil)
        #expect(Barrier(topic: Frame.topic(.delta)[...]) == nil)
    }

    @Test func `deadlines cross in the host's time`() {
        let start = ContinuousClock.now
        let host = HostClock(startedAt: start)
        #expect(host.microseconds(at: start + .milliseconds(5)) == 5000)
        #expect(host.microseconds(at: start - .seconds(1)) == 0)
        let peer = HostClock(clock: 1_000_000, helloSent: start, received: start + .milliseconds(2))
        #expect(peer.microseconds(at: start + .milliseconds(11)) == 1_010_000)
        #expect(peer.instant(of: 1_010_000) == start + .milliseconds(11))
    }

    @Test func `a hostile deadline does not overflow the clock`() {
        let clock = HostClock(startedAt: .now)
        #expect(clock.instant(of: .max) > .now)
        #expect(clock.instant(of: 0) <= .now)
    }
}
