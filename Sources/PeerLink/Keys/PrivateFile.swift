import Glibc

/// Reads and writes small files that only this user may read, such as keys.
package enum PrivateFile {
    /// Tells a file from its later versions.
    package struct Version: Hashable, Sendable {
        private let device: dev_t
        private let number: ino_t
        private let size: off_t
        private let seconds: Int
        private let nanoseconds: Int

        /// - Returns: `nil` if there is no such file.
        package init?(of path: String) {
            var info = stat()
            guard stat(path, &info) == 0 else { return nil }
            (device, number, size) = (info.st_dev, info.st_ino, info.st_size)
            (seconds, nanoseconds) = (info.st_mtim.tv_sec, info.st_mtim.tv_nsec)
        }
    }

    /// Reads a file that belongs to this user or to root, and that nobody else may read.
    /// - Parameters:
    ///   - maximumSize: the maximum size in bytes.
    ///   - isSecret: whether others must not be able to read it; they must never be able to write it.
    package static func read(
        _ path: String, maximumSize: Int, isSecret: Bool = true
    ) throws(PrivatePathError) -> String {
        // O_NONBLOCK: a named pipe at this path must not block the call.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { throw PrivatePathError(.missing, "\(path) is not there") }
            if errno == ELOOP {
                throw PrivatePathError(.unsafe, "\(path) is a symbolic link: put the file itself there")
            }
            throw PrivatePathError(.unusable, "\(path) cannot be opened: \(message(errno))")
        }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
            throw PrivatePathError(.unusable, "\(path) is no file: remove it")
        }
        guard info.st_uid == geteuid() || info.st_uid == 0 else {
            throw PrivatePathError(
                .unsafe, "\(path) belongs to user \(info.st_uid): make it yours with 'chown', if it is")
        }
        let forbidden: mode_t = isSecret ? 0o077 : 0o022
        guard info.st_mode & forbidden == 0 else {
            let who = isSecret ? "can be read by others" : "can be changed by others"
            throw PrivatePathError(
                .unsafe, "\(path) \(who) (mode 0\(String(info.st_mode & 0o7777, radix: 8))): 'chmod 600 \(path)'")
        }
        guard info.st_size <= maximumSize else {
            throw PrivatePathError(
                .unusable, "\(path) has \(info.st_size) bytes, and at most \(maximumSize) are expected")
        }
        return String(decoding: try bytes(of: descriptor, path, atMost: maximumSize), as: UTF8.self)
    }

    private static func bytes(
        of descriptor: Int32, _ path: String, atMost maximum: Int
    ) throws(PrivatePathError) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= maximum {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw PrivatePathError(.unusable, "\(path) cannot be read: \(message(errno))") }
            guard count > 0 else { return bytes }
            bytes += piece.prefix(count)
        }
        throw PrivatePathError(.unusable, "\(path) has more than \(maximum) bytes")
    }

    /// Writes a file, which has the whole text or does not change. Its folder must be safe.
    /// - Parameter isNew: whether there must be no such file yet.
    /// - Throws: ``PrivatePathError``; its code is `unusable` also if there is such a file already.
    package static func write(_ text: String, to path: String, isNew: Bool = false) throws(PrivatePathError) {
        if isNew, try writeUnnamed(text, to: path) { return PrivateFolder.syncFolder(of: path) }
        let temporary = "\(path).\(getpid())\(ending)"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw PrivatePathError(.unusable, "\(temporary) cannot be made: \(message(errno))")
        }
        defer {
            close(descriptor)
            unlink(temporary)
        }
        try fill(descriptor, with: text, path)
        // `link` fails if there is such a file, `rename` replaces it.
        guard (isNew ? link(temporary, path) : rename(temporary, path)) == 0 else {
            throw PrivatePathError(.unusable, "\(path) cannot be written: \(message(errno))")
        }
        PrivateFolder.syncFolder(of: path)
    }

    /// Writes a new file that has no name until it is whole: a process that dies meanwhile leaves nothing of a secret behind.
    /// - Returns: whether the file is there; `false` if the file system has no files without names.
    private static func writeUnnamed(_ text: String, to path: String) throws(PrivatePathError) -> Bool {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, unnamed | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        try fill(descriptor, with: text, path)
        if linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 { return true }
        // A container may have no /proc.
        guard errno == EEXIST else { return false }
        throw PrivatePathError(.unusable, "\(path) cannot be written: \(message(errno))")
    }

    /// `O_TMPFILE`, which Swift does not import.
    private static let unnamed = 0o20_000_000 | O_DIRECTORY

    private static func fill(
        _ descriptor: Int32, with text: String, _ path: String
    ) throws(PrivatePathError) {
        guard write(Array(text.utf8), to: descriptor), fsync(descriptor) == 0 else {
            throw PrivatePathError(.unusable, "\(path) cannot be written: \(message(errno))")
        }
    }

    /// What the name of a file ends with that is not whole, or that a process has left behind which died meanwhile. The id of
    /// its process is before it.
    private static let ending = ".new"

    /// Removes what processes that have died left behind in a folder while they wrote files.
    /// - Parameter kind: the ending of these files.
    package static func removeLeftovers(of kind: String, in folder: String) {
        guard let entries = opendir(folder) else { return }
        defer { closedir(entries) }
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix(ending) else { continue }
            let words = name.dropLast(ending.count).split(separator: ".")
            guard let last = words.last, let process = pid_t(last), process > 0, words.dropLast().last == kind[...],
                kill(process, 0) != 0, errno == ESRCH, isOld("\(folder)/\(name)")
            else { continue }
            unlink("\(folder)/\(name)")
        }
    }

    /// Whether nobody can be about to use a file: a process of another container looks as if it had died.
    private static func isOld(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0 && time(nil) - info.st_mtim.tv_sec > 60
    }

    /// Puts a file in the place of another one.
    package static func move(_ path: String, to other: String) throws(PrivatePathError) {
        guard rename(path, other) == 0 else {
            throw PrivatePathError(.unusable, "\(path) cannot be moved to \(other): \(message(errno))")
        }
        PrivateFolder.syncFolder(of: other)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func message(_ code: Int32) -> String { String(cString: strerror(code)) }
}
