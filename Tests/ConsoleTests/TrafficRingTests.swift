import ConsoleModel
import ConsolePages
import Testing

/// The rates of messages in the last hour.
@Suite(.timeLimit(.minutes(5)))
struct TrafficRingTests {
    private func sample(_ count: UInt64, epoch: UInt64 = 1, lost: UInt64 = 0) -> TrafficRing.Sample {
        TrafficRing.Sample(epoch: epoch, received: count, sent: 2 * count, lost: lost)
    }

    @Test("A rate is the difference of two samples, without the requests for them")
    func rates() throws {
        var ring = TrafficRing()
        ring.add(sample(100), at: 0)
        #expect(ring.picture(at: 0).points.isEmpty)
        ring.add(sample(151, lost: 10), at: 5)
        let point = try #require(ring.picture(at: 5).points.first)
        #expect(point.received == 10 && point.sent == 20.2 && point.lost == 2)
    }

    @Test("A host that is idle but for the samples has no messages")
    func idle() {
        var ring = TrafficRing()
        for number in 0..<10 {
            let count = UInt64(number)
            ring.add(.init(epoch: 1, received: count, sent: count, lost: 0), at: 5 * Double(number))
        }
        #expect(ring.picture(at: 45).points.allSatisfy { $0.received == 0 && $0.sent == 0 })
    }

    @Test("A host that was started again, counters that became less and long silence leave gaps, never a negative rate")
    func resets() {
        var ring = TrafficRing()
        ring.add(sample(1000), at: 0)
        ring.add(sample(10, epoch: 2), at: 5)
        ring.add(sample(5, epoch: 2), at: 10)
        ring.add(sample(500, epoch: 2), at: 100)
        ring.add(sample(500, epoch: 2), at: 99)
        #expect(ring.count == 0)
        ring.add(sample(600, epoch: 2), at: 104)
        let points = ring.picture(at: 104).points
        #expect(points.count == 1 && points.allSatisfy { $0.received > 0 })
    }

    @Test("The ring keeps one hour, however long it runs")
    func bounded() {
        var ring = TrafficRing()
        for number in 0..<5000 { ring.add(sample(UInt64(number * 6)), at: 5 * Double(number)) }
        #expect(ring.count == TrafficRing.capacity)
        let picture = ring.picture(at: 5 * 4999)
        #expect(picture.points.count == picture.spans && picture.spans == 120)
        #expect(picture.points.allSatisfy { abs($0.received - 1) < 0.001 })
        #expect(picture.points.map(\.span) == Array((picture.last - 119)...picture.last))
        #expect(ring.picture(at: 5 * 4999 + 4000).points.isEmpty)
    }
}
