import Glibc

/// The right to be the one process that uses an account file, for as long as this is kept; the system takes it back when
/// the process ends, however that is.
///
/// It is a lock on a file beside the account file, which is replaced at each change and so cannot be locked itself. That
/// file stays: removing it would let two processes lock two files of one name.
public final class AccountFileLock: Sendable {
    private let descriptor: CInt

    /// Takes the lock, and the account file from everybody else: its mode is 0600 afterwards.
    ///
    /// - Parameter name: What this process calls itself to those that come later.
    /// - Throws: `inUse`, which names the process that has it; `unprotected` when others could put another file in its
    ///   place; what ``AccountFile/load()`` throws when what is there is no account file: nothing is locked beside it.
    public init(_ file: AccountFile, name: String) throws(AccountsError) {
        _ = try file.loadIfPresent()
        let path = "\(file.resolvedPath()).lock"
        try Self.checkFolder(AccountFile.folder(of: path), of: file)
        descriptor = try Self.lock(path, of: file)
        // Only for people: the lock holds without it.
        let text = "process \(getpid()) (\(name.prefix(100)))\n"
        if ftruncate(descriptor, 0) == 0 { _ = text.withCString { pwrite(descriptor, $0, strlen($0), 0) } }
    }

    deinit {
        close(descriptor)
    }

    /// Opens and locks the file.
    ///
    /// Not in the initializer: where that throws once all properties have a value, the deinitializer runs too, and a descriptor that is
    /// closed twice is somebody else's the second time.
    /// - Returns: Its descriptor.
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
                    "The file \(path) isn't a file of this user's: remove it, or give another path for the accounts.")
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                guard code == EWOULDBLOCK else { throw Self.unlockable(file, path, AccountFile.text(of: code)) }
                throw AccountsError(
                    .inUse,
                    "The account file \(file.path) is used by \(Self.owner(in: descriptor)): end that, or give this one "
                        + "another file, as with 'scenebus host --configure accounts.file=PATH'.")
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

    /// Whoever may write to the folder may put another file in the place of this one.
    private static func checkFolder(_ folder: String, of file: AccountFile) throws(AccountsError) {
        var status = stat()
        // One that is not there is told of by what cannot be made in it.
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
            "The folder \(folder) of the account file \(reason), who could put another file there: run 'chmod go-w "
                + "\(folder)', or give the path of a file in a folder of this user's own.")
    }

    private static func protect(_ file: AccountFile) throws(AccountsError) {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        // A first start.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else {
            throw AccountsError(
                .unprotected,
                "The account file \(file.path) belongs to user \(status.st_uid): give it to this program's user "
                    + "with chown, or give another path.")
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
