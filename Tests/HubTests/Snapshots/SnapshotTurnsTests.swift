import Bus
@testable import Hub
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SnapshotTurnsTests {
    private let start = MonotonicInstant.now
    private var turns = SnapshotTurns()
    private var parts: [UInt64: UInt64] = [:]
    private let one = PeerOwner.process(1)
    private let other = PeerOwner.process(2)

    /// Sends a part that was not sent before.
    private mutating func sendPart(to link: UInt64, of owner: PeerOwner? = nil, at now: MonotonicInstant) {
        parts[link, default: 0] += 1
        turns.sent(part: parts[link] ?? 0, to: link, of: owner ?? one, at: now)
    }

    /// Begins as many snapshots as are allowed at a time.
    private mutating func fill() {
        for link in 1...UInt64(SnapshotTurns.limit) {
            #expect(turns.mayBegin(link, of: one, at: start) == true)
            sendPart(to: link, at: start)
        }
    }

    @Test mutating func `A limited number of snapshots may begin, and other links wait in order`() {
        fill()
        #expect(turns.mayBegin(100, of: one, at: start) == false)
        #expect(turns.mayBegin(101, of: one, at: start) == false)
        #expect(turns.next(at: start) == nil)
        turns.ended(4)
        #expect(turns.next(at: start) == 100)
        sendPart(to: 100, at: start)
        #expect(turns.next(at: start) == nil)
    }

    @Test mutating func `A link that asks twice waits once, and can wait again after its turn`() {
        fill()
        for link in [100, 100, 101, 100] as [UInt64] { #expect(turns.mayBegin(link, of: one, at: start) == false) }
        for link in 1...3 as ClosedRange<UInt64> { turns.ended(link) }
        #expect(turns.next(at: start) == 100)
        #expect(turns.next(at: start) == 101)
        #expect(turns.next(at: start) == nil)
        fill()
        #expect(turns.mayBegin(100, of: one, at: start) == false)
        turns.ended(4)
        #expect(turns.next(at: start) == 100)
    }

    @Test mutating func `A link that asks while others wait does not overtake them`() {
        fill()
        #expect(turns.mayBegin(100, of: one, at: start) == false)
        turns.ended(1)
        #expect(turns.mayBegin(101, of: one, at: start) == false)
        #expect(turns.next(at: start) == 100)
        #expect(turns.next(at: start) == 101)
        #expect(turns.next(at: start) == nil)
    }

    @Test mutating func `A link that receives a snapshot may begin another at once`() {
        fill()
        #expect(turns.mayBegin(100, of: one, at: start) == false)
        #expect(turns.mayBegin(3, of: one, at: start) == true)
    }

    @Test mutating func `A link that pauses lets another begin, and continues when it asks`() {
        fill()
        #expect(turns.mayBegin(100, of: one, at: start) == false)
        let later = start + turns.pause
        for link in 2...UInt64(SnapshotTurns.limit) { sendPart(to: link, at: later) }
        #expect(turns.next(at: later) == nil)
        #expect(turns.next(at: later + .milliseconds(1)) == 100)
        sendPart(to: 1, at: later)
        sendPart(to: 100, at: later)
        #expect(turns.mayBegin(101, of: one, at: later) == false)
    }

    @Test mutating func `A part that is sent again and again does not make others wait`() {
        fill()
        #expect(turns.mayBegin(100, of: one, at: start) == false)
        let later = start + turns.pause + .milliseconds(1)
        for link in 1...UInt64(SnapshotTurns.limit) { turns.sent(part: 1, to: link, of: one, at: later) }
        #expect(turns.next(at: later) == 100)
    }

    @Test mutating func `Links that read slowly make others wait for some seconds, and not for their whole snapshots`()
    {
        fill()
        #expect(turns.mayBegin(100, of: one, at: start) == false)
        for second in 1...4 {
            for link in 1...UInt64(SnapshotTurns.limit) { sendPart(to: link, at: start + .seconds(second)) }
            #expect(turns.next(at: start + .seconds(second)) == nil)
        }
        #expect(turns.next(at: start + .seconds(4) + .milliseconds(1)) == 100)
        #expect(turns.takeDropped(at: start + .seconds(5)) == [])
    }

    @Test mutating func `The number of links that receive a snapshot is bounded; the slowest begins anew`() {
        for link in 1...UInt64(SnapshotTurns.maximumActive) {
            sendPart(to: link, at: start + .milliseconds(Int(link)))
        }
        #expect(turns.takeDropped(at: start + .seconds(1)) == [])
        sendPart(to: 100, at: start + .seconds(1))
        #expect(turns.takeDropped(at: start + .seconds(1)) == [1])
        #expect(turns.takeDropped(at: start + .seconds(1)) == [])
        // All have stopped.
        #expect(turns.takeDropped(at: start + .seconds(31)).count == SnapshotTurns.maximumActive)
    }

    @Test mutating func `The links of a process that ask first do not make the link of another wait for all of them`() {
        fill()
        for link in 100...102 as ClosedRange<UInt64> { #expect(turns.mayBegin(link, of: one, at: start) == false) }
        #expect(turns.mayBegin(200, of: other, at: start) == false)
        for link in 1...4 as ClosedRange<UInt64> { turns.ended(link) }
        #expect(turns.next(at: start) == 100)
        #expect(turns.next(at: start) == 200)
        #expect(turns.next(at: start) == 101)
        #expect(turns.next(at: start) == 102)
        #expect(turns.next(at: start) == nil)
    }

    @Test mutating func `Links that go ahead leave half of the room to those that wait`() {
        for link in 1...24 as ClosedRange<UInt64> {
            turns.sent(part: 0, to: link, of: one, isAhead: true, at: start)
        }
        for link in 100..<100 + UInt64(SnapshotTurns.limit / 2) {
            #expect(turns.mayBegin(link, of: other, at: start) == true)
            sendPart(to: link, of: other, at: start)
        }
        #expect(turns.mayBegin(200, of: other, at: start) == false)
        // Going on does not make it one that waited.
        for link in 1...24 as ClosedRange<UInt64> { turns.sent(part: 1, to: link, of: one, at: start) }
        turns.ended(100)
        #expect(turns.next(at: start) == 200)
    }

    @Test mutating func `The links of one process do not end the turn of another's, however long that takes`() {
        sendPart(to: 200, of: other, at: start)
        for link in 1..<UInt64(SnapshotTurns.maximumActive) {
            sendPart(to: link, at: start + .milliseconds(Int(link)))
        }
        // It goes on, and another one has not gone on for longer.
        sendPart(to: 1, at: start + .seconds(1))
        sendPart(to: 100, at: start + .seconds(2))
        sendPart(to: 101, at: start + .seconds(2))
        #expect(turns.takeDropped(at: start + .seconds(2)) == [2, 3])
    }
}
