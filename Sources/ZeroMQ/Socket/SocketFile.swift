import Glibc

/// The file of a Unix-domain socket on which this process listens.
///
/// libzmq would remove whatever is at the path before it listens there, and again when it stops listening. This type
/// removes only a socket that nobody listens on any more, and later only its own.
package final class SocketFile {
    package let path: String
    /// The listening socket, which belongs to libzmq once it has been handed over.
    let descriptor: Int32
    private let identity: Identity

    /// What identifies a file, whatever its path.
    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t

        /// - Returns: `nil` when there is no file.
        init?(_ path: String) {
            var info = stat()
            guard lstat(path, &info) == 0 else { return nil }
            (device, inode) = (info.st_dev, info.st_ino)
        }
    }

    /// Returns the path of an address; `nil` for an address without a file.
    package static func path(of endpoint: String) -> String? {
        let prefix = "ipc://"
        guard endpoint.hasPrefix(prefix) else { return nil }
        let path = endpoint.dropFirst(prefix.count)
        // These stand for an abstract name, and for a path that libzmq chooses.
        guard let first = path.utf8.first, first != UInt8(ascii: "@"), first != UInt8(ascii: "*") else { return nil }
        return String(path)
    }

    /// Creates the file, which only this user can connect to, and listens on it.
    /// - Throws: `ZeroMQError`, which says why a file that is there already is not removed.
    init(_ path: String, backlog: Int32, operation: String) throws(ZeroMQError) {
        self.path = path
        let removes: Bool
        switch SocketOccupant(of: path) {
        case .nothing: removes = false
        case .deadSocket: removes = true
        case let occupant:
            throw ZeroMQError(number: EADDRINUSE, operation: operation, detail: "\(path) \(occupant.problem(at: path))")
        }
        guard let address = SocketAddress(path) else {
            throw ZeroMQError(number: ENAMETOOLONG, operation: operation)
        }
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw ZeroMQError(number: errno, operation: operation) }
        if removes { unlink(path) }
        guard address.use({ Glibc.bind(descriptor, $0, $1) }) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw ZeroMQError(number: code, operation: operation)
        }
        // Nobody can connect before `listen`.
        guard chmod(path, 0o600) == 0, let identity = Identity(path), listen(descriptor, backlog) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            unlink(path)
            throw ZeroMQError(number: code, operation: operation)
        }
        self.descriptor = descriptor
        self.identity = identity
    }

    /// Whether the file is still at its path. If not, nobody can connect any more.
    package var isThere: Bool { Identity(path) == identity }

    /// Removes the file, unless another one has taken its place.
    func remove() {
        if isThere { unlink(path) }
    }

    /// Closes a socket that libzmq did not take.
    func close() { Glibc.close(descriptor) }
}
