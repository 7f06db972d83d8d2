import Foundation
import GRDB
import Glibc
import PeerLink
import Synchronization

/// Writing a store anew whose files were removed, replaced or shortened while it is open.
extension HostStore {
    /// What a new copy of the store lacks.
    package enum Restored: Hashable, Sendable {
        /// Nothing: everything was read from the files that are still open.
        case whole
        /// What the host does not have in memory: the replies to recorded requests, and rows that cannot be read.
        case fromMemory
    }

    /// Describes what has happened to the store's files; `nil` when they are in place.
    package func damage() -> String? {
        guard let path else { return nil }
        if isClosed.withLock({ $0 }) { return "\(path) could not be opened again" }
        return fingerprint.withLock { $0?.damage(in: StoreFingerprint(of: path)) }
    }

    /// Takes the lock anew if it was removed, and looks at the files, off the main actor: a slow disk must not stop the
    /// loop.
    /// - Returns: what has happened to the files, and why this host does not hold the lock; `nil` when all is well.
    @concurrent package nonisolated func look() async -> (damage: String?, lock: StoreError?) {
        do {
            try holdLock()
            return (damage(), nil)
        } catch {
            return (damage(), error as? StoreError ?? StoreError(path: path ?? "in memory", "\(error)"))
        }
    }

    private func holdLock() throws { try lock.withLock { $0 }?.hold() }

    /// Writes the store anew at its path.
    ///
    /// The new file is complete before it gets its name. A file that somebody else has put there stays beside it, with
    /// `.replaced` after its name, or `.replaced-2` and so on.
    ///
    /// Only the host that holds the lock does that: what is there now may be the store of another host that runs.
    /// - Parameter memory: what the host has in memory, which is written over what can still be read.
    /// - Throws: ``StoreError`` when it cannot be written, or another host holds the lock; the store remains as it is
    ///   then.
    @concurrent package nonisolated func restore(from memory: [StoreOperation]) async throws -> Restored {
        guard let path else { return .whole }
        return try StoreError.naming(path) {
            // The lock is in the folder.
            try makeFolder(of: path)
            try holdLock()
            let complete = path + Self.completeSuffix
            if !isClosed.withLock({ $0 }) {
                try makeComplete(complete, from: memory)
                try setAsideOthers(path)
                // From here on the next host finds a whole store, whenever this one is killed. What is open needs no name.
                unlink(path)
                PrivateFolder.syncFolder(of: path)
                // It must not close after the new file is in place, because it may remove the log at this path.
                isClosed.withLock { $0 = true }
                try? queue.close()
            } else if access(complete, F_OK) != 0 {
                // The copy was removed, too, before it could be opened.
                try makeComplete(complete, from: memory)
            }
            // Whatever is there by now. Only a complete copy may get there.
            if access(path, F_OK) == 0 { try Self.setAside(path) { _ in true } }
            try Self.place(complete, at: path)
            let opened = try Self.open(path, configuration)
            guard opened.epoch == epoch.withLock({ $0 }), opened.changes == changes else {
                // Not the copy: somebody has removed it, and an empty store was made in its place.
                try? opened.queue.close()
                throw StoreError(path: path, "it was removed again meanwhile")
            }
            held.withLock { $0 = opened.queue }
            fingerprint.withLock { $0 = StoreFingerprint(of: path) }
            isClosed.withLock { $0 = false }
            return lastRestored.withLock { $0 }
        }
    }

    /// Makes a copy of the store with everything that can be read, or that is in memory.
    private func makeComplete(_ complete: String, from memory: [StoreOperation]) throws {
        let new = (path ?? "") + ".new"
        Self.remove(new)
        do {
            var restored = Restored.fromMemory
            if !isClosed.withLock({ $0 }) {
                do {
                    try copy(to: new)
                    restored = .whole
                } catch {
                    Self.remove(new)
                    guard Self.isUnreadable(error) else { throw error }
                }
            }
            try fill(new, with: memory)
            // The copy may have taken long.
            try holdLock()
            try Self.move(new, to: complete, of: path ?? "")
            lastRestored.withLock { $0 = restored }
        } catch {
            Self.remove(new)
            throw error
        }
    }

    private func makeFolder(of path: String) throws {
        let folder = (path as NSString).deletingLastPathComponent
        guard access(folder, F_OK) != 0 else { return }
        do {
            try PrivateFolder.make(folder)
        } catch {
            throw StoreError(path: path, "its folder is gone, and cannot be made again: \(error)")
        }
    }

