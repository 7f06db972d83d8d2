import Bus
import ZeroMQ

/// Which refused keys are logged: each once, and only some a minute. It is a value: the caller passes in the time.
struct LoggedKeys {
    private static let maximumCount = 1000
    /// How many lines there may be in a minute.
    private static let perMinute = 10

    private var keys: Set<PublicKey> = []
    private var minute: (start: MonotonicInstant, count: Int)?

    /// Lets keys be logged again, because they may have been allowed since. The lines of this minute still count.
    mutating func forgetKeys() { keys = [] }

    /// Returns whether a refused key is worth a line now.
    mutating func allows(_ key: PublicKey, at now: MonotonicInstant) -> Bool {
        if keys.count >= Self.maximumCount { keys = [] }
        guard keys.insert(key).inserted else { return false }
        if let minute, now - minute.start < .seconds(60) {
            guard minute.count < Self.perMinute else { return false }
            self.minute?.count += 1
        } else {
            minute = (now, 1)
        }
        return true
    }
}
