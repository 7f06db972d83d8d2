package import Bus
package import Messaging
import Glibc
package import PeerLink
package import ZeroMQ

/// A command's link to the host.
@MainActor
package final class HostClient {
    package let link: Link
    package let context: SocketContext
    package let welcome: Welcome
    private let options: ClientOptions
    /// Where the host is.
    package let reference: HostReference
    private let responder: LinkResponder
    private let watch: LinkWatch

    /// The host's permanent refusal, if it refused the link after the command had attached.
    package var refusal: CommandError? { watch.refusal }

    /// How long to wait for the welcome of a host that is not known to be running.
    package static let connectTimeout = Duration.seconds(2)

    /// Attaches to the host.
    /// - Parameters:
    ///   - options: the options of the command; they name the host and the timeout.
    ///   - reference: where the host is; `nil` for what the options say.
    ///   - role: the role of this peer.
    ///   - synchronizes: whether the link receives the container and passes each change to `onDependencies`.
    ///   - connectTimeout: how long to wait for the host's welcome. With `nil` the initializer fails at once when no
    ///     process listens at the socket, waits at least `options.timeout` when one does, and waits 2 seconds when that
    ///     is unknown.
    ///   - knownKeys: returns the keys of the entries that the caller holds.
    ///   - onDependencies: called with each change of the container.
    /// - Throws: ``CommandError``, which names the address and the next step.
    package init(
        _ options: ClientOptions, at reference: HostReference? = nil, role: PeerRole = .operator,
        synchronizes: Bool = false,
        connectTimeout: Duration? = nil,
        knownKeys: @escaping @MainActor () -> Set<String> = { [] },
        onDependencies: @escaping @MainActor (DependencyReplica.Action) -> Void = { _ in }
    ) async throws {
        let reference = try reference ?? options.reference()
        let endpoint = reference.endpoint
        let probe = connectTimeout == nil ? SocketProbe(endpoint) : .unknown
        if probe == .dead { throw Self.noSocket(reference, options) }
        let limit = connectTimeout ?? Self.connectTimeout(after: probe, options)
        self.options = options
        self.reference = reference
        context = SocketContext()
        var configuration = try LinkConfiguration(
            reference, role: role, peer: Self.nextName(role, at: reference).text, context: context)
        configuration.machine.synchronizes = synchronizes
        configuration.requestTimeout = .seconds(options.timeout)
        link = Link(configuration)
        responder = LinkResponder(link)
        watch = LinkWatch(link, knownKeys: knownKeys, onDependencies: onDependencies)
        do {
            welcome = try await watch.attach(within: limit) { refusal in
                if let refusal {
                    CommandError(.refused, "the host at \(endpoint) refused the connection: \(refusal.reason)")
                } else {
                    CommandError(
                        .unreachable,
                        probe == .alive ? Self.unanswered(endpoint, limit) : Self.unreachable(reference, options))
                }
            }
        } catch {
            link.stop()
            throw error
        }
    }

    /// The number of clients that this process has had.
    private static var count: UInt64 = 0

    /// A name that no other client has, also of this process: the host takes a second one of the same name for the first,
    /// attaching again.
    private static func nextName(_ role: PeerRole, at reference: HostReference) throws -> BusName {
        defer { count += 1 }
        return BusName.unique(
            try reference.peerName(role.rawValue), pid: getpid(), life: ProcessIdentity.ownLife &+ count)
    }

    /// How long to wait for the host's welcome, depending on the result of the socket probe.
    private static func connectTimeout(after probe: SocketProbe, _ options: ClientOptions) -> Duration {
        probe == .alive ? max(connectTimeout, .seconds(options.timeout)) : connectTimeout
    }

    /// The error for a missing socket. An unsafe folder takes precedence: another user who can write to it could place
    /// a socket there at any time.
    private static func noSocket(_ reference: HostReference, _ options: ClientOptions) -> any Error {
        do {
            try PrivateFolder.check(endpoint: reference.endpoint)
        } catch {
            if error.code != .missing { return error }
        }
        return CommandError(.unreachable, unreachable(reference, options))
    }

    private static func unanswered(_ endpoint: String, _ limit: Duration) -> String {
        "a process listens at \(endpoint) but has not answered within \(limit / .seconds(1)) s: it is busy or "
            + "hangs; raise --timeout, or stop that process and start a host with 'scenebus host'"
    }

    private static func unreachable(_ reference: HostReference, _ options: ClientOptions) -> String {
        let isLocal = options.address == nil && reference.context == nil
        let endpoint = reference.endpoint
        if isLocal, let hidden = HiddenHost(options.hostName ?? .default, options.directory) {
            return "no host answers at \(endpoint); \(hidden)"
        }
        let step =
            isLocal
            ? "start one with 'scenebus host' or the application's own host, or name another with --host ADDRESS"
            : endpoint.hasPrefix("ipc://")
                ? "check the address, which --host or SCENEBUS_HOST names, and that a host runs there"
                : "check the address, and that the host was started with --listen (it uses this port and the next one)"
        return "no host answers at \(endpoint); \(step)"
    }

    /// A responder chain that sends its messages to the host, with the timeout of the options.
    package var chain: ResponderChain { chain(from: responder) }

    /// A responder chain like ``chain``, whose messages are acts of a user of this program.
    package func chain(actingFor user: String) -> ResponderChain { chain(from: LinkResponder(link, user: user)) }

    private func chain(from responder: Responder) -> ResponderChain {
        responder.chain.within(.seconds(options.timeout))
    }

    /// Called with each record of the tap that arrives over the link.
    package var onTap: @MainActor (Frame) -> Void {
        get { watch.onTap }
        set { watch.onTap = newValue }
    }

    /// Called when the link was lost and is ready again.
    package var onReadyAgain: @MainActor () -> Void {
        get { watch.onReadyAgain }
        set { watch.onReadyAgain = newValue }
    }

    /// Called when the link was lost, and each time that it could not be made again.
    package var onLost: @MainActor () -> Void {
        get { watch.onLost }
        set { watch.onLost = newValue }
    }

    /// Whether the host is attached now.
    package var isAttached: Bool { link.isReady }

    /// Whether the link has ended, so that no host is attached again.
    package private(set) var isClosed = false

    /// Stops the link.
    package func close() {
        isClosed = true
        link.stop()
    }

    /// Reports on standard error when the link is lost and when it is attached again.
    ///
    /// For a command that keeps running while the host is unreachable.
    package func sayWhenAway() { watch.sayWhenAway() }

    /// Waits until Ctrl-C or SIGTERM. Reports when the link is lost and attached again, as with ``sayWhenAway()``.
    /// - Throws: ``CommandError`` when the host refuses the link permanently.
    package func goOnUntilInterrupted() async throws {
        sayWhenAway()
        try await untilInterrupted { try await self.untilRefused() }
    }

    /// Runs a body, and cancels it at Ctrl-C or SIGTERM. Reports as ``goOnUntilInterrupted()`` does.
    /// - Throws: the body's error; ``CommandError`` when the host refuses the link permanently.
    package func goOnUntilInterrupted(_ body: @escaping @MainActor @Sendable () async throws -> Void) async throws {
        sayWhenAway()
        try await untilInterrupted { try await self.unlessRefused(body) }
    }

    /// Runs a body, and cancels it when the host refuses the link permanently.
    /// - Throws: the body's error; ``CommandError`` for the refusal, and for a request that the host does not know.
    package func unlessRefused(_ body: @escaping @MainActor @Sendable () async throws -> Void) async throws {
        do {
            try await untilEitherEnds(body)
        } catch {
            throw explained(error)
        }
    }

    private func untilEitherEnds(_ body: @escaping @MainActor @Sendable () async throws -> Void) async throws {
        let refused: @MainActor @Sendable () async throws -> Void = { try await self.untilRefused() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(operation: body)
            group.addTask(operation: refused)
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Waits until the host refuses the link permanently, or the task is cancelled.
    private func untilRefused() async throws {
        for await refusal in watch.refusals() { throw refusal }
    }
}

extension ClientOptions {
    /// Attaches to the host, runs a body, and closes the link.
    /// - Returns: the body's result.
    /// - Throws: ``CommandError`` when the host cannot be reached, and for a request that the host does not know; the
    ///   body's error.
    @MainActor
    package func withHost<Result: Sendable>(_ body: @MainActor (HostClient) async throws -> Result) async throws
        -> Result
    {
        let client = try await HostClient(self)
        defer { client.close() }
        do {
            return try await body(client)
        } catch {
            throw client.explained(error)
        }
    }
}
