public import PeerLink

/// What a host is started with.
public struct HostConfiguration: Sendable {
    /// The host's name: tells hosts of one user on one machine apart.
    public var name: String
    /// Where its sockets and its lock are.
    public var directory: HostDirectory
    /// TCP addresses to listen on besides, such as `tcp://127.0.0.1:5570`; the publisher takes the next port.
    public var listen: [String] = []
    /// Listen on addresses that other machines reach although nothing authenticates them.
    public var isInsecure = false
    /// Peers that may be attached at a time; `nil` for as many as the process's open files allow.
    public var maximumLinks: Int?
    /// The folder of plugins, each a folder with a `plugin.json`; `nil` for none.
    public var plugins: String?
    /// Values that replace those of the manifests' configurations: `machine.alerts.cpu.warning=0.5`, or `machine.key@FILE` for a
    /// file's text.
    public var overrides: [String] = []
    /// The session store's file; `nil` keeps sessions in memory only.
    public var store: String?
    /// Scenes to open at the first start: configuration names. Ignored once there are open sessions.
    public var openAtFirstStart: [String] = []
    /// How long the record of a `@Once` request is kept: no such request may wait longer.
    public var onceWindow = Duration.seconds(600)
    /// Records of `@Once` requests that are kept at a time.
    public var maximumOnceRecords = 100_000
    /// The bytes of the replies that are kept with them: a `@Once` request that comes when there are as many is refused.
    public var maximumOnceBytes = 256 << 20
    /// How long the host waits at its end for what its peers have left to say.
    var goodbyeTimeout = Duration.seconds(1)
    /// How long a worker has to make a scene.
    var placementTimeout = Duration.seconds(5)
    /// Bounds the store's file, as a full disk does; `nil` for no bound.
    var maximumStorePages: Int?
    /// The waits before a scene that could not be made, or a state that could not be written, is tried again.
    var retry = Retry.Timing(first: .seconds(1), maximum: .seconds(30))

    public init(name: String = "default") {
        self.name = name
        directory = HostDirectory(name: name)
    }
}

/// Why a host cannot start, and the way out.
public struct HostError: Error, CustomStringConvertible {
    /// What kind of reason it is: `scenebus host` ends with 2 for ``usage``, with 4 for ``refused``, else with 1.
    public enum Code: Sendable {
        /// The configuration is wrong.
        case usage
        /// Another host runs, or an address is taken.
        case inUse
        /// Refused for safety.
        case refused
        /// The system has not let it.
        case failed
    }

    /// What kind of reason it is.
    public let code: Code
    /// What is wrong, and the way out.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    init(_ error: StoreError) {
        code =
            switch error.kind {
            case .busy, .superseded: .inUse
            case .unsuitable: .usage
            case .other: .failed
            }
        description = error.description
    }
}
