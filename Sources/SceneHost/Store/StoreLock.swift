import Foundation
import Glibc
import PeerLink

/// The lock on a store, which one host holds for as long as it runs.
///
/// Two hosts on one store would each run a scene for every session.
///
/// SQLite's own locks last only for a transaction. This lock is a file beside the database. Its path derives from the
/// database's real path, so that symbolic links and relative paths lead to the same lock.
final class StoreLock {
    /// The database's real path.
    let path: String
    private let lock: LockFile

    /// - Throws: ``HostError`` that names the process that holds the lock, or describes why the path cannot be used.
    init(_ path: String) throws {
        self.path = try Self.realPath(of: path)
        try Self.checkFolder(of: self.path)
        do {
            lock = try LockFile(self.path + ".lock")
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
    }

    /// Resolves the symbolic links in the path of a file that may not exist yet.
    private static func realPath(of path: String) throws -> String {
        var path = path
        // Follow a link to a file that does not exist: SQLite creates the file at the link's target.
        for _ in 0..<40 {
            if let real = realpath(path, nil) {
                defer { free(real) }
                try checkNames(of: String(cString: real))
                return String(cString: real)
            }
            let url = URL(fileURLWithPath: path)
            guard let folder = realpath(url.deletingLastPathComponent().path, nil) else {
                let reason = String(cString: strerror(errno))
                throw HostError(
                    .usage,
                    "cannot use the store \(path): it cannot be opened (\(reason)): check that its folder exists, or name another file with --store"
                )
            }
            defer { free(folder) }
            path = (String(cString: folder) as NSString).appendingPathComponent(url.lastPathComponent)
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return path }
            path = target.hasPrefix("/") ? target : (String(cString: folder) as NSString).appendingPathComponent(target)
        }
        throw HostError(
            .usage, "cannot use the store \(path): its symbolic links form a loop; name another file with --store")
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

    func release() { lock.release() }
}
