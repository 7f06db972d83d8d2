import Dispatch
import Glibc
import LoopExecutor

/// The main actor's executor, combined with the poll loop of its sockets. Messages are handled on the thread that
/// receives them.
///
/// In a process that runs this loop, `DispatchQueue.main` is never drained. A build without the trait `LoopExecutor`, or by a
/// compiler that is newer than the tested ones, drains it, and waits for messages with a ``WaiterThread``.
///
///     @main struct App { static func main() { MainLoop.run { await work() ? 0 : 1 } } }
public enum MainLoop {
    /// Runs the main actor on this thread, and exits the process when `body` returns.
    ///
    /// Call it first in a synchronous `main`.
    /// - Parameter body: The program. It returns the process's exit code.
    public static func run(_ body: @escaping @MainActor @Sendable () async -> Int32) -> Never {
        let waiter = LoopEventWaiter()
        LoopExecutor.install(waiter)
        Task { @MainActor in exit(await body()) }
        // A build that uses public API alone has no executor of its own.
        guard let executor = LoopExecutor.installed else { dispatchMain() }
        MainActor.assumeIsolated {
            Self.waiter = waiter
            loop(executor, waiter)
        }
        // The type of `assumeIsolated` hides that the loop never ends.
        preconditionFailure("the loop has ended")
    }

    /// Returns the durations of the loop's turns since the last call. The first call starts the measurement.
    @MainActor
    package static func takeTurnTimes() -> TurnTimes {
        // The time of this turn so far belongs to the period that ends now.
        meter?.end()
        defer { meter = TurnMeter() }
        return meter?.times ?? TurnTimes()
    }

    /// Waits for the reactor's events in a process that runs this loop, else `nil`.
    @MainActor private(set) static var waiter: (any EventWaiter)?
    @MainActor private static var meter: TurnMeter?
    /// How often a busy loop looks for events.
    private static let pollInterval = Duration.milliseconds(10)

    @MainActor
    private static func loop(_ executor: LoopExecutor, _ waiter: LoopEventWaiter) -> Never {
        var ready: [Int32] = []
        var lastPoll = MonotonicInstant.now
        while true {
            meter?.begin()
            let hadJobs = executor.runJobs()
            let turn = Reactor.shared.turn(ready: ready)
            ready = []
            meter?.end()
            if hadJobs || turn.worked || executor.hasJobs {
                // Further sources may have events while some keep the loop busy.
                let now = MonotonicInstant.now
                guard now - lastPoll >= pollInterval else { continue }
                lastPoll = now
                ready = waiter.epoll.wait(until: now)
                continue
            }
            ready = waiter.epoll.wait(until: executor.beginWaiting() ? .now : turn.next)
            executor.endWaiting()
        }
    }
}

/// Waits for events in the loop itself.
private final class LoopEventWaiter: EventWaiter, LoopWaiter {
    let epoll = Epoll()

    func watch(_ descriptor: Int32) { epoll.watch(descriptor) }
    func unwatch(_ descriptor: Int32) { epoll.unwatch(descriptor) }
    func wake() { epoll.wake() }
    /// Does nothing: only the loop's own thread calls this, and the loop checks for work before every wait.
    func interrupt() {}
}

/// Resumes continuations of main-actor functions without a detour over other threads, in a process that runs
/// ``MainLoop``.
/// - Parameter body: Resumes continuations that main-actor functions wait for, and does nothing else.
@MainActor
public func resumingOnMainLoop(_ body: () -> Void) { resumingOnLoop(body) }
