import Bus

/// The life of one process that the host starts, as a value: events in, decisions out, time fed in.
///
///     starting > attached > hung      whatever ends the process: waiting > starting
///
/// A process that does not attach, or that has lost its link and does not come back while it lives, is killed: its scenes and its
/// entries are served again only when it is started again.
struct ProcessLife: Sendable {
    /// How long the host is patient with a process.
    struct Limits: Hashable, Sendable {
        /// For a process to attach; `nil` for as long as it takes.
        var start: Duration? = .seconds(20)
        /// For a process that has lost its link to come back; `nil` for as long as it takes.
        var hang: Duration? = .seconds(10)
        /// For a process that was asked to end.
        var end = Duration.seconds(3)
    }

    /// The first wait before a process is started again; doubled each time, up to the maximum.
    static let backoff = Duration.milliseconds(200)
    static let maximumBackoff = Duration.seconds(10)
    /// A process that was attached and ran this long has recovered: the next wait is the first again.
    private static let healthy = Duration.seconds(10)
    /// A host that has not looked for so long stood still itself. Its processes are not to blame: what they said meanwhile has not
    /// been read.
    private static let pause = Duration.seconds(2)

    private(set) var state = PluginState.starting
    /// Why it is not attached; `nil` while it is.
    private(set) var problem: String?
    /// How often it was started again.
    private(set) var restarts = 0

    /// Whether it is about to attach, at the first time or again.
    var isExpected: Bool {
        switch state {
        case .starting, .hung, .ending, .waiting: true
        case .attached, .failed, .ended: false
        }
    }

    private let limits: Limits
    private var started: ContinuousClock.Instant?
    private var wasAttached = false
    private var failures = 0
    /// Until when it has to attach, come back or end, in time that the host has seen pass; `nil` when nothing is awaited.
    private var limit: Duration?
    private var seen = Duration.zero
    private var lastLooked: ContinuousClock.Instant?
    /// Why its link was lost.
    private var loss = ""
    /// Why the host did not let this process attach.
    private var refusal: String?
    /// Why the host has killed it.
    private(set) var verdict: String?

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    // MARK: - Events

    /// Its process is about to be started.
    mutating func starts(at now: ContinuousClock.Instant) {
        state = .starting
        started = now
        wasAttached = false
        refusal = nil
        verdict = nil
        expect(limits.start, from: now)
    }

    /// It has said hello, and was refused for now or for good: it does not hang.
    mutating func refused(_ reason: String, at now: ContinuousClock.Instant) {
        refusal = reason
        problem = reason
        if verdict == nil { expect(limit, from: now) }
    }

    /// The host has no time for those that want to attach: they do not hang for that.
    mutating func hostIsBusy(at now: ContinuousClock.Instant) {
        if verdict == nil, state == .starting || state == .hung { expect(limit, from: now) }
    }

    mutating func attached() {
        state = .attached
        wasAttached = true
        problem = nil
        limit = nil
    }

    /// Its link is lost, and its process lives as far as is known.
    mutating func detached(_ reason: String, saidGoodbye: Bool, at now: ContinuousClock.Instant) {
        guard state == .attached else { return }
        state = saidGoodbye ? .ending : .hung
        loss = reason
        problem = reason
        expect(limits.hang, from: now)
    }

    /// It was asked to end.
    mutating func askedToEnd(at now: ContinuousClock.Instant) {
        guard started != nil, verdict == nil else { return }
        state = .ending
        loss = "it was asked to end"
        expect(limits.end, from: now)
    }

    /// Looks at the clock.
    /// - Returns: why its process has to be killed; `nil` when it does not have to, or was killed before.
    mutating func look(at now: ContinuousClock.Instant) -> String? {
        guard let limit, let last = lastLooked, verdict == nil else { return nil }
        let step = now - last
        lastLooked = now
        seen = step > Self.pause ? .zero : seen + step
        guard seen >= limit else { return nil }
        let time = Self.words(limit)
        let verdict =
            switch state {
            case .starting: "it did not attach within \(time)" + (refusal.map { " (\($0))" } ?? "")
            case .ending: "it did not end within \(time): \(loss)"
            default: "it hangs: its link is lost, and has not come back within \(time) (\(loss))"
            }
        self.verdict = verdict
        self.limit = nil
        if state != .ending { state = .hung }
        problem = verdict
        return verdict
    }

    /// Its process has ended, or could not be started.
    /// - Parameter end: how, in words.
    /// - Returns: how long to wait before it is started again.
    mutating func ended(_ end: String, at now: ContinuousClock.Instant) -> Duration {
        let ranFor = started.map { now - $0 } ?? .zero
        failures = wasAttached && ranFor > Self.healthy ? 0 : failures + 1
        problem = end
        state = .waiting
        started = nil
        limit = nil
        restarts += 1
        return min(Self.backoff * (1 << min(max(failures - 1, 0), 8)), Self.maximumBackoff)
    }

    /// The host could not make what its processes need.
    mutating func fails(_ reason: String) {
        state = .failed
        problem = reason
    }

    /// The host ends.
    mutating func stop() {
        state = .ended
        limit = nil
    }

    private mutating func expect(_ limit: Duration?, from now: ContinuousClock.Instant) {
        self.limit = limit
        seen = .zero
        lastLooked = now
    }

    private static func words(_ duration: Duration) -> String { "\(duration / .seconds(1)) s" }
}
