import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct RequestsByDeadlineTests {
    private let start = MonotonicInstant.now

    @Test func `Each request ends once`() {
        var pending = RequestsByDeadline<String>()
        let id = pending.add("a", deadline: start + .seconds(1))
        #expect(pending.remove(id) == "a")
        #expect(pending.remove(id) == nil)
        #expect(pending.nextDeadline == nil)
    }

    @Test func `Only requests whose deadline has passed expire`() {
        var pending = RequestsByDeadline<String>()
        _ = pending.add("late", deadline: start + .seconds(5))
        _ = pending.add("soon", deadline: start + .seconds(1))
        #expect(pending.nextDeadline == start + .seconds(1))
        #expect(pending.removeExpired(at: start).isEmpty)
        #expect(pending.removeExpired(at: start + .seconds(1)).map(\.waiter) == ["soon"])
        #expect(pending.nextDeadline == start + .seconds(5))
    }

    @Test func `Requests that meet a condition are removed in the order in which they were added`() {
        var pending = RequestsByDeadline<Int>()
        for number in 0..<10 { _ = pending.add(number, deadline: start) }
        #expect(pending.removeAll { $0 % 2 == 0 } == [0, 2, 4, 6, 8])
        #expect(pending.count == 5)
    }
}
