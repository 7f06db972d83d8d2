import CZeroMQ
import Glibc

/// An epoll instance with an eventfd that wakes it. Both event waiters use it.
struct Epoll: ~Copyable {
    private let epoll: Int32
    private let wakeup: Int32

    /// With fewer descriptors, libzmq or libdispatch would abort the process while it starts.
    private static let minimumDescriptors = 24

    init() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard epoll >= 0, wakeup >= 0, limit.rlim_max >= Self.minimumDescriptors else {
            // Nothing runs without the loop, which a process makes first.
            let problem =
                limit.rlim_max >= Self.minimumDescriptors
                ? "no file descriptors are left for the event loop"
                : "this process may have \(limit.rlim_max) open files, and needs at least \(Self.minimumDescriptors)"
            let reason = Array("\(problem): raise 'ulimit -n'\n".utf8)
            _ = write(STDERR_FILENO, reason, reason.count)
            exit(1)
        }
        watch(wakeup)
    }

    deinit {
        close(epoll)
        close(wakeup)
    }

    func watch(_ descriptor: Int32) {
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: descriptor))
        epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
    }

    func unwatch(_ descriptor: Int32) {
        var event = epoll_event()
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    }

    /// Ends the current wait, or else the next one as soon as it begins. This method can be called from any thread.
    func wake() {
        var one: UInt64 = 1
        _ = write(wakeup, &one, 8)
    }

    /// Waits until a descriptor is readable, the deadline is reached or `wake()` is called.
    /// - Returns: The readable descriptors.
    func wait(until deadline: MonotonicInstant?) -> [Int32] {
        var milliseconds: Int32 = -1
        if let deadline {
            let left = deadline - .now
            // Limited to 24 days so that the conversion cannot overflow. The loop then simply waits again.
            let (seconds, attoseconds) = min(left, .milliseconds(Int32.max)).components
            // Rounded up, because a wait that ends just before the deadline would make the loop spin.
            milliseconds =
                left <= .zero
                ? 0 : Int32(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        }
        return withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
            let count = epoll_wait(epoll, events.baseAddress, 64, milliseconds)
            guard count > 0 else { return [] }
            var ready: [Int32] = []
            for event in events[..<Int(count)] {
                if event.data.fd == wakeup {
                    var value: UInt64 = 0
                    _ = read(wakeup, &value, 8)
                } else {
                    ready.append(event.data.fd)
                }
            }
            return ready
        }
    }
}
