import CConnections
import CZeroMQ
import Glibc

/// Keys that are replaced while the socket listens.
extension Socket {
    /// Listens with other keys at the TCP addresses. Connections that were made before are kept.
    ///
    /// libzmq takes the keys of a listener when it is bound, and would close its connections with it. So the listener stays,
    /// accepts nothing more, and another one accepts from the same socket of the system.
    /// - Throws: `ZeroMQError`, for example if no descriptor is left. The addresses that are left have the old keys then.
    package func listenAgain(with security: SocketSecurity) throws(ZeroMQError) {
        var options = options
        options.security = security
        for (index, listener) in files.listeners.enumerated() {
            let operation = "listen with another key at \(listener.endpoint)"
            let copy = scenebus_copy_listener(listener.descriptor)
            guard copy >= 0 else { throw ZeroMQError(number: errno, operation: operation) }
            do throws(ZeroMQError) {
                try options.applyTransport(of: listener.endpoint, to: pointer)
                try SocketOptions.set(ZMQ_USE_FD, copy, on: pointer)
                guard zmq_bind(pointer, listener.endpoint) == 0 else { throw ZeroMQError(operation) }
            } catch {
                close(copy)
                try SocketOptions.set(ZMQ_USE_FD, -1 as Int32, on: pointer)
                throw error
            }
            scenebus_replace_listener(listener.descriptor)
            files.listeners[index].descriptor = copy
            try SocketOptions.set(ZMQ_USE_FD, -1 as Int32, on: pointer)
        }
    }
}
