import Testing

@testable import Hub

@Suite(.timeLimit(.minutes(1)))
struct DisplacedOperatorsTests {
    @Test func `Of too many processes, the oldest is forgotten, and the others are not`() {
        var displaced = DisplacedOperators(maximumCount: 3)
        for process in 1...4 as ClosedRange<Int32> { displaced.add(process) }
        #expect((1...5).filter { displaced.contains($0) } == [2, 3, 4])
    }

    @Test func `A process that gives up a place again takes no room of others, and is the newest`() {
        var displaced = DisplacedOperators(maximumCount: 3)
        for process in [1, 2, 3, 3, 3, 1] as [Int32] { displaced.add(process) }
        #expect((1...5).filter { displaced.contains($0) } == [1, 2, 3])
        displaced.add(4)
        #expect((1...5).filter { displaced.contains($0) } == [1, 3, 4])
    }
}
