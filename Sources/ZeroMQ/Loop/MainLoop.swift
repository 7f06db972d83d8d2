import CMainLoop
import Glibc
import Synchronization

// The one file that uses the concurrency runtime's SPI for executors. Without it every process would use `WaiterThread`, as
// tests do.
@_spi(ExperimentalCustomExecutors) import _Concurrency

/// The main actor's executor and the poll loop of its sockets, in one: a message that comes in is handled where it arrives.
///
/// Nobody drains `DispatchQueue.main` in a process that runs it.
///
///     @main struct App { static func main() { MainLoop.run { try await work() } } }
public enum MainLoop {
    /// Runs the main actor on this thread, and ends the process when `body` has ended.
    ///
    /// Call it first in a synchronous `main`.
    /// - Parameter body: returns the process's exit code.
    public static func run(_ body: @escaping @MainActor @Sendable () async -> Int32) -> Never {
        MainLoopExecutor.install()
        Task { @MainActor in exit(await body()) }
        MainLoopExecutor.shared.loop()
    }

    /// How long the turns of the loop have taken since this was called last. The first call begins to measure them: until then
    /// nothing looks at a clock.
    @MainActor
    package static func takeTurnTimes() -> TurnTimes {
        // What this turn has taken so far is of the time before.
        MainLoopExecutor.shared.meter?.end()
        defer { MainLoopExecutor.shared.meter = TurnMeter() }
        return MainLoopExecutor.shared.meter?.times ?? TurnTimes()
    }
}

/// The executor behind ``MainLoop``.
final class MainLoopExecutor: Sendable {
    /// Set in a process that runs it, before anything else runs.
    static let installed: MainLoopExecutor? = isInstalled.load(ordering: .acquiring) ? shared : nil
    static let shared = MainLoopExecutor()
    private static let isInstalled = Atomic<Bool>(false)

    private let epoll = Epoll()
    /// Jobs from other threads.
    private let incoming = Mutex<[UnownedJob]>([])
    private let isWaiting = Atomic<Bool>(false)
    // `nonisolated(unsafe)` holds for both: used on the loop's thread only.
    nonisolated(unsafe) fileprivate var jobs: [UnownedJob] = []
    nonisolated(unsafe) private var thread: pthread_t = 0
    // Used on the loop's thread only, as the jobs are. It calls nobody, so that no accesses to it overlap.
    @exclusivity(unchecked) nonisolated(unsafe) fileprivate var meter: TurnMeter?

    private init() {}

    static func install() {
        isInstalled.store(true, ordering: .releasing)
        shared.thread = pthread_self()
        _createExecutors(factory: LoopExecutors.self)
        scenebus_take_jobs_with { job in
            // The runtime's own pointer to a job, which is all that an `UnownedJob` holds.
            MainLoopExecutor.shared.jobs.append(unsafeBitCast(job, to: UnownedJob.self))
        }
    }

    private var isOnThread: Bool { pthread_equal(pthread_self(), thread) != 0 }

    fileprivate func add(_ job: UnownedJob) {
        if isOnThread {
            jobs.append(job)
            return
        }
        incoming.withLock { $0.append(job) }
        if isWaiting.exchange(false, ordering: .acquiringAndReleasing) { epoll.wake() }
    }

    func loop() -> Never {
        let reactor = MainActor.assumeIsolated { Reactor.shared }
        // Asked for once, not in every turn: this thread is the main actor from now on. A function's isolation is no part of
        // how it is called.
        let turn = unsafeBitCast(
            { @MainActor in reactor.turn(ready: $0) } as @MainActor ([Int32]) -> Reactor.Result,
            to: (([Int32]) -> Reactor.Result).self)
        var ready: [Int32] = []
        while true {
            meter?.begin()
            incoming.withLock { incoming in
                if !incoming.isEmpty {
                    jobs += incoming
                    incoming.removeAll(keepingCapacity: true)
                }
            }
            var worked = false
            if !jobs.isEmpty {
                worked = true
                let batch = jobs
                jobs.removeAll(keepingCapacity: true)
                for job in batch { job.runSynchronously(on: asUnownedSerialExecutor()) }
            }
            let turn = turn(ready)
            ready = []
            meter?.end()
            if worked || turn.worked || !jobs.isEmpty { continue }
            isWaiting.store(true, ordering: .sequentiallyConsistent)
            // A job that came before the flag was seen would otherwise wait for the next event.
            let hasIncoming = incoming.withLock { !$0.isEmpty }
            ready = epoll.wait(until: hasIncoming ? .now : turn.next)
            isWaiting.store(false, ordering: .sequentiallyConsistent)
        }
    }
}

extension MainLoopExecutor: EventWaiter {
    func watch(_ descriptor: Int32) { epoll.watch(descriptor) }
    func unwatch(_ descriptor: Int32) { epoll.unwatch(descriptor) }
    /// The loop looks again before every wait, and only the loop's own thread calls this.
    func interrupt() {}
}

extension MainLoopExecutor: MainExecutor {
    func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }
    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
    func checkIsolated() { precondition(isOnThread, "the main actor was not used on its thread") }
    func isIsolatingCurrentContext() -> Bool? { isOnThread }
    func run() throws { loop() }
    func runUntil(_ condition: () -> Bool) throws {
        preconditionFailure("the main loop runs until the process ends")
    }
    func stop() {}
}

private struct LoopExecutors: ExecutorFactory {
    static var mainExecutor: any MainExecutor { MainLoopExecutor.shared }
    static var defaultExecutor: any TaskExecutor { PlatformExecutorFactory.defaultExecutor }
}

/// Resumes continuations of the main actor without a detour over the default executor.
///
/// A task that is resumed is enqueued on the default executor, and only then hops to its actor: two more threads' work for
/// nothing. A task that is resumed in `body` goes straight to the loop.
/// - Parameter body: resumes continuations that main-actor functions wait for, and nothing else.
@MainActor
public func resumingOnMainLoop(_ body: () -> Void) {
    guard MainLoopExecutor.installed != nil else { return body() }
    scenebus_set_taking_jobs(true)
    body()
    scenebus_set_taking_jobs(false)
}
