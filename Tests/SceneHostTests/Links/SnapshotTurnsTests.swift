import Testing

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct SnapshotTurnsTests {
    private let start = ContinuousClock.now
    private var turns = SnapshotTurns()

    /// As many as there may be have begun.
    private mutating func fill() {
        for link in 1...UInt64(SnapshotTurns.limit) {
            #expect(turns.mayBegin(link, at: start) == true)
            turns.sentPart(link, at: start)
        }
    }

    @Test mutating func `so many may begin; the others wait, and come in their order`() {
        fill()
        #expect(turns.mayBegin(100, at: start) == false)
        #expect(turns.mayBegin(101, at: start) == false)
        #expect(turns.next(at: start) == nil)
        turns.ended(4)
        #expect(turns.next(at: start) == 100)
        turns.sentPart(100, at: start)
        #expect(turns.next(at: start) == nil)
    }

    @Test mutating func `whoever comes while others wait does not overtake them`() {
        fill()
        #expect(turns.mayBegin(100, at: start) == false)
        turns.ended(1)
        #expect(turns.mayBegin(101, at: start) == false)
        #expect(turns.next(at: start) == 100)
        #expect(turns.next(at: start) == 101)
        #expect(turns.next(at: start) == nil)
    }

    @Test mutating func `one that gets a snapshot may begin another at once`() {
        fill()
        #expect(turns.mayBegin(100, at: start) == false)
        #expect(turns.mayBegin(3, at: start) == true)
    }

    @Test mutating func `whoever pauses lets another begin, and goes on when it asks`() {
        fill()
        #expect(turns.mayBegin(100, at: start) == false)
        let later = start + SnapshotTurns.pause
        for link in 2...UInt64(SnapshotTurns.limit) { turns.sentPart(link, at: later) }
        #expect(turns.next(at: later) == nil)
        #expect(turns.next(at: later + .milliseconds(1)) == 100)
        turns.sentPart(1, at: later)
        turns.sentPart(100, at: later)
        #expect(turns.mayBegin(101, at: later) == false)
    }
}
