import Bus
@testable import Hub
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HandlerExpectationTests {
    private typealias Unclaimed = HandlerExpectation.Unclaimed
    private let start = MonotonicInstant.now

    @Test func `In a first life, only handlers of own plugins and of repeated requests are expected`() {
        let expectation = HandlerExpectation(opening: start, isLaterLife: false)
        #expect(expectation.end(for: Unclaimed()) == nil)
        #expect(expectation.end(for: Unclaimed(isPlugins: true)) == start + .seconds(10))
        #expect(expectation.end(for: Unclaimed(isCopy: true)) == start + .seconds(5))
        #expect(expectation.end == start + .seconds(10))
    }

    @Test func `In a later life, a handler is expected for every request that the host does not handle`() {
        let expectation = HandlerExpectation(opening: start, isLaterLife: true)
        #expect(expectation.end(for: Unclaimed()) == start + .seconds(5))
        #expect(expectation.end(for: Unclaimed(isKnown: true)) == nil)
        #expect(expectation.end(for: Unclaimed(isKnown: true, isCopy: true)) == nil)
        // Plugins precede the host's own chain.
        #expect(
            expectation.end(for: Unclaimed(isKnown: true, isPlugins: true)) == start + .seconds(10))
    }

    @Test func `During shutdown, only requests that the host does not handle itself wait`() throws {
        var expectation = HandlerExpectation(opening: start, isLaterLife: false)
        expectation.ends(at: start + .seconds(100))
        #expect(expectation.isEnding)
        #expect(try #require(expectation.end(for: Unclaimed())) > start + .seconds(86_400))
        #expect(expectation.end(for: Unclaimed(isKnown: true, isPlugins: true)) == nil)
    }

    @Test func `A request needs a check only when a handler may be expected`() {
        let end = start + .seconds(10)
        var first = HandlerExpectation(opening: start, isLaterLife: false, startsPlugins: false)
        #expect(!first.isPossible(isCopy: false, at: start))
        #expect(first.isPossible(isCopy: true, at: start))
        first.ends(at: end)
        #expect(first.isPossible(isCopy: false, at: end))
        for expectation in [
            HandlerExpectation(opening: start, isLaterLife: true, startsPlugins: false),
            HandlerExpectation(opening: start, isLaterLife: false, startsPlugins: true),
        ] {
            #expect(expectation.isPossible(isCopy: false, at: start))
            #expect(!expectation.isPossible(isCopy: true, at: end))
        }
    }
}
