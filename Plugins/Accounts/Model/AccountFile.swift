import Glibc

/// The file that keeps the accounts: replaced as a whole or not at all, and readable by its owner only (mode 0600).
///
/// What isn't a complete account file of this version is never overwritten: ``save(_:)`` reads what is there first.
/// One process at a time may use it: of two that save, the later one wins. Hold an ``AccountFileLock``.
public struct AccountFile: Hashable, Sendable {
    /// Where the file is.
    public let path: String

    static let maximumBytes = 8 << 20

    /// - Parameter path: Where the file is or will be. Its folder has to exist. A symbolic link is followed.
    public init(path: String) {
        self.path = path
    }

    /// Reads the accounts.
    ///
    /// - Throws: `missingFile` on a first start; `unreadable`, `notOurFile`, `otherVersion`, `cutShort`, `damaged`.
    public func load() throws(AccountsError) -> [AccountRecord] {
        try AccountFileFormat.decode(readAll(), path: path)
    }

    /// Reads the accounts; none on a first start.
    ///
    /// - Throws: What ``load()`` throws, but for `missingFile`.
    func loadIfPresent() throws(AccountsError) -> [AccountRecord] {
        do throws(AccountsError) {
            return try load()
        } catch {
            guard error.code == .missingFile else { throw error }
            return []
        }
    }

    /// Writes the accounts in the place of those that are in the file. When this returns they are on the disk; when
    /// it throws, the file holds either all of the old accounts or all of the new ones.
    ///
    /// - Throws: `unwritable`, or what ``load()`` throws when there is a file that can't be loaded.
    public func save(_ records: [AccountRecord]) throws(AccountsError) {
        _ = try loadIfPresent()
        try replace(resolvedPath(), with: AccountFileFormat.encode(records))
    }

    func replace(_ target: String, with bytes: [UInt8]) throws(AccountsError) {
        let temporary = "\(target).\(String(UInt64.random(in: .min ... .max), radix: 16))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unwritable("make a file beside it", errno) }
        do throws(AccountsError) {
            try writeAndClose(bytes, to: descriptor)
            guard rename(temporary, target) == 0 else { throw unwritable("put it in place", errno) }
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
                .missingFile, "There is no account file at \(path): add an account to make it, or give another path.")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.maximumBytes else {
            throw AccountsError(
                .notOurFile,
                "\(path) isn't an account file, which is a regular file of at most \(Self.maximumBytes) bytes: "
                    + "give the path of another file.")
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
            // The umask may have taken from 0600 what the owner needs to read it again.
            guard fchmod(descriptor, 0o600) == 0 else { throw unwritable("protect it", errno) }
            var written = 0
            while written < bytes.count {
                let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { throw unwritable("write it", count < 0 ? errno : ENOSPC) }
                written += count
            }
            guard fsync(descriptor) == 0 else { throw unwritable("bring it to the disk", errno) }
        } catch {
            close(descriptor)
            throw error
        }
        guard close(descriptor) == 0 else { throw unwritable("close it", errno) }
    }

    /// The new name lasts through a power failure only when its folder is on the disk too.
    private func syncFolder(of target: String) throws(AccountsError) {
        let folder = Self.folder(of: target)
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { throw unwritable("open the folder \(folder)", errno) }
        defer { close(descriptor) }
        // Some file systems can't do this for folders and say EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw unwritable("bring \(folder) to the disk", errno) }
    }

    /// Renaming onto a symbolic link would replace the link, not the file it leads to.
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
            "The account file \(path) can't be read (\(Self.text(of: code))): let this program's user read it, or give "
                + "another path.")
    }

    private func unwritable(_ step: String, _ code: CInt) -> AccountsError {
        AccountsError(
            .unwritable,
            "The account file \(path) can't be saved, it failed to \(step) (\(Self.text(of: code))): check that its "
                + "folder exists, that this program's user may write there, and that the disk has room.")
    }

    static func text(of code: CInt) -> String {
        // glibc keeps this text per thread since 2.32.
        String(cString: strerror(code))
    }
}
