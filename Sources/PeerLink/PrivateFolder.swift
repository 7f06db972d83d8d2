package import Glibc

/// Checks and creates folders that only this user can change, for a host's sockets and for the default store.
///
/// A process that can put a socket into the folder can respond in the host's place. If the folder belongs to this user
/// and other users may not write to it, only this user and root can do that. However, a user who may write to a parent
/// folder can move the folder away and put another one in its place. Therefore each folder up to `/` must belong to
/// this user or to root. Other users must not be able to write to it, unless its sticky bit restricts them to their own
/// files, as in `/tmp`. A symbolic link in the path is followed when it belongs to this user or to root.
///
/// The result stays valid after the check, also for the connect that follows, because only this user and root can
/// change the folders. This does not apply to a missing folder, which other users may create in a shared folder.
/// Nothing connects to a missing folder.
package enum PrivateFolder {
    /// Checks that only this user and root can put a socket into a folder.
    /// - Parameter user: the required owner.
    /// - Throws: ``PrivatePathError``.
    package static func check(_ path: String, user: uid_t = geteuid()) throws(PrivatePathError) {
        let real = try resolve(path, user: user, makes: false)
        try checkWriters(of: real, status(of: real), user: user)
    }

    /// Checks that only this user and root can put files into a folder. The folder may belong to root. If this user is
    /// root, it may belong to any user, who can then put files into it, too.
    /// - Throws: ``PrivatePathError``.
    package static func checkWriters(of path: String, user: uid_t = geteuid()) throws(PrivatePathError) {
        let owner = try status(of: path).st_uid
        guard owner == user || owner == 0 || user == 0 else {
            throw PrivatePathError(.unsafe, "\(path) belongs to user \(owner)", owner: owner)
        }
        let trusted = owner == 0 ? user : owner
        let real = try resolve(path, user: trusted, makes: false)
        try checkOthers(real, status(of: real), user: trusted)
    }

    /// Checks the folder of an `ipc` socket before a peer connects to it. Other transports have no folder.
    /// - Throws: ``PrivatePathError`` that says how to fix the problem.
    package static func check(endpoint: String, user: uid_t = geteuid()) throws(PrivatePathError) {
        guard endpoint.hasPrefix("ipc://") else { return }
        let path = endpoint.dropFirst("ipc://".count)
        guard !path.hasPrefix("@") else {
            throw PrivatePathError(
                .unsafe, "'\(endpoint)' is not in a folder, so any user may listen there: specify the socket's path")
        }
        guard path.utf8.count <= HostDirectory.maximumPath else {
            throw PrivatePathError(
                .unusable,
                """
                the socket's path \(path) has \(path.utf8.count) bytes, and the system allows \(HostDirectory.maximumPath): set \
                SCENEBUS_RUNTIME to a shorter folder, for the host and for its peers
                """)
        }
        let slash = path.lastIndex(of: "/")
        guard let slash, slash > path.startIndex else {
            throw PrivatePathError(
                .unusable,
                slash == nil
                    ? "'\(endpoint)' has no folder: specify the socket's whole path"
                    : "no folder is known for the sockets: set SCENEBUS_RUNTIME to one of your own")
        }
        do {
            try check(String(path[..<slash]), user: user)
        } catch {
            guard error.code != .missing else { throw error }
            if let owner = error.owner {
                // The message must not lead root to take over the folder of a service's user.
                throw PrivatePathError(
                    error.code,
                    """
                    \(error); if that is user \(owner)'s host, run this as that user, as with `sudo -u '#\(owner)'`, or reach it \
                    over TCP with --host; for a host of your own set SCENEBUS_RUNTIME to a folder of your own, for the host and \
                    for its peers
                    """, owner: owner)
            }
            throw PrivatePathError(
                error.code,
                "\(error); fix that, or set SCENEBUS_RUNTIME to a folder of your own, for the host and for its peers")
        }
    }

    /// Creates a folder, and its missing parents, so that only this user can enter it. A folder that others may enter
    /// is closed to them. A folder that others may write to is refused, because they may have put something into it.
    /// - Throws: ``PrivatePathError``.
    package static func make(_ path: String, user: uid_t = geteuid()) throws(PrivatePathError) {
        let real = try resolve(path, user: user, makes: true)
        let descriptor = open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            // The previous host may have removed it just now.
            throw PrivatePathError(
                errno == ENOENT ? .missing : .unusable, "\(real) cannot be opened: \(message(errno))")
        }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0 else {
            throw PrivatePathError(.unusable, "\(real) cannot be examined: \(message(errno))")
        }
        try checkWriters(of: real, info, user: user)
        guard info.st_mode & 0o7777 != 0o700 else { return }
        guard fchmod(descriptor, 0o700) == 0, fstat(descriptor, &info) == 0, info.st_mode & 0o077 == 0 else {
            throw PrivatePathError(
                .unsafe, "\(real) can be entered by others (mode \(octal(info.st_mode))), and that cannot be changed")
        }
    }

    /// Whether other users may create a folder of the same name once this one is gone.
    package static func isShared(parentOf path: String) -> Bool {
        var info = stat()
        let parent = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
        return stat(parent.isEmpty ? "/" : String(parent), &info) != 0 || writers(info, user: geteuid()) != nil
    }

    // MARK: - Looking

    /// Returns the real path of a folder, after checking that all of its parents are safe.
    private static func resolve(_ path: String, user: uid_t, makes: Bool) throws(PrivatePathError) -> String {
        guard !path.isEmpty else {
            throw PrivatePathError(.unusable, "no folder is known for it, for there is no home folder: set HOME")
        }
        var rest = path.split(separator: "/").map(String.init)
        if !path.hasPrefix("/") { rest = workingFolder.split(separator: "/").map(String.init) + rest }
        rest.reverse()
        var real: [String] = []
        var links = 0
        try checkParent("/", status(of: "/"), user: user)
        while let name = rest.popLast() {
            if name == "." { continue }
            if name == ".." {
                // The parent was checked on the way here.
                _ = real.popLast()
                continue
            }
            let next = Self.path(of: real + [name])
            let info = try status(of: next, makes: makes)
            switch info.st_mode & S_IFMT {
            case S_IFLNK:
                guard info.st_uid == user || info.st_uid == 0 else {
                    throw PrivatePathError(
                        .unsafe, "\(next) is a link that belongs to user \(info.st_uid)", owner: info.st_uid)
                }
                links += 1
                guard links <= 40, let target = target(of: next) else {
                    throw PrivatePathError(.unusable, "\(next) is a link that leads nowhere")
                }
                if target.hasPrefix("/") { real = [] }
                rest += target.split(separator: "/").reversed().map(String.init)
            case S_IFDIR:
                real.append(name)
                if !rest.isEmpty { try checkParent(next, info, user: user) }
            default:
                throw PrivatePathError(.unusable, "\(next) is not a folder")
            }
        }
        return Self.path(of: real)
    }

    // `joined(separator:)` would search all conformances of the process, when it starts.
    private static func path(of names: [String]) -> String {
        names.isEmpty ? "/" : names.reduce(into: "") { $0 += "/" + $1 }
    }

    private static func checkParent(_ path: String, _ info: stat, user: uid_t) throws(PrivatePathError) {
        guard info.st_uid == user || info.st_uid == 0 else {
            throw PrivatePathError(
                .unsafe, "\(path) belongs to user \(info.st_uid), who can put another folder in its place",
                owner: info.st_uid)
        }
        // Without the sticky bit, a user who may write to a folder may also rename its contents.
        if info.st_mode & S_ISVTX == 0 { try checkOthers(path, info, user: user) }
    }

    /// Checks a folder whose parents are safe.
    private static func checkWriters(of path: String, _ info: stat, user: uid_t) throws(PrivatePathError) {
        guard info.st_uid == user else {
            throw PrivatePathError(.unsafe, "\(path) belongs to user \(info.st_uid)", owner: info.st_uid)
        }
        try checkOthers(path, info, user: user)
    }

    private static func checkOthers(_ path: String, _ info: stat, user: uid_t) throws(PrivatePathError) {
        guard let writers = writers(info, user: user) else { return }
        throw PrivatePathError(.unsafe, "\(writers) may write to \(path) (mode \(octal(info.st_mode)))")
    }

    /// Describes the other users who may write to a folder; `nil` when there are none.
    private static func writers(_ info: stat, user: uid_t) -> String? {
        if info.st_mode & S_IWOTH != 0 { return "every user" }
        guard info.st_mode & S_IWGRP != 0, !UserAccount.isPrivate(group: info.st_gid, of: user) else { return nil }
        return "every member of group \(info.st_gid)"
    }

    private static func status(of path: String, makes: Bool = false) throws(PrivatePathError) -> stat {
        var info = stat()
        if lstat(path, &info) == 0 { return info }
        if errno == ENOENT, makes {
            // Another process may create it at the same moment. Its owner is checked next.
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw PrivatePathError(.unusable, "\(path) cannot be created: \(message(errno))")
            }
            syncFolder(of: path)
            if lstat(path, &info) == 0 { return info }
        }
        if errno == ENOENT { throw PrivatePathError(.missing, "\(path) is not there") }
        throw PrivatePathError(.unusable, "\(path) cannot be examined: \(message(errno))")
    }

    /// Syncs the folder that contains a path. Otherwise a power failure could undo a new file, folder or removal in it.
    package static func syncFolder(of path: String) {
        let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        // Ignore the result, as SQLite does: some file systems cannot sync a folder.
        fsync(descriptor)
        close(descriptor)
    }

    private static func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        return String(decoding: bytes.prefix(count).lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    static var workingFolder: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }

    private static func octal(_ mode: mode_t) -> String {
        "0" + String(mode & 0o7777, radix: 8)
    }

    private static func message(_ code: Int32) -> String { String(cString: strerror(code)) }
}
