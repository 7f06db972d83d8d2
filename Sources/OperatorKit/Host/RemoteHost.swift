import Bus
public import Messaging

/// A host of another process, which a program watches and operates as the command `scenebus` does.
///
///     RemoteHost.main { host in
///         for session in try await host.sessions() { print(session.id, session.state) }
///     }
///
/// The link is kept until ``close()``, and made anew when it is lost. A request that is sent meanwhile waits for it, at
/// most for the timeout.
///
/// All methods throw ``MessageError`` when the host cannot be reached in time or is overloaded, and ``RemoteError`` when it
/// refuses.
@MainActor
public final class RemoteHost: ResponderSender {
    private let client: HostClient

    /// Attaches to a host.
    /// - Parameters:
    ///   - address: the host's address, such as `tcp://192.0.2.7:5570`; `nil` for that of the environment variable
    ///     `SCENEBUS_HOST`, or else the default host of this machine.
    ///   - timeout: how long each request may take, more than 0 and at most an hour.
    /// - Throws: an ``ExitCoded`` error, whose description says why the host cannot be reached, and what to do.
    public init(_ address: String? = nil, timeout: Duration = .seconds(10)) async throws {
        let options = ClientOptions(host: address, timeout: timeout / .seconds(1))
        try options.validate()
        client = try await HostClient(options)
    }

    /// The chain to the host. The application's own messages can be sent along it, too.
    public var chain: ResponderChain { client.chain }

    /// Closes the link. Requests without a reply fail.
    public func close() { client.close() }

    // MARK: - Sessions

    /// Returns the open sessions.
    /// - Parameter worker: the worker to which they are assigned; `nil` for all sessions.
    public func sessions(of worker: String? = nil) async throws -> [RemoteSession] {
        try await chain.hostSessions(of: worker).map(RemoteSession.init)
    }

    /// The open sessions, as a list that comes again whenever something in it has changed.
    /// - Parameter interval: the time between two requests to the host.
    public func sessionChanges(every interval: Duration = .seconds(1)) -> SessionChanges {
        SessionChanges(host: self, interval: interval)
    }

    /// Returns a session.
    public func session(_ id: String) async throws -> RemoteSession {
        RemoteSession(try await chain.hostSession(session: id))
    }

    /// Opens a session. Its scene is created as soon as a worker has room for it.
    /// - Parameters:
    ///   - configuration: the scene configuration; `nil` for the only one that the workers offer.
    ///   - id: the session's name, which must not be in use; `nil` for one that the host makes.
    public func openSession(_ configuration: String? = nil, id: String? = nil) async throws -> RemoteSession {
        RemoteSession(
            try await chain.hostOpenSession(
                configuration: configuration, role: RemoteSession.defaultRole, link: nil, session: id))
    }

    /// Closes a session, with its scene and its state.
    public func closeSession(_ id: String) async throws {
        try await chain.hostCloseSession(session: id)
    }

    // MARK: - Scenes

    /// Returns what a session's scene shows.
    public func screen(of session: String) async throws -> ScreenContent {
        try await chain.hostSceneContent(session: session)
    }

    /// Acts in a session's scene as the person in front of it does.
    /// - Parameters:
    ///   - action: the name of the action, one of those that the screen offers.
    ///   - session: the session.
    ///   - fields: the values of the action's fields, by their names.
    /// - Returns: what the scene shows afterwards.
    @discardableResult
    public func act(_ action: String, in session: String, fields: [String: String] = [:]) async throws
        -> ScreenContent
    {
        try await chain.hostSceneAct(session: session, action: action, fields: fields)
    }
}
