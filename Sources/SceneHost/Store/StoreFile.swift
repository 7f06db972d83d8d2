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

    /// The size of the write-ahead log in bytes.
    static func logSize(of path: String) -> Int {
        var info = stat()
        return stat(path + "-wal", &info) == 0 ? Int(info.st_size) : 0
    }
}
