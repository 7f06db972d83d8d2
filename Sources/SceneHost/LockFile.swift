import Glibc

/// An exclusive lock between processes: `flock` on a file that contains the process's id.
///
/// The system releases the lock when the process ends for whatever reason.
final class LockFile: Sendable {
    enum Failure: Error {
        /// Another process holds the lock; the value is its id, if it has written it.
        case held(by: String)
        /// The folder does not exist.
        case noFolder
        case failed(String)
    }

    let path: String
    private let descriptor: Int32

    /// - Parameter opened: for tests: called between opening the file and locking it. At that point the previous owner
    ///   may remove the file.
    init(_ path: String, opened: () -> Void = {}) throws(Failure) {
        self.path = path
        descriptor = try Self.lock(path, opened: opened)
        ftruncate(descriptor, 0)
        let text = "\(getpid())\n"
        _ = text.withCString { write(descriptor, $0, strlen($0)) }
    }

    private static func lock(_ path: String, opened: () -> Void) throws(Failure) -> Int32 {
        while true {
            // O_NONBLOCK: a named pipe at this path must not block the call.
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else {
                throw errno == ENOENT ? .noFolder : .failed("\(path) cannot be opened: \(message(errno))")
            }
            opened()
            do throws(Failure) {
                if try lock(descriptor, of: path) { return descriptor }
            } catch {
                Glibc.close(descriptor)
                throw error
            }
            // The previous owner has removed the file meanwhile: open or create it again.
            Glibc.close(descriptor)
        }
    }

    /// - Returns: `false` when the path meanwhile names another file, or none.
    private static func lock(_ descriptor: Int32, of path: String) throws(Failure) -> Bool {
        var (mine, present) = (stat(), stat())
        guard fstat(descriptor, &mine) == 0 else { throw .failed("\(path) cannot be inspected: \(message(errno))") }
        guard mine.st_mode & S_IFMT == S_IFREG else { throw .failed("\(path) is no file: remove it") }
        guard mine.st_uid == geteuid() else {
            throw .failed("\(path) belongs to user \(mine.st_uid), who can block this user's host: remove it")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            guard code == EWOULDBLOCK else { throw .failed("\(path) cannot be locked: \(message(code))") }
            throw .held(by: owner(descriptor))
        }
        guard stat(path, &present) == 0, (present.st_dev, present.st_ino) == (mine.st_dev, mine.st_ino) else {
            return false
        }
        fchmod(descriptor, 0o600)
        return true
    }

    private static func owner(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let text = String(decoding: bytes.prefix(max(0, count)).prefix { (0x30...0x39).contains($0) }, as: UTF8.self)
        // The owner may not have written its id yet.
        return text.isEmpty ? "an unknown process" : "process \(text)"
    }

    private static func message(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// Whether the file is still at its path.
    var isThere: Bool {
        var (mine, present) = (stat(), stat())
        return fstat(descriptor, &mine) == 0 && lstat(path, &present) == 0
            && (present.st_dev, present.st_ino) == (mine.st_dev, mine.st_ino)
    }

    /// Releases the lock of a file that is not in place any more.
    func close() { Glibc.close(descriptor) }

    /// Removes the file, then releases the lock. A process that has opened the file and then locks it notices that it
    /// is gone.
    func release() {
        // Somebody may have removed it, so that it is another's now.
        if isThere { unlink(path) }
        close()
    }
}
