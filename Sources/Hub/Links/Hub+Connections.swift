import Logging
package import ZeroMQ

/// The connections below the links.
extension Hub {
    /// Closes the connections over which nothing was said, and counts them.
    /// - Parameters:
    ///   - readUpTo: what had arrived at the bus before this time has been read.
    ///   - now: the time of this look.
    func lookAtConnections(readUpTo: MonotonicInstant, at now: MonotonicInstant) {
        state.counters.set("refused: no descriptor for a connection", to: SocketContext.surplusConnections)
        guard let gate else { return }
        let publisherTimes = [publisher, keyedPublisher].compactMap { $0?.readUpTo(at: now) }
        gate.closeSilent(at: publisherTimes.reduce(readUpTo) { min($0, $1) })
        for (reason, count) in gate.counts { state.counters.set(reason, to: count) }
        switch pressureLog.look(gate.pressure(at: now), at: now) {
        case .began(let pressure):
            logger.warning("many connections belong to no peer, or were closed", metadata: ["problem": "\(pressure)"])
        case .ended(let most):
            logger.notice(
                "the connections are in order again", metadata: ["most": "\(most ?? "an unknown process")"])
        case nil: break
        }
    }

    /// What an operator should know about the connections; `nil` for nothing.
    package func connectionProblem(at now: MonotonicInstant) -> String? { gate?.pressure(at: now)?.description }
}
