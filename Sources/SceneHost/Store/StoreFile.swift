import Glibc

/// The database's file and what SQLite keeps beside it: nobody else may read what sessions and replies say.
enum StoreFile {
    /// What SQLite keeps beside a database.
    private static let companions = ["-journal", "-wal", "-shm"]

    /// Makes an empty file that only this user can open, if there is none: SQLite would make one that everybody can read, and
    /// gives its companions the database's mode.
    static func makeIfMissing(_ path: String) {
        // One that cannot be made cannot be opened: SQLite says why.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Takes from others what an earlier version gave them. By its path: closing a descriptor of the database's own would let
    /// go of all locks that SQLite has on it in this process.
    /// - Throws: ``StoreError`` when the file is another user's, or stays open to others.
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

    /// Brings the names of the files to the disk: a file whose name is lost at a power cut is lost.
    static func syncFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        // There are file systems that do not know it; SQLite does not ask for more either.
        fsync(descriptor)
        close(descriptor)
    }

    /// The size of the log of writes that are not yet in the database's file, in bytes.
    static func logSize(of path: String) -> Int {
        var info = stat()
        return stat(path + "-wal", &info) == 0 ? Int(info.st_size) : 0
    }
}
