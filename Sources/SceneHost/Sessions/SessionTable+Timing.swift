extension SessionTable {
    /// How long to wait for workers and for retries.
    struct Timing {
        var retry = Retry.Timing(first: .seconds(1), maximum: .seconds(30))
        /// How long a disconnected worker may continue to run its scenes: two heartbeats, and a margin for the clocks.
        var lease = Duration.milliseconds(2500)
        /// How long after a host's start a worker of the earlier host may take to attach: the time to notice a missing
        /// reply, the delay of a reconnect, and a margin.
        var comeBack = Duration.milliseconds(4500)
        /// The maximum time that a new host waits for the workers of an earlier one.
        var longestCollection = Duration.seconds(60)
        /// How long a suspect's scene has to run without a crash until the session is not suspect any more. At most
        /// twice as long passes.
        var suspicion = Duration.seconds(120)
        /// How long a scene waits for its worker to be synchronized again. A worker that keeps reconnecting but
        /// receives nothing from the publisher must not hold the scene indefinitely.
        var patience = Duration.seconds(10)
    }
}