    /// Copies what SQLite can still read.
    private func copy(to new: String) throws {
        StoreFile.makeIfMissing(new)
        try queue.writeWithoutTransaction { database in
            // Files that were removed keep their room until they are closed, and the log can be larger than the rest.
            try? database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            try database.execute(sql: "VACUUM INTO ?", arguments: [new])
        }
        let copy = try DatabaseQueue(path: new)
        let check = try copy.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
        try copy.close()
        guard check == "ok" else { throw StoreError(path: new, check ?? "") }
    }

    /// Whether an error says that the files which are open cannot be read. Anything else, such as a full disk, may be
    /// over at the next attempt, which then finds all that is in them.
    static func isUnreadable(_ error: any Error) -> Bool {
        // The check of the copy has failed.
        guard let error = error as? DatabaseError else { return error is StoreError }
        return switch error.resultCode {
        // Rows that contradict an index are damage, too.
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_CONSTRAINT: true
        case .SQLITE_IOERR: readErrors.contains(error.extendedResultCode)
        default: false
        }
    }

    private static let readErrors: [ResultCode] = [
        .SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_DATA, .SQLITE_IOERR_CORRUPTFS,
    ]

    // MARK: - The files

    /// What is after the name of a copy that is complete, and not in its place yet.
    private static let completeSuffix = ".restored"

    /// Ends what an earlier host had begun when it was killed: a complete copy takes the place of a store that is gone.
    ///
    /// Call this with the lock, before the store is opened.
    /// - Throws: ``StoreError`` when the copy cannot take its place. An empty store in that place would hide it.
    static func finishRestoring(_ path: String) throws {
        remove(path + ".new")
        let complete = path + completeSuffix
        var info = stat()
        guard lstat(complete, &info) == 0 else { return }
        if lstat(path, &info) != 0 {
            try place(complete, at: path)
        } else {
            // Somebody has put a store there, or it was not removed yet. Keep the copy, for whoever has to choose.
            try move(complete, to: freeName(for: path), of: path)
        }
    }

    /// Moves a complete copy to the store's path. A log that is there belongs to another file.
    private static func place(_ complete: String, at path: String) throws {
        for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) }
        try move(complete, to: path, of: path)
        PrivateFolder.syncFolder(of: path)
    }

    private static func move(_ file: String, to name: String, of path: String) throws {
        guard rename(file, name) == 0 else {
            throw StoreError(path: path, "\(file) cannot be renamed: \(String(cString: strerror(errno)))")
        }
    }

    /// Writes what the host has in memory to the new file, and syncs it.
    private func fill(_ new: String, with memory: [StoreOperation]) throws {
        StoreFile.makeIfMissing(new)
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = EXTRA") }
        let copy = try DatabaseQueue(path: new, configuration: configuration)
        try Self.migrator.migrate(copy)
        let (epoch, changes) = (epoch.withLock { $0 }, changes)
        try copy.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
            try database.inTransaction(.immediate) {
                for operation in memory { try operation.perform(in: database) }
                if epoch > 0 { try StoreOperation.beginLife(epoch: epoch).perform(in: database) }
                try database.execute(
                    sql: "UPDATE host SET changes = ?", arguments: [Int64(clamping: changes)])
                return .commit
            }
        }
        try copy.close()
        let descriptor = Glibc.open(new, O_RDONLY | O_CLOEXEC)
        defer { Glibc.close(descriptor) }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw StoreError(path: new, "it cannot be synced: \(String(cString: strerror(errno)))")
        }
    }

    /// Renames files that are not this store's.
    private func setAsideOthers(_ path: String) throws {
        let present = StoreFingerprint(of: path)
        try Self.setAside(path) { index in fingerprint.withLock { $0?.isReplaced(index, in: present) } == true }
    }

    /// Renames files in the store's place.
    /// - Parameter isMoved: whether to rename the file with a suffix, by the index of the suffix.
    private static func setAside(_ path: String, where isMoved: (Int) -> Bool) throws {
        let aside = freeName(for: path)
        for (index, suffix) in StoreFingerprint.suffixes.enumerated()
        where access(path + suffix, F_OK) == 0 && isMoved(index) {
            try move(path + suffix, to: aside + suffix, of: path)
        }
    }

    /// The number of stores that are set aside. A program that puts its own file there again and again must not fill the
    /// disk.
    private static let maximumAside = 8

    /// The name for files that are set aside: none that was set aside before is overwritten, except the last of many.
    private static func freeName(for path: String) -> String {
        var (name, number) = (path + ".replaced", 1)
        var info = stat()
        while number < maximumAside, StoreFingerprint.suffixes.contains(where: { lstat(name + $0, &info) == 0 }) {
            number += 1
            name = "\(path).replaced-\(number)"
        }
        return name
    }

    private static func remove(_ file: String) {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(file + suffix) }
    }
}
