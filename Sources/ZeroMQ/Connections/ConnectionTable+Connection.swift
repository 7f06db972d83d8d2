extension ConnectionTable {
    /// What is known of a connection.
    struct Connection {
        let cookie: UInt64
        /// The process or machine that has opened it.
        let owner: Int
        let isPublisher: Bool
        /// Whether its handshake is over, or it has none with a key.
        var isAdmitted: Bool
        /// Since when nothing was heard; `nil` when it does not wait.
        var since: MonotonicInstant?
        /// The number of links that were noted for it. The hello of a connection that has ended may be read when another
        /// one has its descriptor, which then has a link that is not its own, and loses it again.
        var links = 0
        var isSubscribed = false
        /// The key that its handshake attests; `nil` without one, and before something was read.
        var key: PublicKey?
        var allowance: SubscriptionAllowance
    }
}
