import Bus

extension Hub {
    /// A peer asks for a part of a snapshot, or for a new one.
    func synchronize(_ frame: Frame, from link: HubLink) {
        guard frame.epoch == epoch else { return count("dropped: synchronize of another epoch") }
        if frame.part > 0, let snapshot = link.snapshot, snapshot.revision == frame.revision,
            snapshot.previous == frame.previous, send(frame.part, of: snapshot, to: link)
        {
            // It goes on with the one that it has begun, whatever it has asked for meanwhile.
            link.waitsForSnapshot = nil
            return beginWaitingSnapshots(at: .now)
        }
        // Its part is on its way: on a slow line, or to a peer that has waited and asked again. To begin anew now would make it begin
        // anew with each of the two.
        if let snapshot = link.snapshot, snapshot.previous == frame.previous,
            frame.part == 0 || frame.revision != snapshot.revision, snapshotTurns.isActive(link.id, at: .now)
        {
            return
        }
        // One that the host no longer has is begun anew: the number of the part tells the peer.
        let isWaiting = link.waitsForSnapshot != nil
        link.waitsForSnapshot = frame.previous
        guard !isWaiting else { return }
        let snapshot = snapshot(after: frame.previous)
        // Workers wait for what the others provide.
        let isFirst = snapshot.isSmall || link.hello.role != .worker
        if isFirst || snapshotTurns.mayBegin(link.id, at: .now) { begin(snapshot, to: link) }
    }

    /// Those whose turn has come get the first part of theirs.
    func beginWaitingSnapshots(at now: ContinuousClock.Instant) {
        // As many as there may be at a time: no turn of the loop is for all that wait.
        var begun = 0
        while begun < SnapshotTurns.limit, let id = snapshotTurns.next(at: now) {
            // It may be gone by now.
            guard let link = links[id], let known = link.waitsForSnapshot else { continue }
            begin(snapshot(after: known), to: link)
            begun += 1
        }
    }

    /// Sends the part for which there was no room.
    func sendUnsentPart(to link: HubLink) {
        guard let number = link.unsentPart, let snapshot = link.snapshot else { return }
        link.unsentPart = nil
        send(number, of: snapshot, to: link)
        beginWaitingSnapshots(at: .now)
    }

    private func snapshot(after known: UInt64) -> Snapshot {
        snapshots.snapshot(after: known, head: head) {
            Snapshot(container?.snapshot(after: known) ?? DependencyTable().snapshot(after: known), epoch: epoch)
        }
    }

    private func begin(_ snapshot: Snapshot, to link: HubLink) {
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
    private func send(_ number: UInt64, of snapshot: Snapshot, to link: HubLink) -> Bool {
        guard let (frame, bytes) = snapshot.part(number) else { return false }
        guard send(bytes, of: frame, to: link) == .sent else {
            link.unsentPart = number
            return true
        }
        link.unsentPart = nil
        guard frame.flags.contains(.last) else {
            snapshotTurns.sent(part: number, to: link.id, at: .now)
            return true
        }
        snapshotTurns.ended(link.id)
        link.snapshot = nil
        if !link.isSynchronized {
            link.isSynchronized = true
            observer?.synchronized(link)
        }
        return true
    }
}
