import CZeroMQ

/// An error of libzmq: the failed operation and the error number.
public struct ZeroMQError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error number, as in `errno`.
    public let number: Int32
    /// The operation that failed, such as "bind ipc:///run/app/bus".
    public let operation: String

    /// What is known beyond the error number.
    private let detail: String?

    package init(_ operation: String) {
        self.init(number: zmq_errno(), operation: operation)
    }

    package init(number: Int32, operation: String, detail: String? = nil) {
        self.number = number
        self.operation = operation
        self.detail = detail
    }

    /// Whether the address is in use.
    public var isAddressInUse: Bool { number == EADDRINUSE }
    /// Whether no connected peer has the routing id.
    public var isHostUnreachable: Bool { number == EHOSTUNREACH }
    /// Whether the process has no descriptor left, or the context has no socket left.
    public var isTooManySockets: Bool { number == EMFILE }

    /// The text for the error number, or what is known beyond it, without the operation. There are only a few different
    /// texts for one address.
    public var reason: String { detail ?? String(cString: zmq_strerror(number)) }

    public var description: String { "\(operation): \(reason)" }
}

/// Repeats a call of libzmq while signals interrupt it.
@inline(__always)
func retryingInterrupts(_ call: () -> Int32) -> Int32 {
    while true {
        let result = call()
        if result != -1 || zmq_errno() != EINTR { return result }
    }
}
