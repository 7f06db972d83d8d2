package import Bus
package import Glibc

/// The addresses of a host, and the folder in which other processes find it.
public struct HostDirectory: Sendable {
    /// The folder that contains the sockets and the lock; empty when there is neither a home folder nor another place
    /// for it.
    public let folder: String

    /// Creates the directory of this user's host with the name `default`.
    public init() { self.init(.default) }

    /// Creates the directory of one of this user's hosts.
    ///
    /// The folder is in `SCENEBUS_RUNTIME`, otherwise in the system's runtime folder of this user, otherwise in the
    /// home folder. It is never in a place where other users could create it first.
    /// - Parameter name: distinguishes the hosts of one user. It begins with a letter or a digit, has only letters,
    ///   digits, `-`, `_` and `.`, and has at most 128 bytes.
    /// - Throws: an error that says what is wrong with the name.
    public init(name: String) throws { try self.init(BusName(name)) }

    package init(_ name: BusName) {
        let base = Self.base { key in getenv(key).map { String(cString: $0) } }
        folder = base.map { "\($0)/\(name)" } ?? ""
    }

    /// Returns the folder that contains the folders of all hosts of a user; `nil` when no place for it is known.
    /// - Parameters:
    ///   - runtimes: the folder in which the system has a runtime folder for each user.
    ///   - environment: returns the value of an environment variable.
    package static func base(
        of user: uid_t = geteuid(), runtimes: String = "/run/user", environment: (String) -> String?
    ) -> String? {
        if let own = environment("SCENEBUS_RUNTIME"), !own.isEmpty {
            return own.hasPrefix("/") ? own : "\(PrivateFolder.workingFolder)/\(own)"
        }
        if let runtime = environment("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") { return "\(runtime)/scenebus" }
        var info = stat()
        let runtime = "\(runtimes)/\(user)"
        if lstat(runtime, &info) == 0, info.st_mode & S_IFMT == S_IFDIR, info.st_uid == user {
            return "\(runtime)/scenebus"
        }
        return UserAccount.home(of: user, environment: environment).map { "\($0)/.local/state/scenebus/run" }
    }

    /// Creates the directory of a host whose folder is known.
    public init(folder: String) {
        self.folder = folder
    }

    /// The address for directed frames.
    public var endpoint: String { "ipc://\(folder)/bus" }
    /// The address for published frames.
    public var publisher: String { "ipc://\(folder)/pub" }
    /// The lock file, which the running host holds.
    public var lockFile: String { "\(folder)/lock" }

    /// Whether the paths of the sockets are too long for a Unix-domain socket: `sun_path` has 108 bytes.
    public var isTooLong: Bool { folder.utf8.count + 4 > Self.maximumPath }

    /// The maximum length of a socket's path, in bytes.
    static let maximumPath = 107
}
