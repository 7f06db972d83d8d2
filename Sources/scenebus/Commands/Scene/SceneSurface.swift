import Bus
import CBOR
import Messaging
import OperatorKit
import PeerLink
import UnixSignals
import ZeroMQ

/// A scene on the whole terminal.
///
/// What is shown and what keys mean is in ``SceneView``. Here are the terminal, the signals, and the requests to the host.
@MainActor
final class SceneSurface {
    /// How long the bytes after that of the Escape key may take, if it was the beginning of another key.
    private static let escapeTime = Duration.milliseconds(50)

    /// How long nothing is typed before what was typed is passed on.
    private static let typingTime = Duration.milliseconds(250)

    /// What the host is asked for.
    private enum Request {
        case perform(SceneSubmission)
        case fill(layer: String, fields: [String: String])
    }

    private let session: String
    private let host: HostClient
    private let chain: ResponderChain
    private let terminal: FullScreenTerminal
    private var view: SceneView
    private var decoder = TerminalKeyDecoder()
    private lazy var escapeTimer = LoopTimer { [weak self] in
        guard let self else { return }
        handle(decoder.flush())
    }
    private lazy var typingTimer = LoopTimer { [weak self] in
        guard let self, let (layer, fields) = view.takeTyped() else { return }
        request.yield(.fill(layer: layer, fields: fields))
    }
    /// Whether something else may have drawn on the terminal.
    private var isOverdrawn = false

    private let redraws: AsyncStream<Void>
    private let redraw: AsyncStream<Void>.Continuation
    private let requests: AsyncStream<Request>
    private let request: AsyncStream<Request>.Continuation
    private let departures: AsyncStream<Void>
    private let departure: AsyncStream<Void>.Continuation

    init(_ session: String, at host: HostClient) throws {
        self.session = session
        self.host = host
        chain = host.chain
        terminal = try FullScreenTerminal()
        view = SceneView(session: session, size: terminal.size)
        (redraws, redraw) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (requests, request) = AsyncStream.makeStream()
        (departures, departure) = AsyncStream.makeStream()
    }

    /// Shows the scene until the person leaves, or a signal ends the process.
    /// - Throws: why the scene cannot be shown any more.
    func run() async throws {
        // Before the terminal is taken: a signal must not end the process in between.
        let signals = await UnixSignalsSequence(trapping: EndingSignals.all + [.sigwinch, .sigcont])
        defer { terminal.leave() }
        try await terminal.enter()
        let keys = DescriptorSource(FullScreenTerminal.input) { [weak self] in self?.readKeys() }
        defer {
            keys.cancel()
            escapeTimer.cancel()
            typingTimer.cancel()
        }
        redraw.yield()
        let parts: [@MainActor @Sendable () async throws -> Void] = [
            { for await _ in self.departures { return } },
            { try await self.handle(signals) },
            { try await self.watch() },
            { await self.act() },
            { try await self.draw() },
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in parts { group.addTask(operation: part) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    // MARK: - Parts

    /// Returns at a signal that ends the process.
    private func handle(_ signals: UnixSignalsSequence) async throws {
        for await signal in signals {
            switch signal {
            case .sigwinch: view.resize(to: terminal.size)
            case .sigcont:
                try await terminal.enter()
                isOverdrawn = true
                view.resize(to: terminal.size)
            default: return
            }
            redraw.yield()
        }
    }

    private func watch() async throws {
        for try await scene in SceneChanges(of: session, for: SceneViewers(on: "terminal"), over: chain) {
            view.show(scene)
            redraw.yield()
        }
    }

    /// Performs what the person asks for, one after the other.
    private func act() async {
        for await request in requests {
            guard case .perform(let submission) = request else {
                // It is still here if it does not arrive, and goes with the next action.
                if case .fill(let layer, let fields) = request {
                    try? await chain.hostSceneFill(session: session, layer: layer, fields: fields)
                }
                continue
            }
            do {
                try await host.perform(submission, in: session)
                view.finish(submission, error: nil)
            } catch {
                view.finish(submission, error: CommandError(error).message)
            }
            redraw.yield()
        }
    }

    private func draw() async throws {
        var drawn: TerminalScreen?
        for await _ in redraws {
            if isOverdrawn { drawn = nil }
            isOverdrawn = false
            let screen = view.screen
            try await terminal.write(screen.output(after: drawn))
            drawn = screen
        }
    }

    // MARK: - Keys

    private func readKeys() {
        guard let bytes = terminal.read() else {
            // The terminal is gone, and would be reported as readable for ever.
            departure.yield()
            return
        }
        escapeTimer.cancel()
        handle(decoder.decode(bytes))
        if decoder.isWaiting { escapeTimer.set(for: .now + Self.escapeTime) }
    }

    private func handle(_ keys: [TerminalKey]) {
        for key in keys {
            switch view.handle(key) {
            case .perform(let submission)?: request.yield(.perform(submission))
            case .leave?: departure.yield()
            case .scrollLines?, .scrollPages?, .scrollToStart?, .scrollToEnd?, nil: break
            }
        }
        typingTimer.set(for: .now + Self.typingTime)
        redraw.yield()
    }
}
