package import Glibc

/// A folder that only this user can change: where a host's sockets are, and the default store.
///
/// Whoever can put a socket into the folder can answer in the host's place. With a folder of this user, to which nobody else may
/// write, that is this user and root. But who may write to a folder above it can move it away and put another in its place.
/// So each folder up to `/` has to belong to this user or to root, and nobody else may write to it, unless its sticky bit
/// keeps everybody to what is theirs, as in `/tmp`. A symbolic link on the way is followed when it belongs to this user or to root.
///
/// What was found stays true after the check, until the connect that follows and beyond it: only this user and root can
/// change it. It is not true of a folder that is not there, which anybody may make where all may make folders: nothing connects
/// to it.
package enum PrivateFolder {
    /// Checks that nobody but this user and root can put a socket into a folder.
    /// - Parameter user: who is to own it.
    /// - Throws: ``FolderError``.
    package static func check(_ path: String, user: uid_t = geteuid()) throws(FolderError) {
        let real = try resolve(path, user: user, makes: false)
        try checkWriters(of: real, status(of: real), user: user)
    }

    /// Checks that nobody but this user and root can put files into a folder. It may be root's, and root may use anybody's, which
    /// its owner can put files into, too.
    /// - Throws: ``FolderError``.
    package static func checkWriters(of path: String, user: uid_t = geteuid()) throws(FolderError) {
        let owner = try status(of: path).st_uid
        guard owner == user || owner == 0 || user == 0 else {
            throw FolderError(.unsafe, "\(path) belongs to user \(owner)", owner: owner)
        }
        let trusted = owner == 0 ? user : owner
        let real = try resolve(path, user: trusted, makes: false)
        try checkOthers(real, status(of: real), user: trusted)
    }

    /// Checks where a peer is about to connect: the folder of an `ipc` socket. Other transports have none.
    /// - Throws: ``FolderError`` that says what to do.
    package static func check(endpoint: String, user: uid_t = geteuid()) throws(FolderError) {
        guard endpoint.hasPrefix("ipc://") else { return }
        let path = endpoint.dropFirst("ipc://".count)
        guard !path.hasPrefix("@") else {
            throw FolderError(
                .unsafe, "'\(endpoint)' is in no folder, so that any user may listen there: name the socket's path")
        }
        guard path.utf8.count <= HostDirectory.maximumPath else {
            throw FolderError(
                .unusable,
                """
                the socket's path \(path) has \(path.utf8.count) bytes, and the system allows \(HostDirectory.maximumPath): set \
                SCENEBUS_RUNTIME to a shorter folder, for the host and for its peers
                """)
        }
        let slash = path.lastIndex(of: "/")
        guard let slash, slash > path.startIndex else {
            throw FolderError(
                .unusable,
                slash == nil
                    ? "'\(endpoint)' has no folder: name the socket's whole path"
                    : "no folder is known for the sockets: set SCENEBUS_RUNTIME to one of your own")
        }
        do {
            try check(String(path[..<slash]), user: user)
        } catch {
            guard error.code != .missing else { throw error }
            if let owner = error.owner {
                // Root must not be led to take a service's folder away from it.
                throw FolderError(
                    error.code,
                    """
                    \(error); if that is user \(owner)'s host, run this as that user, as with `sudo -u '#\(owner)'`, or reach it \
                    over TCP with --host; for a host of your own set SCENEBUS_RUNTIME to a folder of your own, for the host and \
                    for its peers
                    """, owner: owner)
            }
            throw FolderError(
                error.code,
                "\(error); mend that, or set SCENEBUS_RUNTIME to a folder of your own, for the host and for its peers")
        }
    }

    /// Makes a folder, and those above it that are missing, so that only this user can enter it. One that others may enter is
    /// closed to them. One that others may write to is refused: they may have put something into it.
    /// - Throws: ``FolderError``.
    package static func make(_ path: String, user: uid_t = geteuid()) throws(FolderError) {
        let real = try resolve(path, user: user, makes: true)
        let descriptor = open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            // The host before may have removed it just now.
            throw FolderError(errno == ENOENT ? .missing : .unusable, "\(real) cannot be opened: \(message(errno))")
        }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0 else {
            throw FolderError(.unusable, "\(real) cannot be looked at: \(message(errno))")
        }
        try checkWriters(of: real, info, user: user)
        guard info.st_mode & 0o7777 != 0o700 else { return }
        guard fchmod(descriptor, 0o700) == 0, fstat(descriptor, &info) == 0, info.st_mode & 0o077 == 0 else {
            throw FolderError(
                .unsafe, "\(real) can be entered by others (mode \(octal(info.st_mode))), and that cannot be changed")
        }
    }

    /// Whether others may make a folder of the same name once this one is gone.
    package static func isShared(parentOf path: String) -> Bool {
        var info = stat()
        let parent = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
        return stat(parent.isEmpty ? "/" : String(parent), &info) != 0 || writers(info, user: geteuid()) != nil
    }

    // MARK: - Looking

    /// The real path of a folder, all of whose parents are safe.
    private static func resolve(_ path: String, user: uid_t, makes: Bool) throws(FolderError) -> String {
        guard !path.isEmpty else {
            throw FolderError(.unusable, "no folder is known for it, for there is no home folder: set HOME")
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
                // What is above has been looked at on the way here.
                _ = real.popLast()
                continue
            }
            let next = "/" + (real + [name]).joined(separator: "/")
            let info = try status(of: next, makes: makes)
            switch info.st_mode & S_IFMT {
            case S_IFLNK:
                guard info.st_uid == user || info.st_uid == 0 else {
                    throw FolderError(
                        .unsafe, "\(next) is a link that belongs to user \(info.st_uid)", owner: info.st_uid)
                }
                links += 1
                guard links <= 40, let target = target(of: next) else {
                    throw FolderError(.unusable, "\(next) is a link that leads nowhere")
                }
                if target.hasPrefix("/") { real = [] }
                rest += target.split(separator: "/").reversed().map(String.init)
            case S_IFDIR:
                real.append(name)
                if !rest.isEmpty { try checkParent(next, info, user: user) }
            default:
                throw FolderError(.unusable, "\(next) is no folder")
            }
        }
        return "/" + real.joined(separator: "/")
    }

    private static func checkParent(_ path: String, _ info: stat, user: uid_t) throws(FolderError) {
        guard info.st_uid == user || info.st_uid == 0 else {
            throw FolderError(
                .unsafe, "\(path) belongs to user \(info.st_uid), who can put another folder in its place",
                owner: info.st_uid)
        }
        // Without the sticky bit whoever may write to a folder may also rename what is in it.
        if info.st_mode & S_ISVTX == 0 { try checkOthers(path, info, user: user) }
    }

    /// Checks a folder whose parents are safe.
    private static func checkWriters(of path: String, _ info: stat, user: uid_t) throws(FolderError) {
        guard info.st_uid == user else {
            throw FolderError(.unsafe, "\(path) belongs to user \(info.st_uid)", owner: info.st_uid)
        }
        try checkOthers(path, info, user: user)
    }

    private static func checkOthers(_ path: String, _ info: stat, user: uid_t) throws(FolderError) {
        guard let writers = writers(info, user: user) else { return }
        throw FolderError(.unsafe, "\(writers) may write to \(path) (mode \(octal(info.st_mode)))")
    }

    /// Who else may write to a folder; `nil` for nobody.
    private static func writers(_ info: stat, user: uid_t) -> String? {
        if info.st_mode & S_IWOTH != 0 { return "every user" }
        guard info.st_mode & S_IWGRP != 0, !UserAccount.isPrivate(group: info.st_gid, of: user) else { return nil }
        return "everybody of group \(info.st_gid)"
    }

    private static func status(of path: String, makes: Bool = false) throws(FolderError) -> stat {
        var info = stat()
        if lstat(path, &info) == 0 { return info }
        if errno == ENOENT, makes {
            // Somebody else may make it at the same moment: whose it is is looked at next.
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw FolderError(.unusable, "\(path) cannot be made: \(message(errno))")
            }
            syncFolder(of: path)
            if lstat(path, &info) == 0 { return info }
        }
        if errno == ENOENT { throw FolderError(.missing, "\(path) is not there") }
        throw FolderError(.unusable, "\(path) cannot be looked at: \(message(errno))")
    }

    /// Brings a new folder's name to the disk: what is kept in it would be lost with it at a power cut.
    private static func syncFolder(of path: String) {
        let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func target(of link: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = bytes.withUnsafeMutableBytes { buffer in
            readlink(link, buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        return count > 0 && count < bytes.count ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
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
