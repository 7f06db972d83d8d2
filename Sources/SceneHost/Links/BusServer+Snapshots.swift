import Bus

extension BusServer {
    /// A peer asks for a part of a snapshot, or for a new one.
    func synchronize(_ frame: Frame, from link: HostLink) {
        guard frame.epoch == epoch else { return count("dropped: synchronize of another epoch") }
        if frame.part > 0, let snapshot = link.snapshot, snapshot.revision == frame.revision,
            snapshot.previous == frame.previous, send(frame.part, of: snapshot, to: link)
        {
            return beginWaitingSnapshots(at: .now)
        }
        // One that the host no longer has is begun anew: the number of the part tells the peer.
        let isWaiting = link.waitsForSnapshot != nil
        link.waitsForSnapshot = frame.previous
        guard !isWaiting else { return }
        let snapshot = snapshot(after: frame.previous)
        if snapshot.isSmall || snapshotTurns.mayBegin(link.id, at: .now) { begin(snapshot, to: link) }
    }

    /// Those whose turn has come get the first part of theirs.
    func beginWaitingSnapshots(at now: ContinuousClock.Instant) {
        // As many as there may be at a time: no turn of the loop is for all that wait.
        for _ in 0..<SnapshotTurns.limit {
            guard let id = snapshotTurns.next(at: now) else { return }
            guard let link = links[id], let known = link.waitsForSnapshot else { continue }
            begin(snapshot(after: known), to: link)
        }
    }

    private func snapshot(after known: UInt64) -> Snapshot {
        snapshots.snapshot(after: known, head: head) { Snapshot(handlers.snapshot(known), epoch: epoch) }
    }

    private func begin(_ snapshot: Snapshot, to link: HostLink) {
        link.waitsForSnapshot = nil
        // It has missed changes, or there are some that are too large to be published.
        if link.isSynchronized { counters.add("resynced: a peer was behind") }
        link.snapshot = snapshot
        send(0, of: snapshot, to: link)
    }

    /// Sends one part, and no other before it is asked for: what waits for a peer that does not read is one part, however large
    /// the container is.
    /// - Returns: `false` when there is no such part.
    @discardableResult
    private func send(_ number: UInt64, of snapshot: Snapshot, to link: HostLink) -> Bool {
        guard let (frame, bytes) = snapshot.part(number) else { return false }
        // A part for which there is no room is asked for again.
        guard send(bytes, of: frame, to: link) == .sent else { return true }
        guard frame.flags.contains(.last) else {
            snapshotTurns.sentPart(link.id, at: .now)
            return true
        }
        snapshotTurns.ended(link.id)
        link.snapshot = nil
        if !link.isSynchronized {
            link.isSynchronized = true
            handlers.synchronized(link)
        }
        return true
    }
}
