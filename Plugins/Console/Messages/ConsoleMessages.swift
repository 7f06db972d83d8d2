public import Messaging

/// A screen on a wall.
public struct ConsoleWall: Codable, Hashable, Sendable {
    public var name: String
    /// The scene configuration that it shows.
    public var configuration: String
    /// The session of its own. It is opened when the screen first comes.
    public var session: String
    /// The link with which the session is opened; `nil` for none.
    public var url: String?
    /// What those before it may do: `show` or `use`; `nil` for what the console's configuration says.
    public var access: String?

    public init(name: String, configuration: String, session: String, url: String? = nil, access: String? = nil) {
        self.name = name
        self.configuration = configuration
        self.session = session
        self.url = url
        self.access = access
    }
}

/// Who was logged out of the console.
public struct ConsoleLogOut: Codable, Hashable, Sendable {
    /// The number of browsers that were logged in.
    public var browsers: Int
    /// The number of screens on walls: they stay, with their keys.
    public var wallsThatStay: Int

    public init(browsers: Int, wallsThatStay: Int) {
        self.browsers = browsers
        self.wallsThatStay = wallsThatStay
    }
}

/// The messages that the console handles. Only operators of the host may send them, for themselves and in no session: others are
/// refused with the code `unauthorized`.
@ResponderMessages
public protocol ConsoleMessages {
    /// Returns an address that logs one browser in to the console. It works once, and for ten minutes.
    ///
    /// Whoever has the address can use every scene. The bus carries it in plain, because an operator has to read it; neither
    /// the monitor nor the audit shows what a reply holds.
    func consoleLink() async throws -> String
    /// Adds a screen on a wall, and returns its address, with a key that the console does not keep.
    ///
    /// Whoever has the address can see a scene of the configuration, until the key is revoked. It is carried as that of
    /// ``consoleLink()``.
    /// - Parameters:
    ///   - configuration: the scene configuration that the screen shows, in a session of its own.
    ///   - name: 1 to 40 lower-case letters, digits and hyphens, which no other screen has.
    ///   - url: the link with which the session is opened, such as `sign://101`, so that screens of one configuration differ;
    ///     `nil` for none.
    ///   - access: `show` for a scene that can only be seen, or `use` for one that can be used; `nil` for what the console's
    ///     configuration says of all screens.
    func consoleWall(configuration: String, name: String, url: String?, access: String?) async throws -> String
    /// Returns the screens on walls.
    func consoleWalls() async throws -> [ConsoleWall]
    /// Revokes the key of a screen on a wall, and closes its session.
    func consoleRevokeWall(name: String) async throws
    /// Logs all browsers out, and ends the links that were not used yet.
    ///
    /// Screens on walls are no logins, and keep their keys: ``consoleRevokeWall(name:)`` revokes them one by one.
    func consoleLogOutAll() async throws -> ConsoleLogOut
}

extension ResponderChain: ConsoleMessages {}
