import CConnections
import CZeroMQ
import Glibc
import Synchronization

/// The process's libzmq context, with its I/O thread and its `inproc` name space.
///
/// Every ``Socket`` retains its context, so the context is terminated after the last socket has been closed. A leaked
/// socket keeps the context alive; ``openSockets`` is the number of sockets that are still open.
public final class SocketContext: Sendable {
    // `nonisolated(unsafe)` is safe here: libzmq contexts are thread-safe, and the pointer never changes.
    nonisolated(unsafe) let pointer: UnsafeMutableRawPointer
    private let sockets = Atomic<Int>(0)
    /// The number of descriptors that this process may have open.
    public let descriptorLimit: Int

    /// libzmq's version: major, minor, patch.
    public static var libraryVersion: (Int, Int, Int) {
        var numbers: (Int32, Int32, Int32) = (0, 0, 0)
        zmq_version(&numbers.0, &numbers.1, &numbers.2)
        return (Int(numbers.0), Int(numbers.1), Int(numbers.2))
    }

    /// Whether libzmq supports encryption with CURVE.
    public static var hasCurve: Bool { zmq_has("curve") == 1 }

    /// The number of open sockets of this context.
    public var openSockets: Int { sockets.load(ordering: .acquiring) }

    /// The number of connections that this process has accepted and closed at once because no descriptor was left for
    /// them.
    public static var surplusConnections: UInt64 { UInt64(scenebus_surplus_connections()) }

    /// Makes a context, and raises the process's descriptor limit as far as permitted.
    /// - Parameter maximumSockets: The maximum number of sockets. It is reduced to a quarter of the descriptor limit if
    ///   necessary, because libzmq aborts the process when descriptors run out.
    public init(maximumSockets: Int32 = 4096) {
        // This fails only if memory is exhausted.
        pointer = zmq_ctx_new()!
        descriptorLimit = Self.raiseDescriptorLimit()
        zmq_ctx_set(pointer, ZMQ_MAX_SOCKETS, min(maximumSockets, Int32(clamping: descriptorLimit / 4)))
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
