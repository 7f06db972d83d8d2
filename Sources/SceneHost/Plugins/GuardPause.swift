import Bus

/// How long there is no guard after one has ended, or could not be started.
struct GuardPause {
    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(60)

    private var retry = Retry()

    /// Returns the pause before the next guard is started. It doubles until a guard has lived for as long as the longest
    /// pause.
    /// - Parameter life: how long the last guard has lived.
    mutating func after(life: Duration) -> Duration {
        if life >= Self.longest { retry.succeeded() }
        let now = MonotonicInstant.now
        retry.failed(at: now, Retry.Timing(first: Self.shortest, maximum: Self.longest))
        return retry.due.map { $0 - now } ?? Self.shortest
    }
}
