import Glibc
import TestKit
import Testing
import ZeroMQ

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct MainLoopTests {
    @Test func `The main loop wakes for jobs, sees events while busy, and continues tasks in order`() async throws {
        let outcome = try await BuiltProgram.run("main-loop-probe")
        #expect(outcome.code == 0, "\(outcome.error)")
    }

    @Test func `Turn times cover only the time since they were last taken`() {
        _ = MainLoop.takeTurnTimes()
        work(for: .milliseconds(20))
        let first = MainLoop.takeTurnTimes()
        let second = MainLoop.takeTurnTimes()
        #expect(first.longestProcessor >= .milliseconds(20))
        #expect(first.processor >= .milliseconds(20))
        #expect(second.longestProcessor < first.longestProcessor)
        #expect(second.processor < first.processor)
    }

    /// Uses the processor for some time. Processor time passes only while this thread runs, even on a busy machine.
    private func work(for duration: Duration) {
        func used() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        let end = used() + duration
        while used() < end {}
    }
}
