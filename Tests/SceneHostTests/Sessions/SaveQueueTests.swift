import Bus
import Testing

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct SaveQueueTests {
    private let start = MonotonicInstant.now
    private var queue = SaveQueue()

    /// Runs a round in which everything succeeds.
    private mutating func round() -> [SaveQueue.Work] {
        var done: [SaveQueue.Work] = []
        guard queue.begin() else { return [] }
        while let work = queue.next() {
            done.append(work)
            _ = queue.succeeded(work)
        }
        return done
    }

    @Test("The first round marks the host as running, and later rounds do not")
    mutating func marks() {
        #expect(!queue.isMarkedRunning)
        let first = round()
        #expect(first == [.markRunning])
        #expect(queue.isMarkedRunning)
        let second = round()
        #expect(second == [])
    }

    @Test("A session is saved once, however often it changes before the round")
    mutating func once() {
        _ = round()
        queue.add("a")
        queue.add("b")
        queue.add("a")
        let written = round()
        #expect(written == [.save(["a", "b"])])
        #expect(queue.isEmpty)
        let again = round()
        #expect(again == [])
    }

    @Test("Only one round runs at a time, and it also saves what changes meanwhile")
    mutating func oneAtATime() {
        _ = round()
        queue.add("a")
        let isBegun = queue.begin()
        #expect(isBegun)
        let first = queue.next()
        #expect(first == .save(["a"]))
        let isBegunAgain = queue.begin()
        #expect(!isBegunAgain)
        queue.add("a")
        _ = queue.succeeded(.save(["a"]))
        let second = queue.next()
        #expect(second == .save(["a"]))
        _ = queue.succeeded(.save(["a"]))
        let last = queue.next()
        #expect(last == nil)
        let isBegunLater = queue.begin()
        #expect(isBegunLater)
    }

    @Test("Many sessions are saved in batches")
    mutating func parts() {
        _ = round()
        for number in 0..<1200 { queue.add("\(number)") }
        let counts = round().map { if case .save(let ids) = $0 { ids.count } else { 0 } }
        #expect(counts == [500, 500, 200])
    }

    @Test("A failed save is kept, ends the round, and is retried after a delay that grows to one second")
    mutating func failure() throws {
        _ = round()
        queue.add("a")
        var waits: [Duration] = []
        for number in 0..<4 {
            let isBegun = queue.begin()
            #expect(isBegun)
            #expect(queue.due == nil)
            let work = queue.next()
            #expect(work == .save(["a"]))
            let isFirst = queue.failed(work, at: start)
            #expect(isFirst == (number == 0))
            #expect(queue.isFailing)
            #expect(!queue.isEmpty)
            let next = queue.next()
            #expect(next == nil)
            waits.append(try #require(queue.due) - start)
        }
        #expect(waits == [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(1)])
        _ = queue.begin()
        let next = queue.next()
        let work = try #require(next)
        let isAgain = queue.succeeded(work)
        #expect(isAgain)
        #expect(!queue.isFailing)
        let end = queue.next()
        #expect(end == nil)
        #expect(queue.due == nil)
    }

    @Test("When marking the store fails, the round still saves, counts as failing, and the next round marks it")
    mutating func unmarked() throws {
        queue.add("a")
        _ = queue.begin()
        let mark = queue.next()
        #expect(mark == .markRunning)
        let isFirst = queue.failed(mark, at: start)
        #expect(isFirst)
        let save = queue.next()
        #expect(save == .save(["a"]))
        let isAgain = queue.succeeded(.save(["a"]))
        #expect(!isAgain)
        #expect(queue.isFailing)
        let end = queue.next()
        #expect(end == nil)
        #expect(queue.due != nil)
        let second = round()
        #expect(second == [.markRunning])
        #expect(!queue.isFailing)
        #expect(queue.due == nil)
    }

    @Test("A session that is being closed is not saved, unless its deletion fails")
    mutating func closing() {
        _ = round()
        queue.beginClosing("a")
        queue.add("a")
        queue.add("b")
        let others = round()
        #expect(others == [.save(["b"])])
        let mayWrite = queue.take("a")
        #expect(!mayWrite)
        // Another close of the same session is pending.
        queue.beginClosing("a")
        queue.endClosing("a", isDeleted: false)
        let none = round()
        #expect(none == [])
        queue.endClosing("a", isDeleted: false)
        let written = round()
        #expect(written == [.save(["a"])])
    }

    @Test("A deleted session is not saved any more")
    mutating func deleted() {
        _ = round()
        queue.add("a")
        queue.beginClosing("a")
        queue.endClosing("a", isDeleted: true)
        let none = round()
        #expect(none == [])
    }

    @Test("The next round does not save what the caller saves itself, unless the caller's save fails")
    mutating func taken() {
        _ = round()
        queue.add("a")
        let mayWrite = queue.take("a")
        #expect(mayWrite)
        let none = round()
        #expect(none == [])
        queue.add("a")
        let isFirst = queue.failed(nil, at: start)
        #expect(isFirst)
        let written = round()
        #expect(written == [.save(["a"])])
    }
}
