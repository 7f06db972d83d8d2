import Bus

/// Limits how many new links a host admits at once and per second. It is a value: the caller passes in the time.
///
/// After a restart a thousand peers reconnect at the same moment, and each requests a whole snapshot. Those that are
/// refused for now spread their attempts over time, and the existing links are served meanwhile.
struct AdmissionRate: Hashable, Sendable {
    /// The number of links that may be admitted at once after a quiet period.
    let burst: Double
    /// The number of links per second, for as long as more peers want to attach.
    let rate: Double
    /// The rate at which new peers are admitted.
    static let newcomers = AdmissionRate(burst: 200, rate: 400)
    /// The rate for workers that hold scenes. It is higher, because their scenes are not given to other workers before
    /// they have attached.
    static let returning = AdmissionRate(burst: 1000, rate: 2000)

    private var left: Double
    private var counted: MonotonicInstant?
    /// When it is the turn of the peer that was refused last.
    private var lastTurn: MonotonicInstant?

    init(burst: Int, rate: Double) {
        self.burst = Double(burst)
        self.rate = rate
        left = Double(burst)
    }

    /// Admits one more link, if the rate allows it.
    mutating func take(at now: MonotonicInstant) -> Bool {
        // A clock that goes backwards adds nothing and removes nothing.
        if let counted, now > counted { left = min(burst, left + (now - counted) / .seconds(1) * rate) }
        counted = max(counted ?? now, now)
        guard left >= 1 else { return false }
        left -= 1
        return true
    }

    /// Returns how long a peer that was refused should wait. The peers' turns follow one another at the rate, so that most
    /// peers whose turn is within the limit are refused once.
    mutating func wait(at now: MonotonicInstant, atMost limit: Duration) -> Duration {
        let last = max(lastTurn ?? now, now)
        let turn = min(last + .seconds(1) / rate, now + limit)
        // The limit may be that of an impatient peer.
        lastTurn = max(last, turn)
        return turn - now
    }
}
