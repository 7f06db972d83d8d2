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
    private let responder: LinkResponder
    private let watch: LinkWatch

    /// The host has refused for good while the command went on.
    package var refusal: CommandError? { watch.refusal }

    /// How long a host has to say welcome that is not known to be there.
    package static let connectTimeout = Duration.seconds(2)

    /// Attaches to the host.
    /// - Parameters:
    ///   - synchronizes: keep a copy of the container, handing each change to `onDependencies`.
    ///   - connectTimeout: how long a host has to take it. `nil` for the usual time: none when nobody listens at the socket, and as long
    ///     as any other request may take when somebody does.
    ///   - knownKeys: the keys of the copy's entries.
    /// - Throws: ``CommandError`` that says which address was tried, and what to do.
    package init(
        _ options: ClientOptions, role: PeerRole = .operator, synchronizes: Bool = false,
        connectTimeout: Duration? = nil,
        knownKeys: @escaping @MainActor () -> Set<String> = { [] },
        onDependencies: @escaping @MainActor (DependencyReplica.Action) -> Void = { _ in }
    ) async throws {
        let probe = connectTimeout == nil ? SocketProbe(options.endpoint) : .unknown
        if probe == .dead { throw Self.noSocket(options) }
        let limit = connectTimeout ?? Self.connectTimeout(after: probe, options)
        self.options = options
        context = SocketContext()
        var configuration = LinkConfiguration(
            endpoint: options.endpoint, role: role, peer: "\(role.rawValue)-\(getpid())", context: context)
        configuration.machine.synchronizes = synchronizes
        configuration.requestTimeout = .seconds(options.timeout)
        link = Link(configuration)
        responder = LinkResponder(link)
        watch = LinkWatch(link, knownKeys: knownKeys, onDependencies: onDependencies)
        do {
            welcome = try await watch.attach(within: limit) { refusal in
                if let refusal {
                    CommandError(.refused, "the host at \(options.endpoint) refuses: \(refusal.reason)")
                } else {
                    CommandError(
                        .unreachable, probe == .alive ? Self.unanswered(options, limit) : Self.unreachable(options))
                }
            }
        } catch {
            link.stop()
            throw error
        }
    }

    /// How long a host has to say welcome, after what a look at its socket told.
    private static func connectTimeout(after probe: SocketProbe, _ options: ClientOptions) -> Duration {
        probe == .alive ? max(connectTimeout, .seconds(options.timeout)) : connectTimeout
    }

    /// Why there is no socket: who may write to its folder could put one there at any time, and that is worth more than that there
    /// is none.
    private static func noSocket(_ options: ClientOptions) -> any Error {
        do {
            try PrivateFolder.check(endpoint: options.endpoint)
        } catch {
            if error.code != .missing { return error }
        }
        return CommandError(.unreachable, unreachable(options))
    }

    private static func unanswered(_ options: ClientOptions, _ limit: Duration) -> String {
        "a process listens at \(options.endpoint), and has not answered within \(limit / .seconds(1)) s: it is busy, or hangs; allow "
            + "more with --timeout, or end it and start another with 'scenebus host'"
    }

    private static func unreachable(_ options: ClientOptions) -> String {
        let step =
            options.address == nil
            ? "start one with 'scenebus host', or name another with --host ADDRESS"
            : "check the address, and that the host was started with --listen (it also needs the next port)"
        return "no host answers at \(options.endpoint); \(step)"
    }

    /// Sends messages to the host.
    package var chain: ResponderChain { (responder as Responder).chain.within(.seconds(options.timeout)) }

    package func close() { link.stop() }

    /// For a command that continues while the host is away: says so on the standard error, and when it is attached again.
    package func sayWhenAway() { watch.sayWhenAway() }

    /// Lets a command continue until Ctrl-C.
    /// - Throws: ``CommandError`` when the host refuses it for good.
    package func goOnUntilInterrupted() async throws {
        let refusals = watch.refusals()
        let waiting: @MainActor @Sendable () async throws -> Void = {
            for await refusal in refusals { throw refusal }
        }
        try await untilInterrupted(waiting)
    }
}

extension ClientOptions {
    /// Attaches, runs a body, and closes.
    @MainActor
    package func withHost<Result: Sendable>(_ body: @MainActor (HostClient) async throws -> Result) async throws
        -> Result
    {
        let client = try await HostClient(self)
        defer { client.close() }
        return try await body(client)
    }
}
