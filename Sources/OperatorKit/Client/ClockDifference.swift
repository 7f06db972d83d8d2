/// By how much the clock of this machine is ahead of the host's, in seconds; negative if it is behind.
///
/// The host's machine says its time in a reply. It had that time at some moment between the request and the reply, so that
/// the difference is known only within half of that time.
package struct ClockDifference: Hashable, Sendable {
    /// A difference that nobody would notice, in seconds.
    private static let allowed = 5.0

    package let seconds: Double
    /// By how much it may be wrong, in seconds.
    package let uncertainty: Double

    /// - Parameters:
    ///   - host: the time of the host in its reply, in seconds since 1970, as are the others.
    ///   - asked: when the request was sent.
    ///   - answered: when the reply had arrived.
    package init(host: Double, asked: Double, answered: Double) {
        seconds = (asked + answered) / 2 - host
        uncertainty = max(0, answered - asked) / 2
    }

    /// Whether the clocks may agree.
    package var isFine: Bool { abs(seconds) <= Self.allowed + uncertainty }

    /// The difference for people, with the way out if it is large.
    package var description: String {
        guard isFine else {
            // A host may say any number.
            let amount = abs(seconds) < 1e9 ? "\(Int(abs(seconds).rounded())) s" : "years"
            let side = seconds > 0 ? "ahead of" : "behind"
            return "the clock of this machine is \(amount) \(side) the host's: the times in logs do not match, and "
                + "invitations expire at another time; set both by NTP, see 'timedatectl'"
        }
        return "the clocks of this machine and of the host agree"
    }
}
