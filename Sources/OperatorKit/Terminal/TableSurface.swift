import Glibc
import PeerLink
import UnixSignals

/// A listing on the whole terminal, drawn again when it has changed.
@MainActor
final class TableSurface {
    private let watch: TableWatch
    private let terminal: FullScreenTerminal
    private var listing: TableListing
    /// Why the host, which is attached, has not answered the last look.
    private var trouble: String?
    /// Whether something else may have drawn on the terminal.
    private var isOverdrawn = false
    private let redraws: AsyncStream<Void>
    private let redraw: AsyncStream<Void>.Continuation

    /// - Throws: ``CommandError`` if the terminal cannot be used.
    init(_ watch: TableWatch, _ first: TableListing) throws {
        self.watch = watch
        listing = first
        terminal = try FullScreenTerminal(readsKeys: false)
        (redraws, redraw) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Shows the listing until a signal ends the process.
    /// - Throws: why it cannot be shown any more.
    func run() async throws {
        // Before the terminal is taken: a signal must not end the process in between.
        let signals = await UnixSignalsSequence(trapping: EndingSignals.all + [.sigwinch, .sigcont])
        defer { terminal.leave() }
        try await terminal.enter()
        // On the terminal itself, the screen says it.
        if isatty(STDERR_FILENO) != 1 { watch.host?.sayWhenAway() }
        watch.onLinkChange = { [redraw] in redraw.yield() }
        redraw.yield()
        let showing: @MainActor @Sendable () async throws -> Void = {
            let parts: [@MainActor @Sendable () async throws -> Void] = [
                { try await self.handle(signals) }, { try await self.look() }, { try await self.draw() },
            ]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for part in parts { group.addTask(operation: part) }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
        guard let host = watch.host else { return try await showing() }
        try await host.unlessRefused(showing)
    }

    /// Returns at a signal that ends the process.
    private func handle(_ signals: UnixSignalsSequence) async throws {
        for await signal in signals {
            switch signal {
            case .sigwinch: break
            case .sigcont:
                try await terminal.enter()
                isOverdrawn = true
            default: return
            }
            redraw.yield()
        }
    }

    private func look() async throws {
        try await watch.lookAgain { look in
            switch look {
            case .listing(let listing): (self.listing, trouble) = (listing, nil)
            case .unanswered(let reason): trouble = "\(reason); trying again"
            }
            redraw.yield()
        }
    }

    private func draw() async throws {
        var drawn: TerminalScreen?
        for await _ in redraws {
            if isOverdrawn { drawn = nil }
            isOverdrawn = false
            let screen = listing.screen(terminal.size, notice: notice)
            try await terminal.write(screen.output(after: drawn))
            drawn = screen
        }
    }

    /// What the person should know about the watching itself.
    private var notice: String? {
        if watch.host?.isAttached == false { return "the host is away; trying again" }
        return trouble ?? listing.warnings.first
    }
}
