import Bus
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
    /// The longest pause before what could not be passed on is passed on again.
    private static let longestPause = Duration.seconds(10)
    /// How long the person who leaves waits for what was typed last.
    private static let lastTime = Duration.seconds(2)

    /// What the host is asked for.
    private enum Request {
        case perform(SceneSubmission)
        /// To store what has been typed by then.
        case passOn
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
        self?.request.yield(.passOn)
    }
    /// The pause before what cannot be passed on now is passed on again.
    private var pause = SceneSurface.typingTime
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

    /// Shows the scene until the person leaves, or a signal ends the process. Says on standard error what was typed and the scene
    /// does not have.
    /// - Throws: why the scene cannot be shown any more.
    func run() async throws {
        defer { sayUnsent() }
        try await show()
        await passOn(within: Self.lastTime)
    }

    private func show() async throws {
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
            if view.form.hasTyped { typingTimer.set(noLaterThan: .now + pause) }
            redraw.yield()
        }
    }

    /// Does what the person asks for, one after the other.
    private func act() async {
        for await request in requests {
            switch request {
            case .perform(let submission):
                // A row, a tab or the way back may lead to where it cannot be passed on any more.
                if !submission.isWhole { await passOn(within: Self.lastTime) }
                await perform(submission)
            case .passOn: await passOn()
            }
            redraw.yield()
        }
    }

    private func perform(_ submission: SceneSubmission) async {
        do {
            try await host.perform(submission, in: session)
            view.finish(submission, error: nil)
        } catch is CancellationError {
            // The person has left, and nobody knows whether it was done.
        } catch {
            view.finish(submission, error: CommandError(error).message, isRefusal: error.isSceneRefusal)
        }
        if view.form.hasTyped { typingTimer.set(noLaterThan: .now + pause) }
    }

    /// Passes on what has been typed. What does not arrive is passed on again later.
    /// - Parameter limit: how long that may take; `nil` for as long as other requests.
    private func passOn(within limit: Duration? = nil) async {
        guard let draft = view.takeTyped() else { return }
        do {
            let chain = limit.map { self.chain.within($0) } ?? self.chain
            try await chain.hostSceneFill(session: session, layer: draft.layer, fields: draft.fields)
            view.finish(draft, error: nil)
            pause = Self.typingTime
        } catch let error as MessageError where error.code == .unhandled {
            // A worker of an earlier build takes it with an action alone.
            view.finish(draft, error: nil)
        } catch {
            view.finish(draft, error: CommandError(error).message, isRefusal: error.isSceneRefusal)
            pause = min(pause * 2, Self.longestPause)
        }
        if view.form.hasTyped { typingTimer.set(noLaterThan: .now + pause) }
    }

    /// Says what was typed and may be lost with this terminal.
    private func sayUnsent() {
        if let submission = view.form.sent {
            StandardError.write(
                "scenebus: '\(submission.label.printable)' was on its way and may have been done: look at the scene with "
                    + "'scenebus scene show \(session)'")
        }
        for (label, text) in view.form.unsent {
            StandardError.write(
                "scenebus: what was typed in '\(label.printable)' was not passed on to the scene:\n\(text.printableLines)"
            )
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
