import Glibc

/// The file that stores the accounts. It is replaced atomically and readable by its owner only (mode 0600).
///
/// ``save(_:)`` reads the existing file first and never overwrites one that is not a complete account file of a version
/// that this program reads. Only one process may use the file at a time, because a later save overwrites an earlier
/// one: hold an ``AccountFileLock``.
public struct AccountFile: Hashable, Sendable {
    /// The path of the file.
    public let path: String

    static let maximumBytes = 8 << 20

    /// - Parameter path: The path of the file, which need not exist. Its folder must exist. A symbolic link is
    ///   followed.
    public init(path: String) {
        self.path = path
    }

    /// Reads the accounts.
    ///
    /// - Throws: `missingFile` on a first start; `unreadable`, `notOurFile`, `otherVersion`, `cutShort`, `damaged`.
    public func load() throws(AccountsError) -> [AccountRecord] {
        try AccountFileFormat.decode(readAll(), path: path)
    }

    /// Reads the accounts; returns none if the file does not exist yet.
    ///
    /// - Throws: The errors of ``load()`` except `missingFile`.
    func loadIfPresent() throws(AccountsError) -> [AccountRecord] {
        do throws(AccountsError) {
            return try load()
        } catch {
            guard error.code == .missingFile else { throw error }
            return []
        }
    }

    /// Replaces the accounts in the file. When this returns, they are on the disk; when it throws, the file holds
    /// either all of the old accounts or all of the new ones.
    ///
    /// - Throws: `unwritable`; the errors of ``load()`` when an existing file can't be loaded.
    public func save(_ records: [AccountRecord]) throws(AccountsError) {
        _ = try loadIfPresent()
        try replace(resolvedPath(), with: AccountFileFormat.encode(records))
    }

    func replace(_ target: String, with bytes: [UInt8]) throws(AccountsError) {
        // Always the same name, so that what a killed process has left is gone with the next save. That is part of a file, and
        // no other process may write it now.
        let temporary = "\(target).new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unwritable("create a temporary file", errno) }
        do throws(AccountsError) {
            try writeAndClose(bytes, to: descriptor)
            guard rename(temporary, target) == 0 else { throw unwritable("rename the temporary file", errno) }
        } catch {
            unlink(temporary)
            throw error
        }
        try syncFolder(of: target)
    }

    private func readAll() throws(AccountsError) -> [UInt8] {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            guard code == ENOENT else { throw unreadable(code) }
            throw AccountsError(
                .missingFile, "There is no account file at \(path): add an account to create it, or set another path.")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.maximumBytes else {
            throw AccountsError(
                .notOurFile,
                "\(path) isn't an account file, which is a regular file of at most \(Self.maximumBytes) bytes: "
                    + "set the path of another file.")
        }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while content.count <= Self.maximumBytes {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(errno) }
            if count == 0 { break }
            content += buffer[..<count]
        }
        return content
    }

    private func writeAndClose(_ bytes: [UInt8], to descriptor: CInt) throws(AccountsError) {
        do throws(AccountsError) {
            // The umask may have removed permissions that the owner needs to read the file again.
            guard fchmod(descriptor, 0o600) == 0 else { throw unwritable("set its mode", errno) }
            var written = 0
            while written < bytes.count {
                let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { throw unwritable("write it", count < 0 ? errno : ENOSPC) }
                written += count
            }
            guard fsync(descriptor) == 0 else { throw unwritable("sync it to the disk", errno) }
        } catch {
            close(descriptor)
            throw error
        }
        guard close(descriptor) == 0 else { throw unwritable("close it", errno) }
    }

    /// Syncs the folder: the renamed file survives a power failure only when its folder is on the disk, too.
    private func syncFolder(of target: String) throws(AccountsError) {
        let folder = Self.folder(of: target)
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { throw unwritable("open the folder \(folder)", errno) }
        defer { close(descriptor) }
        // Some file systems can't sync folders and return EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw unwritable("sync \(folder) to the disk", errno) }
    }

    /// Resolves symbolic links: renaming onto a link would replace the link instead of its target.
    func resolvedPath() -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    private func unreadable(_ code: CInt) -> AccountsError {
        AccountsError(
            .unreadable,
            "The account file \(path) can't be read (\(Self.text(of: code))): let this program's user read it, or set "
                + "another path.")
    }

    private func unwritable(_ step: String, _ code: CInt) -> AccountsError {
        AccountsError(
            .unwritable,
            "The account file \(path) can't be saved: failed to \(step) (\(Self.text(of: code))). Check that its "
                + "folder exists, that this program's user may write there, and that the disk has free space.")
    }

    static func text(of code: CInt) -> String {
        // Thread-safe: since glibc 2.32 the text is stored per thread.
        String(cString: strerror(code))
    }
}
