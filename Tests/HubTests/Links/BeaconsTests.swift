import Bus
import Testing

@testable import Hub

@Suite(.timeLimit(.minutes(5)))
struct BeaconsTests {
    private let start = MonotonicInstant.now

    @Test func `A beacon is due at each interval`() {
        var beacons = Beacons(interval: .seconds(1), now: start)
        beacons.sent(at: start)
        #expect(beacons.due == start + .seconds(1))
    }

    @Test func `A new subscriber gets a beacon soon, and only one`() {
        var beacons = Beacons(interval: .seconds(1), now: start)
        beacons.sent(at: start)
        beacons.subscribed(among: 1)
        #expect(beacons.due == start + .milliseconds(5))
        beacons.sent(at: start + .milliseconds(5))
        #expect(beacons.due == start + .milliseconds(1005))
    }

    @Test func `Many subscribers share a beacon, because each beacon goes to all`() {
        var beacons = Beacons(interval: .seconds(1), now: start)
        beacons.sent(at: start)
        for count in 1...1000 { beacons.subscribed(among: count) }
        #expect(beacons.due == start + .milliseconds(100))
        // However many there are, none waits so long that it starts over.
        beacons.subscribed(among: 100_000)
        #expect(beacons.due == start + .milliseconds(500))
    }
}
