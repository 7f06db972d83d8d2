import Glibc
import Synchronization

/// Waits for events on its own thread, and wakes the main actor when there are any.
///
/// It is the fallback for processes whose main actor has not the loop's executor. It costs two more switches of threads each
/// time that there are events.
final class WaiterThread: EventWaiter {
    private let epoll = Epoll()

    init() {
        let this = Unmanaged.passRetained(self)
        var thread = pthread_t()
        // The thread runs as long as the process, and keeps this object alive.
        let error = pthread_create(
            &thread, nil,
            { argument in
                // The argument is the pointer that `pthread_create` was called with.
                Unmanaged<WaiterThread>.fromOpaque(argument!).takeUnretainedValue().run()
                return nil
            }, this.toOpaque())
        precondition(error == 0, "no thread waits for events: \(String(cString: strerror(error)))")
        pthread_detach(thread)
    }

    func watch(_ descriptor: Int32) { epoll.watch(descriptor) }
    func unwatch(_ descriptor: Int32) { epoll.unwatch(descriptor) }
    func interrupt() { epoll.wake() }

    private func run() {
        var deadline: MonotonicInstant?
        while true {
            let ready = epoll.wait(until: deadline)
            let turn = Turn()
            Task { @MainActor in
                let result = Reactor.shared.turn(ready: ready)
                turn.finish(next: result.worked ? .now : result.next)
            }
            deadline = turn.wait()
        }
    }
}

/// A turn of the reactor on the main actor. The waiter thread blocks until the turn has finished.
private final class Turn: Sendable {
    private let next = Mutex<MonotonicInstant?>(nil)
    // `nonisolated(unsafe)` is safe here: a POSIX semaphore may be used from several threads, and this one is never
    // moved.
    nonisolated(unsafe) private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func finish(next deadline: MonotonicInstant?) {
        next.withLock { $0 = deadline }
        sem_post(semaphore)
    }

    func wait() -> MonotonicInstant? {
        while sem_wait(semaphore) != 0 {}
        return next.withLock { $0 }
    }
}
