import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct PublisherWatchTests {
    private let start = MonotonicInstant.now
    private func at(_ seconds: Double) -> MonotonicInstant { start + .seconds(seconds) }

    /// Looks at the times that the watch asks for, until it finds something.
    private func nextFinding(of watch: inout PublisherWatch) -> PublisherWatch.Finding? {
        for _ in 0..<8 {
            if let finding = watch.look(at: watch.nextLook) { return finding }
        }
        return nil
    }

    @Test("A silent publisher is subscribed to again once, and then counts as lost")
    func silent() {
        var watch = PublisherWatch(interval: .seconds(1), now: at(0))
        #expect(watch.look(at: at(2)) == nil)
        #expect(nextFinding(of: &watch) == .subscribeAgain)
        #expect(nextFinding(of: &watch) == .silent(.milliseconds(2500)))
    }

    @Test("What arrives after the new subscription lets the next silence subscribe again")
    func heard() {
        var watch = PublisherWatch(interval: .seconds(1), now: at(0))
        #expect(nextFinding(of: &watch) == .subscribeAgain)
        watch.heard(at: at(5))
        #expect(watch.look(at: at(6)) == nil)
        #expect(nextFinding(of: &watch) == .subscribeAgain)
    }
}
