import CZeroMQ

/// A refusal by libzmq: which call, on what, and its error number.
public struct ZeroMQError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number, as `errno` gave it.
    public let number: Int32
    /// What was tried, such as "bind ipc:///run/app/bus".
    public let operation: String

    package init(_ operation: String) {
        number = zmq_errno()
        self.operation = operation
    }

    package init(number: Int32, operation: String) {
        self.number = number
        self.operation = operation
    }

    /// The address is taken.
    public var isAddressInUse: Bool { number == EADDRINUSE }
    /// No connected peer has the routing id.
    public var isHostUnreachable: Bool { number == EHOSTUNREACH }
    /// The context has been terminated.
    public var isTerminated: Bool { number == ETERM }
    /// The process has no more descriptors, or the context no more sockets.
    public var isTooManySockets: Bool { number == EMFILE }

    /// What went wrong, without what was tried: one of few texts.
    public var reason: String { String(cString: zmq_strerror(number)) }

    public var description: String { "\(operation): \(reason)" }
}

/// Calls libzmq again for as long as a signal interrupts it.
@inline(__always)
func retryingInterrupts(_ call: () -> Int32) -> Int32 {
    while true {
        let result = call()
        if result != -1 || zmq_errno() != EINTR { return result }
    }
}
