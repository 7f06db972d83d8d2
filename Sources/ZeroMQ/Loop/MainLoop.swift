import CMainLoop
import Glibc
import Synchronization

// This is the only file that uses the concurrency runtime's SPI for executors. Without the SPI every process would have
// to use `WaiterThread`, as tests do.
@_spi(ExperimentalCustomExecutors) import _Concurrency

/// The main actor's executor, combined with the poll loop of its sockets. Messages are handled on the thread that
/// receives them.
///
/// In a process that runs this loop, `DispatchQueue.main` is never drained.
///
///     @main struct App { static func main() { MainLoop.run { try await work() } } }
public enum MainLoop {
    /// Runs the main actor on this thread, and exits the process when `body` returns.
    ///
    /// Call it first in a synchronous `main`.
    /// - Parameter body: The program. It returns the process's exit code.
    public static func run(_ body: @escaping @MainActor @Sendable () async -> Int32) -> Never {
        MainLoopExecutor.install()
        Task { @MainActor in exit(await body()) }
        MainLoopExecutor.shared.loop()
    }

    /// Returns the durations of the loop's turns since the last call. The first call starts the measurement; before
    /// that, no clock is read.
    @MainActor
    package static func takeTurnTimes() -> TurnTimes {
        // The time of this turn so far belongs to the period that ends now.
        MainLoopExecutor.shared.meter?.end()
        defer { MainLoopExecutor.shared.meter = TurnMeter() }
        return MainLoopExecutor.shared.meter?.times ?? TurnTimes()
    }
}

/// The executor behind ``MainLoop``.
final class MainLoopExecutor: Sendable {
    /// The executor in a process that runs ``MainLoop``, else `nil`. It must not be read before `install()`.
    static let installed: MainLoopExecutor? = isInstalled.load(ordering: .acquiring) ? shared : nil
    static let shared = MainLoopExecutor()
    private static let isInstalled = Atomic<Bool>(false)

    private let epoll = Epoll()
    /// Jobs from other threads.
    private let incoming = Mutex<[UnownedJob]>([])
    private let isWaiting = Atomic<Bool>(false)
    // `nonisolated(unsafe)` is safe: they are used only on the loop's thread. Accesses to them cannot overlap, because
    // nothing else is called meanwhile.
    @exclusivity(unchecked) nonisolated(unsafe) fileprivate var jobs: [UnownedJob] = []
    // It is written once, before the executor is installed and other threads can read it.
    nonisolated(unsafe) private var thread: pthread_t = 0
    // Like the jobs, used only on the loop's thread. It calls no other code, so accesses to it cannot overlap.
    @exclusivity(unchecked) nonisolated(unsafe) fileprivate var meter: TurnMeter?

    private init() {}

    static func install() {
        isInstalled.store(true, ordering: .releasing)
        shared.thread = pthread_self()
        _createExecutors(factory: LoopExecutors.self)
        scenebus_install_job_hook()
        scenebus_take_jobs_with { job in
            // The runtime passes a pointer to the job, which is also the only content of an `UnownedJob`.
            MainLoopExecutor.shared.jobs.append(unsafeBitCast(job, to: UnownedJob.self))
        }
    }

    /// Whether jobs of this thread wait for the end of the turn. It is read only on the loop's thread.
    var hasJobs: Bool { !jobs.isEmpty }

    private var isOnThread: Bool { pthread_equal(pthread_self(), thread) != 0 }

    fileprivate func add(_ job: UnownedJob) {
        if isOnThread {
            jobs.append(job)
            return
        }
        incoming.withLock { $0.append(job) }
        if isWaiting.exchange(false, ordering: .acquiringAndReleasing) { epoll.wake() }
    }

    /// How often a busy loop looks for events.
    private static let pollInterval = Duration.milliseconds(10)

    func loop() -> Never {
        let reactor = MainActor.assumeIsolated { Reactor.shared }
        // The isolation is checked once instead of in every turn: from now on this thread is the main actor's. The cast
        // is safe because isolation does not change a function's calling convention.
        let turn = unsafeBitCast(
            { @MainActor in reactor.turn(ready: $0) } as @MainActor ([Int32]) -> Reactor.Result,
            to: (([Int32]) -> Reactor.Result).self)
        var ready: [Int32] = []
        var lastPoll = MonotonicInstant.now
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
            if worked || turn.worked || !jobs.isEmpty {
                // Further sources may have events while some keep the loop busy.
                let now = MonotonicInstant.now
                guard now - lastPoll >= Self.pollInterval else { continue }
                lastPoll = now
                ready = epoll.wait(until: now)
                continue
            }
            isWaiting.store(true, ordering: .sequentiallyConsistent)
            // A job that was added before its thread could see the flag would otherwise wait for the next event.
            let hasIncoming = incoming.withLock { !$0.isEmpty }
            ready = epoll.wait(until: hasIncoming ? .now : turn.next)
            isWaiting.store(false, ordering: .sequentiallyConsistent)
        }
    }
}

extension MainLoopExecutor: EventWaiter {
    func watch(_ descriptor: Int32) { epoll.watch(descriptor) }
    func unwatch(_ descriptor: Int32) { epoll.unwatch(descriptor) }
    /// Does nothing: only the loop's own thread calls this, and the loop checks for work before every wait.
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

/// Resumes continuations of main-actor functions without a detour over the default executor.
///
/// Normally a resumed task is enqueued on the default executor and then hops to its actor, which needlessly involves
/// other threads. A task that is resumed in `body` is enqueued on the loop directly.
/// - Parameter body: Resumes continuations that main-actor functions wait for, and does nothing else.
@MainActor
public func resumingOnMainLoop(_ body: () -> Void) {
    guard MainLoopExecutor.installed != nil else { return body() }
    scenebus_set_taking_jobs(true)
    body()
    scenebus_set_taking_jobs(false)
}

/// Resumes a continuation that a main-actor function waits for, or begins a task, and runs it at once until it suspends
/// or ends.
///
/// `Task.immediate` does that, too, but each hop of such a task takes a lock.
/// - Parameter body: Resumes one continuation or begins one task that is not isolated, and does nothing else.
@MainActor
public func runningAtOnce(_ body: () -> Void) {
    _ = jobHook
    scenebus_catch_job()
    body()
    guard let job = scenebus_caught_job() else { return }
    // The runtime passes a pointer to the job, which is also the only content of an `UnownedJob`.
    unsafeBitCast(job, to: UnownedJob.self).runSynchronously(on: mainExecutor)
}

/// Installs the hook in a process that does not run ``MainLoop``.
private let jobHook: Void = scenebus_install_job_hook()

@MainActor private let mainExecutor =
    MainLoopExecutor.installed?.asUnownedSerialExecutor() ?? MainActor.sharedUnownedExecutor
