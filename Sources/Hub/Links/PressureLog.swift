import ZeroMQ

/// Decides when the log says that connections are pressing, and that they are not any more. It is a value.
struct PressureLog {
    /// What the log says.
    enum Line: Hashable {
        case began(ConnectionPressure)
        /// - Parameter most: the process or machine that had the most connections when it began.
        case ended(most: String?)
    }

    /// How long nothing must press, so that connections that come and go make no line each time.
    static let calm = Duration.seconds(60)

    private var most: String?
    private var lastPressure: MonotonicInstant?

    /// Notes what is known of the connections now.
    /// - Returns: what to log; `nil` for nothing.
    mutating func look(_ pressure: ConnectionPressure?, at now: MonotonicInstant) -> Line? {
        if let pressure {
            let isNew = lastPressure == nil
            lastPressure = now
            guard isNew else { return nil }
            most = pressure.most
            return .began(pressure)
        }
        guard let last = lastPressure, now - last >= Self.calm else { return nil }
        lastPressure = nil
        return .ended(most: most)
    }
}
