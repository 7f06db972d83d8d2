import CConnections
import CZeroMQ
import Glibc
import Synchronization

/// The process's libzmq context: its I/O thread and its `inproc` name space.
///
/// Terminating waits for every socket to be closed, so that a leaked socket shows as a hang at the place that leaked it;
/// ``openSockets`` tells how many there are.
public final class SocketContext: Sendable {
    // `nonisolated(unsafe)` holds: libzmq contexts are thread-safe, and the pointer never changes.
    nonisolated(unsafe) let pointer: UnsafeMutableRawPointer
    private let sockets = Atomic<Int>(0)
    /// How many descriptors this process may have open.
    public let descriptorLimit: Int

    /// libzmq's version: major, minor, patch.
    public static var libraryVersion: (Int, Int, Int) {
        var numbers: (Int32, Int32, Int32) = (0, 0, 0)
        zmq_version(&numbers.0, &numbers.1, &numbers.2)
        return (Int(numbers.0), Int(numbers.1), Int(numbers.2))
    }

    /// Whether libzmq can encrypt.
    public static var hasCurve: Bool { zmq_has("curve") == 1 }

    /// The sockets made in this context that are not closed yet.
    public var openSockets: Int { sockets.load(ordering: .acquiring) }

    /// The connections that this process has closed at once because it had no descriptor for them.
    public static var surplusConnections: UInt64 { UInt64(scenebus_surplus_connections()) }

    /// Makes a context.
    /// - Parameter maximumSockets: libzmq aborts the process when descriptors run out, so the number is bounded below the
    ///   descriptor limit, which is raised as far as it may be.
    public init(maximumSockets: Int32 = 4096) {
        // Fails only when memory is exhausted.
        pointer = zmq_ctx_new()!
        descriptorLimit = Self.raiseDescriptorLimit()
        zmq_ctx_set(pointer, ZMQ_MAX_SOCKETS, min(maximumSockets, Int32(clamping: descriptorLimit / 4)))
        // A worker is spawned with exec at once; still, nothing of ours is handed on to it.
        zmq_ctx_set(pointer, ZMQ_IO_THREADS, 1)
    }

    deinit {
        _ = retryingInterrupts { zmq_ctx_term(pointer) }
    }

    func socketOpened() { sockets.add(1, ordering: .acquiringAndReleasing) }
    func socketClosed() { sockets.subtract(1, ordering: .acquiringAndReleasing) }

    private static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        _ = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}
