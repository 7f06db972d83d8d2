import Glibc

/// A lock that makes this process the only user of an account file while the value exists.
///
/// The system releases it when the process ends, even after a crash. The lock is on a separate file beside the account
/// file, because the account file itself is replaced at each change. The lock file is never removed: otherwise two
/// processes could each lock a different file of the same name.
public final class AccountFileLock: Sendable {
    private let descriptor: CInt

    /// Acquires the lock, and restricts the account file to its owner (mode 0600).
    ///
    /// - Parameter name: The name of this process, shown to a process that finds the file locked.
    /// - Throws: `inUse`, which names the process that holds the lock; `unprotected` when other users could replace the
    ///   file; the errors of ``AccountFile/load()`` when the file is not an account file. No lock is taken then.
    public init(_ file: AccountFile, name: String) throws(AccountsError) {
        _ = try file.loadIfPresent()
        let path = "\(file.resolvedPath()).lock"
        try Self.checkFolder(AccountFile.folder(of: path), of: file)
        descriptor = try Self.lock(path, of: file)
        // For error messages only; the lock does not depend on it.
        let text = "process \(getpid()) (\(name.prefix(100)))\n"
        if ftruncate(descriptor, 0) == 0 { _ = text.withCString { pwrite(descriptor, $0, strlen($0), 0) } }
    }

    deinit {
        close(descriptor)
    }

    /// Opens and locks the file.
    ///
    /// Not part of the initializer: if that throws after all properties are set, the deinitializer runs as well and
    /// would close the descriptor a second time, when it may belong to another file.
    /// - Returns: The file's descriptor.
    private static func lock(_ path: String, of file: AccountFile) throws(AccountsError) -> CInt {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw Self.unlockable(file, path, AccountFile.text(of: errno)) }
        do throws(AccountsError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else {
                throw Self.unlockable(file, path, AccountFile.text(of: errno))
            }
            guard status.st_uid == geteuid(), status.st_mode & S_IFMT == S_IFREG else {
                throw AccountsError(
                    .unprotected,
                    "The file \(path) doesn't belong to this user: remove it, or set another path for the accounts.")
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                guard code == EWOULDBLOCK else { throw Self.unlockable(file, path, AccountFile.text(of: code)) }
                throw AccountsError(
                    .inUse,
                    "The account file \(file.path) is used by \(Self.owner(in: descriptor)): stop that process, or set "
                        + "another file with 'scenebus host --configure accounts.file=PATH'.")
            }
            try Self.protect(file)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func owner(in descriptor: CInt) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = max(0, pread(descriptor, &buffer, buffer.count, 0))
        let text = String(decoding: buffer[..<count].prefix { $0 >= 0x20 }, as: UTF8.self)
        return text.isEmpty ? "another process" : text
    }

    /// Checks that no other user can write to the folder, since that user could replace the account file.
    private static func checkFolder(_ folder: String, of file: AccountFile) throws(AccountsError) {
        var status = stat()
        // For a missing folder, opening the lock file fails with a better message.
        guard stat(folder, &status) == 0 else { return }
        let reason: String
        if status.st_uid != geteuid() && status.st_uid != 0 {
            reason = "belongs to user \(status.st_uid)"
        } else if status.st_mode & (S_IWGRP | S_IWOTH) != 0 {
            reason = "may be written to by others"
        } else {
            return
        }
        throw AccountsError(
            .unprotected,
            "The folder \(folder) of the account file \(reason), who could replace the file: run 'chmod go-w "
                + "\(folder)', or set the path of a file in a folder that this user owns.")
    }

    private static func protect(_ file: AccountFile) throws(AccountsError) {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        // There is no account file yet.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else {
            throw AccountsError(
                .unprotected,
                "The account file \(file.path) belongs to user \(status.st_uid): give it to this program's user "
                    + "with chown, or set another path.")
        }
        guard status.st_mode & 0o077 == 0 || fchmod(descriptor, 0o600) == 0 else {
            throw AccountsError(
                .unprotected, "The account file \(file.path) can be read by others: run 'chmod 600 \(file.path)'.")
        }
    }

    private static func unlockable(_ file: AccountFile, _ path: String, _ reason: String) -> AccountsError {
        AccountsError(
            .unwritable,
            "The account file \(file.path) can't be locked with \(path) (\(reason)): check that its folder exists and that "
                + "this program's user may write there.")
    }
}
