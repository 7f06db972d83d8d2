import Foundation
import Glibc
import PeerLink
import Synchronization

/// The lock on a store, which one host holds for as long as it runs.
///
/// Two hosts on one store would each run a scene for every session.
///
/// SQLite's own locks last only for a transaction. This lock is a file beside the database. Its path derives from the
/// database's real path, so that symbolic links and relative paths lead to the same lock.
final class StoreLock: Sendable {
    /// The database's real path.
    let path: String
    /// `nil` after it was released: then nothing may take it anew.
    private let lock: Mutex<LockFile?>

    /// - Throws: ``HostError`` that names the process that holds the lock, or describes why the path cannot be used.
    init(_ path: String) throws {
        self.path = try Self.realPath(of: path)
        try Self.checkIsNoFolder(self.path)
        try Self.checkFolder(of: self.path)
        let file: LockFile
        do {
            file = try LockFile(self.path + ".lock")
        } catch .held(let owner) {
            throw HostError(
                .inUse,
                """
                another host uses the store \(self.path) (\(owner)), and two hosts would run every session twice; \
                stop that host, or give this one another --store
                """)
        } catch .noFolder {
            throw HostError(
                .usage,
                "cannot use the store \(path): it cannot be opened: check that its folder exists, or name another file with --store"
            )
        } catch .failed(let reason) {
            throw HostError(.usage, "cannot use the store \(path): \(reason); or name another file with --store")
        }
        lock = Mutex(file)
    }

    /// Resolves the symbolic links in the path of a file that may not exist yet.
    ///
    /// It does not follow a link of another user, who could lead the host to any file, as in `/tmp`. The kernel has this
    /// rule, too (`protected_symlinks`), but not on every machine, and only for folders that every user may write to.
    /// - Parameter user: the user who follows the links.
    static func realPath(of path: String, user: uid_t = geteuid()) throws -> String {
        let whole = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        var rest = whole.split(separator: "/").reversed().map(String.init)
        var (folder, links) = ("", 0)
        while let name = rest.popLast() {
            if name == "." { continue }
            if name == ".." {
                folder = (folder as NSString).deletingLastPathComponent
                if folder == "/" { folder = "" }
                continue
            }
            let next = "\(folder)/\(name)"
            var info = stat()
            guard lstat(next, &info) == 0 else {
                // SQLite creates the file.
                if errno == ENOENT, rest.isEmpty { return next }
                throw unreachable(path, String(cString: strerror(errno)))
            }
            if info.st_mode & S_IFMT == S_IFLNK {
                try checkOwner(of: next, info, in: folder, path, user: user)
                links += 1
                guard links <= 40, let target = try? FileManager.default.destinationOfSymbolicLink(atPath: next) else {
                    throw HostError(
                        .usage,
                        "cannot use the store \(path): its symbolic links form a loop; name another file with --store")
                }
                if target.hasPrefix("/") { folder = "" }
                rest += target.split(separator: "/").reversed().map(String.init)
            } else if rest.isEmpty {
                try checkNames(of: next)
                return next
            } else {
                folder = next
            }
        }
        return folder.isEmpty ? "/" : folder
    }

    private static func unreachable(_ path: String, _ reason: String) -> HostError {
        HostError(
            .usage,
            "cannot use the store \(path): it cannot be opened (\(reason)): check that its folder exists, or name another file with --store"
        )
    }

    /// Checks that a link belongs to this user, to root, or to the owner of its folder.
    private static func checkOwner(
        of link: String, _ info: stat, in folder: String, _ path: String, user: uid_t
    ) throws {
        var place = stat()
        guard stat(folder.isEmpty ? "/" : folder, &place) == 0 else {
            throw unreachable(path, String(cString: strerror(errno)))
        }
        guard info.st_uid != user, info.st_uid != 0, info.st_uid != place.st_uid else { return }
        throw HostError(
            .refused,
            """
            cannot use the store \(path): \(link) is a symbolic link of user \(info.st_uid), who could lead the host to \
            another file: name the file itself with --store
            """)
    }

    /// Checks that only this user can write to the folder.
    ///
    /// SQLite applies a log that lies beside the database, so a user who can create one there can change the store.
    private static func checkFolder(of path: String) throws {
        do {
            try PrivateFolder.checkWriters(of: (path as NSString).deletingLastPathComponent)
        } catch {
            throw HostError(
                .refused,
                "cannot use the store \(path): \(error), so that others could change the store: name a file in a folder of your own with --store"
            )
        }
    }

    private static func checkIsNoFolder(_ path: String) throws {
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else { return }
        throw HostError(.usage, "cannot use the store \(path): it is a folder; name a file in it with --store")
    }

    /// Checks that the file has only one name: through a hard link it would have a second lock and a second log.
    private static func checkNames(of path: String) throws {
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_nlink > 1 else { return }
        throw HostError(
            .usage,
            """
            cannot use the store \(path): it has \(info.st_nlink) names (hard links), and another host may use it \
            under another name; make a copy of it, or name another file with --store
            """)
    }

    /// Takes the lock anew if somebody has removed its file, as happens when the whole folder is emptied.
    ///
    /// Without the file another host can take the lock. Then that host has the store, and this one must not touch it.
    /// - Throws: ``StoreError``; ``StoreError/Kind/superseded`` when another process holds the lock.
    func hold() throws {
        try lock.withLock { try renew(&$0) }
    }

    private func renew(_ lock: inout LockFile?) throws {
        guard let old = lock else { throw StoreError(path: path, "its lock is released, because the host ends") }
        guard !old.isThere else { return }
        do {
            lock = try LockFile(path + ".lock")
            old.close()
        } catch .held(let owner) {
            // The file was away only for a moment.
            guard !old.isThere else { return }
            throw StoreError.takenOver(path: path, by: owner)
        } catch .noFolder {
            throw StoreError(path: path, "its lock was removed, and its folder is gone; the host makes it again")
        } catch .failed(let reason) {
            throw StoreError(path: path, "its lock was removed, and cannot be taken anew: \(reason)")
        }
    }

    func release() {
        lock.withLock {
            $0?.release()
            $0 = nil
        }
    }
}
