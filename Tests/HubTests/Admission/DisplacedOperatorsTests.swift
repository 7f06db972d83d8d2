import Bus
import Testing

@testable import Hub

@Suite(.timeLimit(.minutes(5)))
struct DisplacedOperatorsTests {
    private let start = MonotonicInstant.now

    /// The processes from 1 to 5 whose operators come back when they attach now.
    private func comingBack(_ displaced: DisplacedOperators) -> [Int32] {
        (1...5).filter { displaced.comesBack(.process($0), at: start) }
    }

    @Test func `Of too many processes, the oldest is forgotten, and the others are not`() {
        var displaced = DisplacedOperators(maximumCount: 3)
        for process in 1...4 as ClosedRange<Int32> { displaced.add(.process(process), at: start) }
        #expect(comingBack(displaced) == [2, 3, 4])
    }

    @Test func `A process that gives up a place again takes no room of others, and is the newest`() {
        var displaced = DisplacedOperators(maximumCount: 3)
        for process in [1, 2, 3, 3, 3, 1] as [Int32] { displaced.add(.process(process), at: start) }
        #expect(comingBack(displaced) == [1, 2, 3])
        displaced.add(.process(4), at: start)
        #expect(comingBack(displaced) == [1, 3, 4])
    }

    @Test func `An operator comes back only soon after the last one of its process gave up its place`() {
        var displaced = DisplacedOperators()
        displaced.add(.process(1), at: start)
        let soon = start + DisplacedOperators.comeBackTime
        #expect(displaced.comesBack(.process(1), at: soon))
        #expect(!displaced.comesBack(.process(1), at: soon + .milliseconds(1)))
        #expect(!displaced.comesBack(.process(2), at: start))
        displaced.add(.process(1), at: soon)
        #expect(displaced.comesBack(.process(1), at: soon + .milliseconds(1)))
    }
}
