package import Glibc

/// What is at the path of a Unix-domain socket.
package enum SocketOccupant: Hashable, Sendable, CustomStringConvertible {
    case nothing
    /// A socket of this user on which nobody listens, because its process has ended.
    case deadSocket
    /// A socket on which a process listens.
    case listener
    /// A file that is not a socket.
    case otherFile
    case socketOfUser(uid_t)
    case unknown(Int32)

    /// Looks at a path, and connects to a socket of this user.
    package init(of path: String) {
        var info = stat()
        guard lstat(path, &info) == 0 else {
            // Whatever else is wrong with the path, `bind` says it.
            self = .nothing
            return
        }
        guard info.st_mode & S_IFMT == S_IFSOCK else {
            self = .otherFile
            return
        }
        guard info.st_uid == geteuid() else {
            self = .socketOfUser(info.st_uid)
            return
        }
        self.init(connectingTo: path)
    }

    /// Connects to a socket, and closes the connection at once.
    package init(connectingTo path: String) {
        let (descriptor, code) = Self.connection(to: path)
        if descriptor >= 0 { close(descriptor) }
        switch code {
        // EAGAIN: the backlog is full, so a process listens. EPROTOTYPE: it listens for something other than a stream.
        case 0, EAGAIN, EPROTOTYPE: self = .listener
        case ECONNREFUSED: self = .deadSocket
        case ENOENT: self = .nothing
        default: self = .unknown(code)
        }
    }

    /// - Returns: The descriptor of a connection, or -1, and the number of the error, or 0.
    private static func connection(to path: String) -> (descriptor: Int32, code: Int32) {
        guard let address = SocketAddress(path) else { return (-1, ENAMETOOLONG) }
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return (-1, errno) }
        return (descriptor, address.use { connect(descriptor, $0, $1) } == 0 ? 0 : errno)
    }

    /// Why a path at which this is cannot be used, and what to do. It names the process that listens there.
    package func problem(at path: String) -> String {
        guard self == .listener else { return description }
        let (descriptor, code) = Self.connection(to: path)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard code == 0, let process = ConnectionPressure.name(ofOwnerOf: descriptor) else { return description }
        return "is the socket of \(process), which listens there; stop that process"
    }

    /// Why the path cannot be used, and what to do.
    package var description: String {
        switch self {
        case .nothing: "is not there"
        case .deadSocket: "is a socket that nobody listens on"
        case .listener: "is the socket of another process, which listens there; stop that process"
        case .otherFile: "is not a socket; if it is of no use, remove it"
        case .socketOfUser(let user): "is a socket of user \(user); have that user remove it"
        case .unknown(let code): "cannot be examined: \(String(cString: strerror(code)))"
        }
    }
}
