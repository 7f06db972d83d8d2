import ZeroMQ

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
        guard let path = SocketFile.path(of: endpoint) else {
            self = .unknown
            return
        }
        switch SocketOccupant(connectingTo: path) {
        case .listener: self = .alive
        case .nothing, .deadSocket: self = .dead
        case .otherFile, .socketOfUser, .unknown: self = .unknown
        }
    }
}
