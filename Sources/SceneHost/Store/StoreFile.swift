import Glibc

/// The database's file and its companions. Only this user may read them, because they contain sessions and replies.
enum StoreFile {
    /// The suffixes of the files that SQLite keeps beside a database.
    private static let companions = ["-journal", "-wal", "-shm"]

    /// Creates an empty file with mode 0600, if there is no file.
    ///
    /// SQLite would create a file that every user can read. It gives the companions the mode of the database.
    static func makeIfMissing(_ path: String) {
        // Ignore errors: SQLite reports the reason when it cannot open the file.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Removes other users' access to the files, which an earlier version may have granted.
    ///
    /// It uses paths because closing a descriptor of the database would release all locks that SQLite has on it in this
    /// process.
    /// - Throws: ``StoreError`` when a file belongs to another user, or stays accessible to others.
    static func restrict(_ path: String) throws {
        for file in [path] + companions.map({ path + $0 }) {
            var info = stat()
            guard stat(file, &info) == 0 else { continue }
            guard info.st_uid == geteuid() else {
                throw StoreError(
                    path: path,
                    "\(file) belongs to user \(info.st_uid), who can read and change it: run the host as that user, or name "
                        + "another file with --store", kind: .unsuitable)
            }
            guard info.st_mode & 0o077 != 0 else { continue }
            guard chmod(file, 0o600) == 0 else {
                let reason = String(cString: strerror(errno))
                throw StoreError(
                    path: path,
                    "other users can open \(file), and that cannot be changed (\(reason)): name another file with --store"
                )
            }
        }
    }

    /// Makes a log void that was copied to the database, and keeps its size. Call this when the database is closed.
    ///
    /// A log that another process has open stays as it is: a later host would continue it.
    static func voidLog(of path: String) {
        guard !isOpenElsewhere(path) else { return }
        let descriptor = open(path + "-wal", O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var info = stat()
        // Its header has 32 bytes.
        let zeros = [UInt8](repeating: 0, count: 32)
        guard fstat(descriptor, &info) == 0, info.st_size >= zeros.count else { return }
        _ = pwrite(descriptor, zeros, zeros.count, 0)
        fdatasync(descriptor)
    }

    /// Whether another process has the log's index open. SQLite then has a lock on this byte of it (its "dead man's
    /// switch").
    private static func isOpenElsewhere(_ path: String) -> Bool {
        let descriptor = open(path + "-shm", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return errno != ENOENT }
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 128
        lock.l_len = 1
        // F_OFD_GETLK, which also sees the locks of this process.
        guard fcntl(descriptor, 36, &lock) == 0 else { return true }
        return lock.l_type != Int16(F_UNLCK)
    }

    /// The size of the write-ahead log in bytes.
    static func logSize(of path: String) -> Int {
        var info = stat()
        return stat(path + "-wal", &info) == 0 ? Int(info.st_size) : 0
    }
}
