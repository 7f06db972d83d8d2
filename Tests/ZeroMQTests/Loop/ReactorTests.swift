import Testing

@testable import ZeroMQ

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ReactorTests {
    private final class Source: EventSource {
        nonisolated let descriptor: Int32 = -1
        var isDirty = false
        private(set) var drains = 0
        var onDrain: @MainActor () -> HandledEvents = { .nothing }

        func drain() -> HandledEvents {
            drains += 1
            return onDrain()
        }
    }

    @Test func `A source is drained once in a turn, whoever sends over it meanwhile`() {
        let reactor = Reactor.shared
        let (first, second) = (Source(), Source())
        first.onDrain = {
            reactor.markDirty(first)
            return first.drains < 4 ? .some : .nothing
        }
        second.onDrain = {
            reactor.markDirty(first)
            reactor.markDirty(second)
            return second.drains < 4 ? .some : .nothing
        }
        reactor.markDirty(first)
        reactor.markDirty(second)
        for turn in 1...4 {
            _ = reactor.turn(ready: [])
            #expect(first.drains == turn)
            #expect(second.drains == turn)
        }
        // The second source has marked the first one in the last of these turns.
        _ = reactor.turn(ready: [])
        #expect(first.drains == 5)
        #expect(second.drains == 4)
        first.onDrain = { .nothing }
        _ = reactor.turn(ready: [])
        #expect(first.drains == 5)
        #expect(!first.isDirty)
    }
}
