import Bus
import PeerLink
import ZeroMQ

/// Watches a command's link while it attaches, and afterwards while the command runs.
@MainActor
final class LinkWatch: LinkDelegate {
    private enum Phase {
        /// The command waits for the host's welcome. The link retries after a temporary refusal, which is kept here.
        case attaching(AsyncStream<Result<Welcome, any Error>>.Continuation, refusal: Refusal?)
        case attached
        /// The command reports on standard error when the link is lost.
        /// - reason: the reason reported last; `nil` while the link is attached.
        case saying(reason: String?)
    }

    /// The host's permanent refusal, if it refused after the link had been attached.
    private(set) var refusal: CommandError?
    var onTap: @MainActor (Frame) -> Void = { _ in }
    var onReadyAgain: @MainActor () -> Void = {}
    var onLost: @MainActor () -> Void = {}
    private let link: Link
    private let knownKeys: @MainActor () -> Set<String>
    private let onDependencies: @MainActor (DependencyReplica.Action) -> Void
    private var phase = Phase.attached
    private var refused: AsyncStream<CommandError>.Continuation?

    init(
        _ link: Link, knownKeys: @escaping @MainActor () -> Set<String>,
        onDependencies: @escaping @MainActor (DependencyReplica.Action) -> Void
    ) {
        self.link = link
        self.knownKeys = knownKeys
        self.onDependencies = onDependencies
        link.delegate = self
    }

    /// Starts the link, and waits for the host's welcome.
    /// - Parameters:
    ///   - limit: how long to wait.
    ///   - onTimeout: makes the error for a timeout; it gets the host's last temporary refusal, if any.
    /// - Returns: the host's welcome.
    /// - Throws: the error of `onTimeout`; ``CommandError`` when the host refuses permanently.
    func attach(
        within limit: Duration, onTimeout: @escaping @MainActor (Refusal?) -> CommandError
    ) async throws -> Welcome {
        let (outcomes, outcome) = AsyncStream<Result<Welcome, any Error>>.makeStream()
        phase = .attaching(outcome, refusal: nil)
        let timer = LoopTimer { [weak self] in
            guard let self, case .attaching(_, let refusal) = phase else { return }
            outcome.yield(.failure(onTimeout(refusal)))
        }
        timer.set(for: .now + limit)
        link.start()
        var iterator = outcomes.makeAsyncIterator()
        let first = await iterator.next(isolation: MainActor.shared)
        timer.cancel()
        phase = .attached
        guard let first else { throw CancellationError() }
        return try first.get()
    }

    func sayWhenAway() { phase = .saying(reason: link.isReady ? nil : "") }

    /// A stream that delivers the host's permanent refusal.
    func refusals() -> AsyncStream<CommandError> {
        let (refusals, refused) = AsyncStream<CommandError>.makeStream()
        self.refused = refused
        // It may have come before somebody waits for it.
        if let refusal { refused.yield(refusal) }
        return refusals
    }

    // MARK: - LinkDelegate

    func link(_ link: Link, isReady welcome: Welcome) {
        switch phase {
        case .attaching(let outcome, _):
            outcome.yield(.success(welcome))
            return
        case .saying(.some):
            phase = .saying(reason: nil)
            StandardError.write("scenebus: attached again")
        case .attached, .saying(nil): break
        }
        onReadyAgain()
    }

    func link(_ link: Link, wasLost loss: LinkMachine.Loss) {
        defer { onLost() }
        switch phase {
        case .attaching(let outcome, _):
            if case .refused(let reason) = loss { phase = .attaching(outcome, refusal: reason) }
            if case .handshakeFailed(let reason) = loss {
                outcome.yield(.failure(HandshakeFailed(description: reason)))
            }
        case .attached: break
        case .saying(let reason):
            let refusal: String?
            switch loss {
            case .stopped: return
            // `wasRefused` follows, and the command ends with that error.
            case .refused(let refused) where !refused.isTemporary: return
            case .refused(let refused): refusal = refused.reason
            default: refusal = nil
            }
            // Every reconnect fails while the host is unreachable. Report the loss once, and again only for a new
            // refusal.
            guard reason == nil || refusal != nil && refusal != reason else { return }
            phase = .saying(reason: refusal ?? "")
            StandardError.write("scenebus: \(loss.description.printable); trying again")
        }
    }

    func link(_ link: Link, wasRefused refusal: Refusal) {
        if case .attaching(let outcome, _) = phase {
            outcome.yield(.failure(CommandError(.refused, refusal.reason)))
            return
        }
        let error = CommandError(.refused, "the host refused the connection: \(refusal.reason)")
        self.refusal = error
        refused?.yield(error)
    }

    func link(_ link: Link, changed action: DependencyReplica.Action) { onDependencies(action) }

    func link(_ link: Link, receivedTap record: Frame) { onTap(record) }

    func knownKeys(_ link: Link) -> Set<String> { knownKeys() }
}
