import Bus
import Messaging

/// The snapshots with which the copy of the container starts, and catches up.
extension Link {
    func receivedSnapshot(_ frame: Frame, at now: MonotonicInstant) throws(FrameError) {
        guard frame.epoch == welcome?.epoch else { return }
        switch try snapshotAssembly.received(frame) {
        case .next(let number, let revision):
            replica.receivedPart(at: now)
            synchronize(after: frame.previous, part: number, of: revision)
        case .ignored: break
        case .lost: perform(replica.lostSnapshot(at: now))
        case .complete(let change):
            // Asked beforehand, because the copy must not be read while it changes.
            let keys = replica.needsKeys(for: change) ? delegate?.knownKeys(self) ?? [] : []
            perform(replica.received(snapshot: change, keys: keys, at: now))
            if replica.isSynchronized { perform(traffic.machine.synchronized(at: now)) }
        }
    }

    private func synchronize(after known: UInt64, part: UInt64, of revision: UInt64) {
        guard let welcome else { return }
        var frame = Frame(.synchronize)
        frame.epoch = welcome.epoch
        frame.previous = known
        frame.part = part
        frame.revision = revision
        send(frame)
    }

    func perform(_ actions: [DependencyReplica.Action]) {
        for action in actions {
            if case .synchronize(let known) = action {
                traffic.machine.askedForSnapshot(at: .now)
                if let part = snapshotAssembly.awaited, part.previous == known {
                    synchronize(after: known, part: part.number, of: part.revision)
                } else {
                    synchronize(after: known, part: 0, of: 0)
                }
            } else {
                delegate?.link(self, changed: action)
            }
        }
        endHeldRequests()
    }

    /// Ends the requests whose replies have waited for changes of the container that are there now.
    private func endHeldRequests() {
        guard traffic.requests.hasHeldEnds else { return }
        for frame in traffic.requests.releaseEnds(at: replica.revision) { receivedEnd(of: frame) }
    }
}
