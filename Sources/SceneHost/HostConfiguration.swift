package import Bus
public import PeerLink

/// The configuration of a host.
public struct HostConfiguration: Sendable {
    /// The host's name, which distinguishes the hosts of one user on one machine.
    public var name: String { busName.text }
    let busName: BusName
    /// The folder of the host's sockets and its lock.
    public var directory: HostDirectory
    /// Additional TCP addresses to listen on, such as `tcp://127.0.0.1:5570`; the publisher uses the next port.
    public var listen: [String] = []
    /// Whether peers attach over TCP without keys: everybody who can reach the addresses may do everything then, also the
    /// other users of this machine at an address of the loopback interface.
    public var isInsecure = false
    /// The folder of the host's key and of the keys that it allows; `nil` for `SCENEBUS_KEYS`, or else `scenebus` in
    /// `XDG_CONFIG_HOME` or `~/.config`. It is used only by a host that listens on TCP.
    public var keys: String?
    /// The maximum number of attached peers; `nil` for as many as the process's limit of open files allows.
    public var maximumLinks: Int?
    /// The plugins folders. Each has one folder with a `plugin.json` for each plugin.
    public var plugins: [String] = []
    /// Values that replace those of the manifests' configurations: `machine.alerts.cpu.warning=0.5`, or
    /// `machine.key@FILE` for a file's text.
    public var overrides: [String] = []
    /// The session store's file; `nil` keeps sessions in memory only.
    public var store: String?
    /// The names of the scene configurations to open at the first start. Ignored when there are open sessions.
    public var openAtFirstStart: [String] = []
    /// How long the record of a `@Once` request is kept, at least two minutes. No such request may have a longer timeout.
    public var onceWindow = Duration.seconds(600)
    /// The shortest ``onceWindow``: for so long, a surface sends an action again.
    static let shortestOnceWindow = Duration.seconds(120)
    /// The maximum number of records of `@Once` requests.
    public var maximumOnceRecords = 100_000
    /// The maximum size of all recorded replies in bytes. A `@Once` request that arrives at this limit is refused.
    public var maximumOnceBytes = 256 << 20
    /// How long the host waits at shutdown for its peers' last messages and goodbyes.
    var goodbyeTimeout = Duration.seconds(1)
    /// The timeout for a worker to make a scene.
    var placementTimeout = Duration.seconds(5)
    /// The maximum size of the store's file in pages, which simulates a full disk; `nil` for no limit.
    var maximumStorePages: Int?
    /// The delays before the host again tries to place a scene.
    var retry = Retry.Timing(first: .seconds(1), maximum: .seconds(30))

    /// Creates the configuration of the host with the name `default`.
    public init() { self.init(.default) }

    /// Creates the configuration of a host.
    /// - Parameter name: the host's name. It begins with a letter or a digit, has only letters, digits, `-`, `_` and `.`,
    ///   and has at most 128 bytes.
    /// - Throws: an error that says what is wrong with the name. A process that ends with it has the exit code 2.
    public init(name: String) throws { try self.init(BusName(name)) }

    package init(_ name: BusName) {
        busName = name
        directory = HostDirectory(name)
    }

    /// Refuses a window in which an action that is sent again would not be known any more, and would be done twice.
    func checkOnceWindow() throws {
        let shortest = Self.shortestOnceWindow
        guard onceWindow >= shortest else {
            throw HostError(
                .usage,
                "'onceWindow' is \(onceWindow / .seconds(1)) s: make it at least \(shortest.components.seconds) s, for so "
                    + "long a browser or a terminal sends an action again")
        }
    }
}
