import Glibc

/// What the files of an open store were at the last look, to notice when somebody removes, replaces or shortens them.
///
/// SQLite goes on with the files that it has open, whatever is at their paths. What it writes then is lost at the end of
/// the process, or is damaged.
struct StoreFingerprint: Hashable, Sendable {
    private struct File: Hashable, Sendable {
        let device: dev_t
        let inode: ino_t
        let size: off_t
    }

    /// The suffixes of the files: the database, its log, and the index of the log.
    static let suffixes = ["", "-wal", "-shm"]

    private let path: String
    /// The files in the order of ``suffixes``; `nil` for one that did not exist.
    private var files: [File?]

    /// Looks at the files of a store.
    init(of path: String) {
        self.path = path
        files = Self.suffixes.map { suffix in
            var info = stat()
            guard lstat(path + suffix, &info) == 0 else { return nil }
            return File(device: info.st_dev, inode: info.st_ino, size: info.st_size)
        }
    }

    /// Describes what has happened to the files; `nil` when they are still those that are open.
    /// - Parameter allowsShorter: whether a file may be shorter than before, as after a write, which may start the log
    ///   again.
    func damage(in present: StoreFingerprint, allowsShorter: Bool = false) -> String? {
        for (index, suffix) in Self.suffixes.enumerated() {
            guard let known = files[index] else { continue }
            guard let now = present.files[index] else { return "\(path)\(suffix) was removed" }
            guard (now.device, now.inode) == (known.device, known.inode) else {
                return "\(path)\(suffix) was replaced by another file"
            }
            guard now.size >= known.size || allowsShorter else {
                return "\(path)\(suffix) was shortened from \(known.size) to \(now.size) bytes"
            }
        }
        return nil
    }

    /// Whether the path of a file names another file than the one that is open.
    func isReplaced(_ index: Int, in present: StoreFingerprint) -> Bool {
        guard let now = present.files[index] else { return false }
        return files[index].map { ($0.device, $0.inode) != (now.device, now.inode) } ?? true
    }
}
