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

/// The addresses of one transport of a host.
package struct HostEndpoint: Hashable, Sendable {
    /// Where the host takes what is directed to it.
    package var bus: String
    /// Where it publishes.
    package var publisher: String

    package init(bus: String, publisher: String) {
        self.bus = bus
        self.publisher = publisher
    }

    /// The publisher's address as a peer reaches it: a `*` stands for the host part of the address it connected to.
    package static func resolve(publisher: String, connectedTo bus: String) -> String {
        guard publisher.hasPrefix("tcp://*:"), bus.hasPrefix("tcp://"), let colon = bus.lastIndex(of: ":") else {
            return publisher
        }
        let host = bus[bus.index(bus.startIndex, offsetBy: 6)..<colon]
        return "tcp://\(host):\(publisher.dropFirst("tcp://*:".count))"
    }

    /// A bound address as people write it: libzmq gives an IPv4 address back as `[::ffff:127.0.0.1]`.
    package static func plain(_ bound: String) -> String {
        let mapped = "tcp://[::ffff:"
        guard bound.hasPrefix(mapped), let end = bound.firstIndex(of: "]") else { return bound }
        return "tcp://\(bound.dropFirst(mapped.count)[..<end])\(bound[bound.index(after: end)...])"
    }

    /// A bound address as peers are told it: a wildcard address stands for whichever one a peer connected to.
    package static func advertised(_ bound: String) -> String {
        let bound = plain(bound)
        for wildcard in ["tcp://0.0.0.0:", "tcp://[::]:"] where bound.hasPrefix(wildcard) {
            return "tcp://*:" + bound.dropFirst(wildcard.count)
        }
        return bound
    }
}
