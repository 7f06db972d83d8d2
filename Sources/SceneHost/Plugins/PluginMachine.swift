import Bus

/// The state machine of one process that the host starts.
///
/// This value receives events and returns decisions. The caller passes the time.
///
///     starting > attached > hung      when the process ends: waiting > starting
///
/// A process that does not attach, or that loses its link and does not reconnect, is killed, because its scenes and
/// entries are served again only after a restart.
struct PluginMachine: Sendable {
    /// The time limits for a process.
    struct Limits: Hashable, Sendable {
        /// For a process to attach; `nil` for no limit.
        var start: Duration? = .seconds(20)
        /// For a process that has lost its link to reconnect; `nil` for no limit.
        var hang: Duration? = .seconds(10)
        /// For a process to end after it was asked to.
        var end = Duration.seconds(3)
    }

    /// The first delay before a restart, which doubles with each failure up to the maximum.
    static let backoff = Duration.milliseconds(200)
    static let maximumBackoff = Duration.seconds(10)
    /// The shortest delay after a process that attached but did not run for ``healthy``. Its scenes return to it, and may
    /// have crashed it.
    private static let backoffAfterCrash = Duration.seconds(1)
    /// How long a process that attached must run until the next delay is the first one again.
    private static let healthy = Duration.seconds(10)
    /// If two checks are further apart than this, the host itself was stopped. The limits then restart, because the
    /// host has not read what its processes sent in the meantime.
    private static let pause = Duration.seconds(2)

    /// How long a host that is busy extends a limit.
    private static let longestExtension = Duration.seconds(60)

    private(set) var state = PluginState.starting
    /// Why the process is not attached; `nil` while it is.
    private(set) var problem: String?
    /// The number of restarts.
    private(set) var restarts = 0

    /// Whether it is expected to attach, for the first time or again.
    var isExpected: Bool {
        switch state {
        case .starting, .hung, .ending, .waiting: true
        case .attached, .failed, .ended: false
        }
    }

    /// Whether the last process was the first one that has failed, or the first one after one that ran well.
    var isFirstFailure: Bool { failures == 1 }

    private let limits: Limits
    private var started: MonotonicInstant?
    private var wasAttached = false
    private var failures = 0
    /// The time in which it has to attach, reconnect or end; `nil` when nothing is expected. Compared with `seen`,
    /// which is the time that the host has observed since.
    private var limit: Duration?
    private var seen = Duration.zero
    private var lastLooked: MonotonicInstant?
    /// Until when a busy host extends the limit.
    private var extensionEnd: MonotonicInstant?
    /// Why it has lost its link, or has to end.
    private var loss = ""
    /// Why the host refused this process.
    private var refusal: String?
    /// Why the host has killed it.
    private(set) var verdict: String?

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    // MARK: - Events

    /// The process is about to be started.
    mutating func starts(at now: MonotonicInstant) {
        state = .starting
        started = now
        wasAttached = false
        refusal = nil
        verdict = nil
        extensionEnd = now + Self.longestExtension
        expect(limits.start, from: now)
    }

    /// The process has said hello and was refused, temporarily or permanently. It does not hang, so its time limit
    /// starts again.
    mutating func refused(_ reason: String, at now: MonotonicInstant) {
        refusal = reason
        problem = reason
        if verdict == nil { expect(limit, from: now) }
    }

    /// The host is too busy to read hellos or to admit peers. A process that waits for that does not hang, so its limit
    /// restarts, for ``longestExtension`` at most: a host that stays so busy must still replace a process that hangs.
    mutating func hostIsBusy(at now: MonotonicInstant) {
        guard verdict == nil, state == .starting || state == .hung, now < extensionEnd ?? now else { return }
        expect(limit, from: now)
    }

    mutating func attached() {
        state = .attached
        wasAttached = true
        problem = nil
        limit = nil
    }

    /// The link is lost, and the process is still running as far as is known.
    mutating func detached(_ reason: String, saidGoodbye: Bool, at now: MonotonicInstant) {
        guard state == .attached else { return }
        state = saidGoodbye ? .ending : .hung
        loss = reason
        problem = reason
        extensionEnd = now + Self.longestExtension
        expect(limits.hang, from: now)
    }

    /// The process was asked to end.
    mutating func askedToEnd(at now: MonotonicInstant) {
        guard started != nil, verdict == nil else { return }
        state = .ending
        loss = "it was asked to end"
        expect(limits.end, from: now)
    }

    /// Checks the time limit.
    /// - Returns: the reason to kill the process; `nil` when there is none, or the process was killed before.
    mutating func look(at now: MonotonicInstant) -> String? {
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
            default: "it hangs: it lost its link and did not reconnect within \(time) (\(loss))"
            }
        self.verdict = verdict
        self.limit = nil
        if state != .ending { state = .hung }
        problem = verdict
        return verdict
    }

    /// The process has ended, or could not be started.
    /// - Parameter end: a description of how it ended.
    /// - Returns: the delay before it is started again.
    mutating func ended(_ end: String, at now: MonotonicInstant) -> Duration {
        let ranFor = started.map { now - $0 } ?? .zero
        failures = wasAttached && ranFor > Self.healthy ? 1 : failures + 1
        let first = wasAttached && failures > 1 ? Self.backoffAfterCrash : Self.backoff
        problem = end
        state = .waiting
        started = nil
        limit = nil
        restarts += 1
        let doublings = min(max(failures - 1, 0), 8)
        return min(max(Self.backoff * (1 << doublings), first), Self.maximumBackoff)
    }

    /// The host could not create what the process needs.
    mutating func fails(_ reason: String) {
        state = .failed
        problem = reason
    }

    /// The host shuts down.
    mutating func stop() {
        state = .ended
        limit = nil
    }

    private mutating func expect(_ limit: Duration?, from now: MonotonicInstant) {
        self.limit = limit
        seen = .zero
        lastLooked = now
    }

    private static func words(_ duration: Duration) -> String { "\(duration / .seconds(1)) s" }
}
