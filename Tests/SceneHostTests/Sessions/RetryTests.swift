import Bus
import Testing

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct RetryTests {
    private let start = MonotonicInstant.now
    private let timing = Retry.Timing(first: .seconds(1), maximum: .seconds(30))

    @Test("The delays double up to the maximum, and start over after a success")
    func waits() {
        var retry = Retry()
        #expect(retry.due == nil)
        for wait in [1, 2, 4, 8, 16, 30, 30] {
            retry.failed(at: start, timing)
            #expect(retry.due == start + .seconds(wait))
            retry.begin()
            #expect(retry.due == nil)
        }
        retry.succeeded()
        retry.failed(at: start, timing)
        #expect(retry.due == start + .seconds(1))
    }

    @Test("A thousand failures do not exceed the maximum delay")
    func many() {
        var retry = Retry()
        for _ in 0..<1000 { retry.failed(at: start, timing) }
        #expect(retry.due == start + .seconds(30))
    }
}
