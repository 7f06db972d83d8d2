// This target and `CJobs` below it hold everything in the product that relies on more than Swift promises of its runtime. It is
// tested with the compilers up to 6.3. With a newer one, and without the package's trait `LoopExecutor`
// (`--disable-default-traits`), nothing is ever installed, and a process uses public API alone: see `MainLoop` and
// `WaiterThread`. A runtime that lacks a part of it ends the process at its start: it is another one than the compiler's,
// and nothing about it is tested.
//
// 1. An executor can take the main actor's place: `MainExecutor`, `ExecutorFactory`, `PlatformExecutorFactory`,
//    `_createExecutors` and `MainActor.executor`.
//    Written in: stdlib/public/Concurrency/Executor.swift, ExecutorImpl.swift and PlatformExecutorLinux.swift.
//    If it is no longer true: it does not compile, or the process ends at its start.
//    It saves two switches of threads each time that a process wakes to read messages.
// 2. The runtime asks a hook about jobs for the default executor, by Swift's calling convention.
//    Written in: include/swift/Runtime/Concurrency.h.
//    If it is no longer true: the process ends at its start if there is no hook; `MainLoopTests` fails if it is not asked, or
//    is called in another way.
//    It saves two switches of threads for each reply of the host that a task of another process waits for.
// 3. What the hook gets is a pointer to a job, which is all that an `UnownedJob` contains, and any executor may run it.
//    Written in: include/swift/ABI/Task.h and stdlib/public/Concurrency/PartialAsyncTask.swift.
//    If it is no longer true: the process ends at its start if the sizes differ; otherwise `MainLoopTests` fails.
//    It saves what the hook saves.

#if LoopExecutor && compiler(<6.4)
    import CJobs
    import Glibc
    import Synchronization
    @_spi(ExperimentalCustomExecutors) import _Concurrency

    /// The main actor's executor in a process whose main thread runs a loop of its own.
    ///
    /// The loop calls ``runJobs()`` in each of its turns, and announces its waits, which a job from another thread ends.
    package final class LoopExecutor: Sendable {
        /// The executor; `nil` in a process that has not called ``install(_:)``, and must not do so later.
        package static let installed: LoopExecutor? = isInstalled.load(ordering: .acquiring) ? shared : nil

        fileprivate static let shared = LoopExecutor()
        private static let isInstalled = Atomic<Bool>(false)

        /// Jobs from other threads.
        private let incoming = Mutex<[UnownedJob]>([])
        private let isWaiting = Atomic<Bool>(false)
        // `nonisolated(unsafe)` is safe: it is used only on the loop's thread. Accesses cannot overlap, because nothing else
        // is called meanwhile.
        @exclusivity(unchecked) nonisolated(unsafe) private var jobs: [UnownedJob] = []
        // These are written once, before the executor is installed and other threads can read them.
        nonisolated(unsafe) private var thread: pthread_t = 0
        nonisolated(unsafe) private var waiter: (any LoopWaiter)?

        private init() {}

        /// Makes the calling thread the main actor's, before any other use of the executor.
        package static func install(_ waiter: any LoopWaiter) {
            precondition(MemoryLayout<UnownedJob>.size == MemoryLayout<UnsafeRawPointer>.size, "a job is a pointer")
            shared.thread = pthread_self()
            shared.waiter = waiter
            isInstalled.store(true, ordering: .releasing)
            // It stays `nil` if it was read before this line.
            precondition(installed != nil, "something has asked for the executor before it was installed")
            _createExecutors(factory: LoopExecutors.self)
            precondition(MainActor.executor === shared, "the Swift runtime has not replaced the main actor's executor")
            precondition(scenebus_install_job_hook(), "the Swift runtime has no hook for jobs")
            scenebus_take_jobs_with { job in
                LoopExecutor.shared.jobs.append(unsafeBitCast(job, to: UnownedJob.self))
            }
        }

        /// Whether jobs wait for ``runJobs()``. It is read only on the loop's thread.
        package var hasJobs: Bool { !jobs.isEmpty }

        /// Runs the jobs that have been enqueued so far.
        /// - Returns: whether there were any.
        package func runJobs() -> Bool {
            incoming.withLock { incoming in
                if !incoming.isEmpty {
                    jobs += incoming
                    incoming.removeAll(keepingCapacity: true)
                }
            }
            guard !jobs.isEmpty else { return false }
            let batch = jobs
            jobs.removeAll(keepingCapacity: true)
            for job in batch { job.runSynchronously(on: asUnownedSerialExecutor()) }
            return true
        }

        /// Announces that the loop is about to wait. The mutex orders this against ``add(_:)``: either the job is seen here, or
        /// the wait is seen there.
        /// - Returns: whether it must not, because a job has come whose thread saw no wait that it could end.
        package func beginWaiting() -> Bool {
            isWaiting.store(true, ordering: .releasing)
            return incoming.withLock { !$0.isEmpty }
        }

        package func endWaiting() { isWaiting.store(false, ordering: .releasing) }

        private var isOnThread: Bool { pthread_equal(pthread_self(), thread) != 0 }

        fileprivate func add(_ job: UnownedJob) {
            guard !isOnThread else { return jobs.append(job) }
            incoming.withLock { $0.append(job) }
            if isWaiting.exchange(false, ordering: .acquiringAndReleasing) { waiter?.wake() }
        }
    }

    extension LoopExecutor: MainExecutor {
        package func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }
        package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
        package func checkIsolated() { precondition(isOnThread, "the main actor was not used on its thread") }
        package func isIsolatingCurrentContext() -> Bool? { isOnThread }
        package func run() throws { preconditionFailure("the loop is run by its owner") }
        package func runUntil(_ condition: () -> Bool) throws {
            preconditionFailure("the loop runs until the process ends")
        }
        package func stop() {}
    }

    private struct LoopExecutors: ExecutorFactory {
        static var mainExecutor: any MainExecutor { LoopExecutor.shared }
        static var defaultExecutor: any TaskExecutor { PlatformExecutorFactory.defaultExecutor }
    }

    /// Resumes continuations of main-actor functions without a detour over the default executor.
    ///
    /// Without the hook, a resumed task is enqueued on the default executor and then hops to its actor, which needlessly involves
    /// other threads. A task that is resumed in `body` is enqueued on the loop directly.
    /// - Parameter body: Resumes continuations that main-actor functions wait for, and does nothing else.
    @MainActor
    package func resumingOnLoop(_ body: () -> Void) {
        guard LoopExecutor.installed != nil else { return body() }
        scenebus_set_taking_jobs(true)
        body()
        scenebus_set_taking_jobs(false)
    }
#else
    /// The executor of a build that uses public API alone, which has none.
    package final class LoopExecutor: Sendable {
        package static let installed: LoopExecutor? = nil

        private init() {}

        package static func install(_ waiter: any LoopWaiter) {}
        package var hasJobs: Bool { false }
        package func runJobs() -> Bool { false }
        package func beginWaiting() -> Bool { false }
        package func endWaiting() {}
    }

    @MainActor
    package func resumingOnLoop(_ body: () -> Void) { body() }
#endif

/// Wakes the loop of a ``LoopExecutor``.
package protocol LoopWaiter: Sendable {
    /// Ends the current wait, or else the next one as soon as it begins. It can be called from any thread.
    func wake()
}
