import Bus
import ZeroMQ

/// The checks of the links: whether a peer is silent, and whether it reads.
extension Hub {
    /// After this silence a peer has missed a heartbeat and may soon be detached.
    private static let quietAfter = heartbeat * 3 / 2

    /// Checks the links. The timer calls it several times per heartbeat.
    func tick(at now: ContinuousClock.Instant = .now) {
        let stoodStill = backlog.tick(at: now)
        if backlog.isBehind(at: now) { observer?.fellBehind() }
        var quiet: Set<UInt64> = []
        for link in links.values {
            if stoodStill { link.sendWindow.stoodStill(at: now) }
            if let silent = link.liveness.look(at: now) {
                detach(link, .silent(silent))
            } else if link.sendWindow.isStuck(at: now) {
                detach(link, .readsNothing)
            } else if link.liveness.silence(at: now) > Self.quietAfter {
                quiet.insert(link.id)
            }
        }
        observer?.quiet(quiet)
        snapshots.release()
        beginWaitingSnapshots(at: now)
        counters.set("refused: no descriptor for a connection", to: SocketContext.surplusConnections)
        timer.set(for: backlog.nextTick(at: .now))
    }
}
