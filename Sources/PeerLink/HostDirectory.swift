package import Glibc

/// Where a host can be reached, and where it leaves what others need to find it.
public struct HostDirectory: Sendable {
    /// The folder that holds the sockets and the lock; empty when there is neither a home folder nor another place for it.
    public let folder: String

    /// A folder of this user's: in `SCENEBUS_RUNTIME`, else in the folder that the system has for what runs, else in the home
    /// folder. Never where others may make it first.
    /// - Parameter name: tells hosts of one user apart.
    public init(name: String = "default") {
        let base = Self.base { key in getenv(key).map { String(cString: $0) } }
        folder = base.map { "\($0)/\(name)" } ?? ""
    }

    /// The folder of the folders of all hosts of a user; `nil` when nothing says where it may be.
    /// - Parameters:
    ///   - runtimes: where the system has a folder for each user.
    ///   - environment: the environment's values.
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

    public init(folder: String) {
        self.folder = folder
    }

    /// The address for everything that is directed.
    public var endpoint: String { "ipc://\(folder)/bus" }
    /// The address of what is published.
    public var publisher: String { "ipc://\(folder)/pub" }
    /// Held by the running host.
    public var lockFile: String { "\(folder)/lock" }

    /// Unix-domain socket paths are short: `sun_path` has 108 bytes.
    public var isTooLong: Bool { folder.utf8.count + 4 > Self.maximumPath }

    /// The bytes of a socket's path.
    static let maximumPath = 107
}
