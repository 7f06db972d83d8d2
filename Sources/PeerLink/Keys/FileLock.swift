import Glibc

/// A lock that processes hold while they change a file of keys. It ends with the process, too.
package enum FileLock {
    /// Runs a body while this process holds the lock.
    /// - Parameters:
    ///   - path: the lock's own file.
    ///   - waits: whether to wait for another process. Who holds the lock does not wait for anything.
    /// - Throws: ``PrivatePathError`` if it cannot be had; the body's error.
    package static func hold<Result>(_ path: String, waits: Bool, _ body: () throws -> Result) throws -> Result {
        let lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else {
            throw PrivatePathError(.unusable, "\(path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        // The lock ends with the descriptor.
        defer { close(lock) }
        while flock(lock, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else {
                throw PrivatePathError(.unusable, "another process holds \(path): try again")
            }
        }
        return try body()
    }
}
