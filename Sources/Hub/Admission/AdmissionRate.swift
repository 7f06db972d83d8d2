/// How many new links a host takes: so many at once, and so many a second. A value: the time is fed in.
///
/// After a restart a thousand peers come back at the same moment, and each wants a whole snapshot. Those that are told to come
/// again spread themselves over time, and the links that are there already are served meanwhile.
struct AdmissionRate: Hashable, Sendable {
    /// Links that may be taken at once after a quiet time.
    let burst: Double
    /// Links a second, for as long as more want to come.
    let rate: Double
    private var left: Double
    private var counted: ContinuousClock.Instant?

    init(burst: Int, rate: Double) {
        self.burst = Double(burst)
        self.rate = rate
        left = Double(burst)
    }

    /// Takes one more link, if the rate allows it.
    mutating func take(at now: ContinuousClock.Instant) -> Bool {
        // A clock that goes back gives nothing, and takes nothing.
        if let counted, now > counted { left = min(burst, left + (now - counted) / .seconds(1) * rate) }
        counted = max(counted ?? now, now)
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
