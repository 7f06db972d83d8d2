import Foundation
import Glibc
import PeerLink

/// The right to be the one host that writes a store, for as long as it runs: two would each give every session a scene.
///
/// SQLite's own locks are for the moment of a write. This one is a file beside the database, by the database's real path: a
/// symbolic link or a relative path leads to the same one.
final class StoreLock {
    /// The database's real path.
    let path: String
    private let lock: LockFile

    /// - Throws: ``HostError`` that names the process that has it.
    init(_ path: String) throws {
        self.path = try Self.realPath(of: path)
        try Self.checkFolder(of: self.path)
        do {
            lock = try LockFile(self.path + ".lock")
        } catch .held(let owner) {
            throw HostError(
                .inUse,
                """
                another host has the store \(self.path) (\(owner)): two would run every session twice; stop it, or give this one \
                another --store
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

    /// The path without links, of a file that may not be there yet.
    private static func realPath(of path: String) throws -> String {
        var path = path
        // A link to a file that is not there leads to where SQLite will make it.
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
        throw HostError(.usage, "cannot use the store \(path): its links lead nowhere; name another file with --store")
    }

    /// SQLite takes a log that lies beside the database for its own: whoever may put one there writes the store.
    private static func checkFolder(of path: String) throws {
        do {
            try PrivateFolder.checkWriters(of: (path as NSString).deletingLastPathComponent)
        } catch {
            throw HostError(
                .refused,
                "cannot use the store \(path): \(error), and could write it: name a file in a folder of your own with --store"
            )
        }
    }

    /// A second name of the file would have a lock, and a log, of its own.
    private static func checkNames(of path: String) throws {
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_nlink > 1 else { return }
        throw HostError(
            .usage,
            """
            cannot use the store \(path): it has \(info.st_nlink) names (hard links), and another host may have it by one of them; \
            make a copy of it, or name another file with --store
            """)
    }

    func release() { lock.release() }
}
