import Glibc

/// An exclusive lock that one process has at a time, and loses when it ends, however that comes about: `flock` on a file that
/// holds the process's id.
final class LockFile {
    enum Failure: Error {
        /// Another process has it; its id, as far as it has written it.
        case held(by: String)
        /// The folder is not there.
        case noFolder
        case failed(String)
    }

    let path: String
    private let descriptor: Int32

    /// - Parameter opened: called between opening the file and locking it, for tests: a file may be removed there by the process
    ///   that had the lock.
    init(_ path: String, opened: () -> Void = {}) throws(Failure) {
        self.path = path
        descriptor = try Self.lock(path, opened: opened)
        ftruncate(descriptor, 0)
        let text = "\(getpid())\n"
        _ = text.withCString { write(descriptor, $0, strlen($0)) }
    }

    private static func lock(_ path: String, opened: () -> Void) throws(Failure) -> Int32 {
        while true {
            // A pipe in its place must not make this wait.
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else {
                throw errno == ENOENT ? .noFolder : .failed("\(path) cannot be opened: \(message(errno))")
            }
            opened()
            do throws(Failure) {
                if try lock(descriptor, of: path) { return descriptor }
            } catch {
                close(descriptor)
                throw error
            }
            // The process that had the lock has removed the file meanwhile: the next one locks another.
            close(descriptor)
        }
    }

    /// - Returns: `false` when the path names another file by now, or none.
    private static func lock(_ descriptor: Int32, of path: String) throws(Failure) -> Bool {
        var (mine, present) = (stat(), stat())
        guard fstat(descriptor, &mine) == 0 else { throw .failed("\(path) cannot be looked at: \(message(errno))") }
        guard mine.st_mode & S_IFMT == S_IFREG else { throw .failed("\(path) is no file: remove it") }
        guard mine.st_uid == geteuid() else {
            throw .failed("\(path) belongs to user \(mine.st_uid), who can hold up this one: remove it")
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
        // It has it, and has not written so yet.
        return text.isEmpty ? "an unknown process" : "process \(text)"
    }

    private static func message(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// Removes the file, then lets the next process in: one that has opened it and waits for its lock finds out that it is gone.
    func release() {
        unlink(path)
        close(descriptor)
    }
}
