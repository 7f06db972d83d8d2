/// Slows down guessing: after 5 failed logins of a user within a minute, that user is refused for 15 seconds, and
/// after each further failure for twice as long, up to 5 minutes.
///
/// A login counts as failed from its start until it is reported as succeeded, so that concurrent guesses gain nothing
/// while their hashes are being computed:
///
///     try throttle.begin(user, at: now)
///     let account = try table.verify(user, password: password)
///     throttle.succeeded(user)
///
/// A user's failures are forgotten after a success, and after 10 minutes without an attempt. `now` is in seconds of a
/// monotonic clock.
public struct LoginThrottle: Hashable, Sendable {
    /// The number of attempts within ``window`` after which a user is refused.
    public static let triesBeforeRefusal = 5
    /// The time in which attempts are counted, in seconds.
    public static let window: Double = 60
    /// The duration of the first refusal, in seconds.
    public static let firstRefusal: Double = 15
    /// The duration of the longest refusal, in seconds.
    public static let longestRefusal: Double = 300
    static let forgottenAfter: Double = 600

    /// The maximum number of tracked names. A further name evicts the one with the fewest refusals and, among those,
    /// the one whose last attempt is the oldest.
    public let capacity: Int

    private struct Tries: Hashable {
        var recent: [Double] = []
        var refusals = 0
        var refusedUntil = -Double.infinity
        var last = -Double.infinity
    }

    private var tries: [String: Tries] = [:]

    /// - Parameter capacity: The maximum number of tracked names; at least 1.
    public init(capacity: Int = 1024) {
        precondition(capacity >= 1, "a LoginThrottle tracks at least one name")
        self.capacity = capacity
    }

    var trackedNames: Set<String> { Set(tries.keys) }

    /// Checks whether a login may be attempted now, and counts it as failed until ``succeeded(_:)`` is called. A
    /// refused login isn't counted.
    ///
    /// - Parameters:
    ///   - userName: The name as given, whether an account has it or not.
    ///   - now: Seconds of a monotonic clock.
    /// - Throws: `throttled` with the whole seconds to wait.
    public mutating func begin(_ userName: String, at now: Double) throws(AccountsError) {
        precondition(now.isFinite, "the time of a login is a finite number of seconds")
        let name = Self.trackedName(userName)
        var entry = tries[name] ?? Tries()
        if now - entry.last > Self.forgottenAfter { entry = Tries() }
        if now < entry.refusedUntil {
            // A clock that was set back must not extend a refusal beyond its duration.
            entry.refusedUntil = min(entry.refusedUntil, now + Self.longestRefusal)
            tries[name] = entry
            throw Self.throttled(seconds: max(1, Int((entry.refusedUntil - now).rounded(.up))))
        }
        entry.last = now
        entry.recent = (entry.recent.filter { $0 <= now && now - $0 < Self.window } + [now])
            .suffix(Self.triesBeforeRefusal)
        if entry.refusals > 0 || entry.recent.count >= Self.triesBeforeRefusal {
            entry.refusedUntil = now + Self.refusal(after: entry.refusals)
            entry.refusals += 1
        }
        if tries[name] == nil, tries.count >= capacity { forgetLeastSuspicious() }
        tries[name] = entry
    }

    /// Forgets the failures of a user who has logged in.
    public mutating func succeeded(_ userName: String) {
        tries[Self.trackedName(userName)] = nil
    }

    private mutating func forgetLeastSuspicious() {
        let candidate = tries.min { ($0.value.refusals, $0.value.last) < ($1.value.refusals, $1.value.last) }
        if let candidate { tries[candidate.key] = nil }
    }

    /// The name under which attempts are counted. All invalid names share one entry, because no account can have them
    /// and a caller could otherwise fill the memory with long names.
    private static func trackedName(_ userName: String) -> String {
        AccountRules.isValidName(userName) ? userName : ""
    }

    private static func refusal(after refusals: Int) -> Double {
        // 15 s doubled 5 times already exceeds the longest refusal; without the bound the power would overflow.
        min(longestRefusal, firstRefusal * Double(1 << min(refusals, 5)))
    }

    private static func throttled(seconds: Int) -> AccountsError {
        AccountsError(
            .throttled(seconds: seconds), "Too many failed logins: wait \(seconds) s and try again.")
    }
}
