import Glibc

/// Whether a process listens on a Unix-domain socket of this machine.
package enum SocketProbe {
    /// A process listens on the socket.
    case alive
    /// The socket does not exist, or no process listens on it because its host was killed.
    case dead
    /// The probe cannot tell: the address is on another machine, or the socket belongs to another user.
    case unknown

    /// Probes a host's address: connects to it and closes the connection at once.
    package init(_ endpoint: String) {
        let prefix = "ipc://"
        var name = sockaddr_un()
        let path = Array(endpoint.dropFirst(prefix.count).utf8)
        guard endpoint.hasPrefix(prefix), path.count < MemoryLayout.size(ofValue: name.sun_path) else {
            self = .unknown
            return
        }
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else {
            self = .unknown
            return
        }
        defer { close(descriptor) }
        let result = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        switch (result, errno) {
        // EAGAIN: the backlog is full, so a process listens.
        case (0, _), (_, EAGAIN): self = .alive
        case (_, ECONNREFUSED), (_, ENOENT): self = .dead
        default: self = .unknown
        }
    }
}
