import ArgumentParser
import Bus
import CBOR
public import Messaging

/// A host of another process, which a program watches, and in whose scenes it acts.
///
///     RemoteHost.main { host in
///         for session in try await host.sessions() { print(session.id, session.state.rawValue) }
///     }
///
/// The link is made anew when it is lost, until ``close()`` or a permanent refusal. A request that is sent meanwhile waits
/// for it, at most for the timeout.
///
/// All methods that send a request throw ``MessageError``: `timeout` and `peerLost` when the host cannot be reached, and others when it is
/// overloaded or ends. They throw ``RemoteError`` when the host refuses, with a `code` such as `unknownSession`,
/// `unknownConfiguration`, `notConnected` (the session has no scene) or `refused`, and `CancellationError` when the calling
/// task is cancelled.
@MainActor
public final class RemoteHost: ResponderSender {
    let client: HostClient
    private let user: String?

    /// Attaches to a host. This fails at once if nothing listens at a socket of this machine, else after 2 s, or after the
    /// timeout if that is longer and the host does not answer.
    /// - Parameters:
    ///   - address: a context, which `scenebus context` lists, or the host's address, such as `tcp://192.0.2.7:5570`; `nil` for
    ///     the host with the name. Over TCP a context with this machine's key is needed, unless `SCENEBUS_INSECURE` is 1.
    ///   - name: the name of a host on this machine; `nil` for what the environment variable `SCENEBUS_HOST` names, or else
    ///     for the context in use, or else for this machine's default host.
    ///   - timeout: how long each request may take, more than 0 and at most an hour.
    /// - Throws: an ``ExitCoded`` error, whose description says why the host cannot be reached, and what to do;
    ///   `CancellationError`.
    public init(_ address: String? = nil, name: String? = nil, timeout: Duration = .seconds(10)) async throws {
        do {
            let options = ClientOptions(
                host: address, name: try name.map { try BusName($0) }, timeout: timeout / .seconds(1))
            try options.validate()
            client = try await HostClient(options)
            user = nil
        } catch let error as ValidationError {
            throw CommandError(.usage, error.message)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw CommandError(error)
        }
    }

    private init(_ client: HostClient, user: String) { (self.client, self.user) = (client, user) }

    /// Returns this host for one of the program's own users: what is sent with it is that user's act. It uses the same link.
    ///
    /// A handler reads the user as ``MessageActor/user``, and `scenebus audit` lists it. A program with a key needs the grant
    /// `user=NAME` for it, or `user=*`; else the host refuses its requests with ``MessageError`` and the code `unauthorized`. It is
    /// the program that makes sure who its users are.
    /// - Parameter user: the user's name, which begins with a letter or a digit, has only characters that are seen and plain
    ///   spaces, and has at most ``MessageActor/maximumUserLength`` bytes. A request for another name fails with the code
    ///   `malformed`, and a post is dropped.
    public func acting(for user: String) -> RemoteHost { RemoteHost(client, user: user) }

    /// The chain to the host. The application's own messages can be sent along it, too.
    public var chain: ResponderChain { user.map { client.chain(actingFor: $0) } ?? client.chain }

    /// Whether the host is attached now.
    public var isAttached: Bool { client.isAttached }

    /// Closes the link. Requests without a reply fail. Call it before the last reference to the object goes.
    public func close() { client.close() }

    // MARK: - Sessions

    /// Returns the open sessions.
    /// - Parameter worker: the worker to which they are assigned; `nil` for all sessions.
    /// - Throws: ``RemoteError`` with the code `unknownWorker` if the host knows no such worker.
    public func sessions(of worker: String? = nil) async throws -> [RemoteSession] {
        try await chain.hostSessions(of: worker).map(RemoteSession.init)
    }

    /// Returns a session.
    public func session(_ id: String) async throws -> RemoteSession {
        RemoteSession(try await chain.hostSession(session: id))
    }

    /// Opens a session, and waits until its scene runs, or until it is known why it does not.
    ///
    /// An error with `mayHaveBeenHandled` does not say whether the session is open. To be able to try again, give it a name,
    /// and look with ``session(_:)``.
    /// What the scene sends while it is made, also for the link, is its worker's own act.
    /// - Parameters:
    ///   - configuration: the scene configuration; `nil` for the only one that the workers offer.
    ///   - id: the session's name, which must not be in use; `nil` for one that the host makes.
    ///   - link: what the scene opens first; `nil` for nothing.
    public func openSession(
        _ configuration: String? = nil, id: String? = nil, link: DeepLink? = nil
    ) async throws -> RemoteSession {
        RemoteSession(
            try await chain.hostOpenSession(
                configuration: configuration, role: RemoteSession.defaultRole,
                link: try link.map { try CBORRaw(encoding: $0) }, session: id))
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
    ///   - secrets: the values that nobody may see on their way, such as a password.
    /// - Returns: what the scene shows afterwards.
    @discardableResult
    public func act(
        _ action: String, in session: String, fields: [String: String] = [:], secrets: [String: Secret<String>] = [:]
    ) async throws -> ScreenContent {
        try await chain.hostSceneAct(
            session: session, action: action, fields: ActionFields(fields, secrets: secrets))
    }

    /// Acts in a session's scene at most once, however often it is called with the same identifier.
    ///
    /// The action is on its way also over a link that is lost and comes back, and while the host is started again. After an error with
    /// `timeout`, call it again with the same identifier: the host then says how the first call ended, and begins nothing anew. An error with
    /// `mayHaveBeenHandled` says that nobody knows, because a process died in between. The host keeps
    /// identifiers for ten minutes, if it is not told otherwise.
    /// - Parameters:
    ///   - action: the name of the action, one of those that the screen offers.
    ///   - session: the session.
    ///   - layer: the key of the layer that the person saw, so that the action does not reach another screen; `nil` for whichever the
    ///     scene shows.
    ///   - fields: the values of the action's fields, by their names.
    ///   - secrets: the values that nobody may see on their way, such as a password.
    ///   - id: what identifies the action: another one each time that the person acts. It means something only to the peer of this name.
    public func perform(
        _ action: String, in session: String, layer: String? = nil, fields: [String: String] = [:],
        secrets: [String: Secret<String>] = [:], id: MessageID = .new()
    ) async throws {
        try await chain.identified(by: id).hostScenePerform(
            session: session, layer: layer, action: action, fields: ActionFields(fields, secrets: secrets))
    }
}
