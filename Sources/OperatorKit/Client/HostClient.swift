package import Bus
package import Messaging
import Glibc
package import PeerLink
package import ZeroMQ

/// A command's link to the host.
@MainActor
package final class HostClient {
    package let link: Link
    package let context: Context
    package let welcome: Welcome
    /// The host has refused for good while the command went on.
    package private(set) var refusal: CommandError?
    private let options: ClientOptions
    private let responder: LinkResponder

    private var onRefusal: @MainActor (CommandError) -> Void = { _ in }

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
        _ options: ClientOptions, role: Role = .operator, synchronizes: Bool = false,
        connectTimeout: Duration? = nil,
        knownKeys: @escaping @MainActor () -> Set<String> = { [] },
        onDependencies: @escaping @MainActor (DependencyReplica.Action) -> Void = { _ in }
    ) async throws {
        let probe = connectTimeout == nil ? SocketProbe(options.endpoint) : .unknown
        if probe == .dead { throw Self.noSocket(options) }
        let limit = connectTimeout ?? Self.connectTimeout(after: probe, options)
        self.options = options
        context = Context()
        var configuration = LinkConfiguration(
            endpoint: options.endpoint, role: role, peer: "\(role.rawValue)-\(getpid())", context: context)
        configuration.machine.synchronizes = synchronizes
        configuration.requestTimeout = .seconds(options.timeout)
        let link = Link(configuration)
        self.link = link
        responder = LinkResponder(link)
        link.handlers.dependencies = onDependencies
        link.handlers.knownKeys = knownKeys
        let (outcomes, outcome) = AsyncStream<Result<Welcome, any Error>>.makeStream()
        link.handlers.ready = { outcome.yield(.success($0)) }
        link.handlers.refused = { outcome.yield(.failure(CommandError(CommandError.refused, $0.reason))) }
        // A host that refuses for now is there.
        var refusal: Refusal?
        link.handlers.lost = { if case .refused(let reason) = $0 { refusal = reason } }
        let timer = LoopTimer {
            let error =
                refusal.map {
                    CommandError(CommandError.refused, "the host at \(options.endpoint) refuses: \($0.reason)")
                }
                ?? CommandError(
                    CommandError.unreachable,
                    probe == .alive ? Self.unanswered(options, limit) : Self.unreachable(options))
            outcome.yield(.failure(error))
        }
        timer.set(for: .now + limit)
        link.start()
        var iterator = outcomes.makeAsyncIterator()
        let first = await iterator.next(isolation: MainActor.shared)
        timer.cancel()
        link.handlers.lost = { _ in }
        do {
            guard let first else { throw CancellationError() }
            welcome = try first.get()
        } catch {
            link.stop()
            throw error
        }
        link.handlers.refused = { [weak self] in self?.refused($0) }
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
        return CommandError(CommandError.unreachable, unreachable(options))
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

    /// For a command that goes on while the host is away: says so on the standard error, and when it is attached again.
    package func sayWhenAway() {
        var reason = link.isReady ? nil : ""
        link.handlers.lost = { loss in
            let refusal: String?
            switch loss {
            case .stopped: return
            // How that ends is the command's last word.
            case .refused(let refused) where !refused.isTemporary: return
            case .refused(let refused): refusal = refused.reason
            default: refusal = nil
            }
            // Each try to come back fails for as long as the host is away: once is enough.
            guard reason == nil || refusal != nil && refusal != reason else { return }
            reason = refusal ?? ""
            CommandError.write("scenebus: \(loss.description.printable); trying again")
        }
        link.handlers.ready = { _ in
            guard reason != nil else { return }
            reason = nil
            CommandError.write("scenebus: attached again")
        }
    }

    private func refused(_ reason: Refusal) {
        let error = CommandError(CommandError.refused, "the host refuses: \(reason.reason)")
        refusal = error
        onRefusal(error)
    }

    /// Lets a command go on until Ctrl-C.
    /// - Throws: ``CommandError`` when the host refuses it for good.
    package func goOnUntilInterrupted() async throws {
        sayWhenAway()
        let (refusals, refusal) = AsyncStream<CommandError>.makeStream()
        onRefusal = { refusal.yield($0) }
        let waiting: @MainActor @Sendable () async throws -> Void = {
            for await refusal in refusals { throw refusal }
        }
        try await untilInterrupted(waiting)
    }
}
