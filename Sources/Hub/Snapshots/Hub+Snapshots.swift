import Messaging
import Access
import Bus

extension Hub {
    /// Handles a peer's request for a part of a snapshot, or for a new snapshot.
    func synchronize(_ frame: Frame, from link: HubLink) {
        guard frame.epoch == epoch else { return count("dropped: synchronize of another epoch") }
        let now = MonotonicInstant.now
        let isNext: Bool
        if let snapshot = link.snapshot, snapshot.revision == frame.revision, snapshot.previous == frame.previous {
            isNext = frame.part > 0 && frame.part == link.sentPart.map { $0.number + 1 }
        } else {
            isNext = false
        }
        // The peer is on a slow line, or has waited and asked again. If the host replied to each request, the peer would
        // get the same again and again. After a part that ends a snapshot, it asks for what follows.
        if !isNext, let part = link.sentPart, frame.previous < part.revision,
            part.isOnItsWay(received: link.traffic.sendWindow.arrived, at: now, atMost: snapshotTurns.longestWay)
        {
            return
        }
        if frame.part > 0, let snapshot = link.snapshot, snapshot.revision == frame.revision,
            snapshot.previous == frame.previous, send(frame.part, of: snapshot, to: link)
        {
            // The peer continues with the snapshot that it has begun, whatever it has requested meanwhile.
            link.waitsForSnapshot = nil
            return beginWaitingSnapshots(at: now)
        }
        // If the host no longer has the requested snapshot, it begins a new one. The peer recognizes it by the part
        // number 0.
        let isWaiting = link.waitsForSnapshot != nil
        link.waitsForSnapshot = frame.previous
        guard !isWaiting else { return }
        let snapshot = snapshot(after: frame.previous, for: link)
        // The first snapshots of other peers go ahead, because workers wait for what these peers provide.
        link.isAhead = snapshot.isSmall || link.hello.role != .worker && !link.isSynchronized
        if link.isAhead || snapshotTurns.mayBegin(link.id, of: link.owner, at: .now) { begin(snapshot, to: link) }
    }

    /// Sends the first part to the peers whose turn has come.
    func beginWaitingSnapshots(at now: MonotonicInstant) {
        // Begins at most as many as may be active at a time, so that one turn of the event loop does not serve all
        // waiting peers.
        var begun = 0
        while begun < SnapshotTurns.limit, let id = snapshotTurns.next(at: now) {
            // The link may be gone by now.
            guard let link = links[id], let known = link.waitsForSnapshot else { continue }
            begin(snapshot(after: known, for: link), to: link)
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

    /// Drops the snapshots of the peers that do not go on with them, or whose places others need. These peers begin anew
    /// when they ask for the next part.
    func dropOldSnapshots(at now: MonotonicInstant) {
        for id in snapshotTurns.takeDropped(at: now) {
            guard let link = links[id], link.snapshot != nil else { continue }
            state.counters.add("dropped: snapshot of a slow peer")
            (link.snapshot, link.unsentPart, link.sentPart) = (nil, nil, nil)
        }
    }

    /// Returns the changes since a revision that a peer may read.
    private func snapshot(after known: UInt64, for link: HubLink) -> Snapshot {
        if let access = link.access, !access.readsAll {
            let configuration: (String) -> String? = { [routing] in routing?.configuration(ofSession: $0) }
            return Snapshot(
                changes(after: known).filter { access.mayRead($0, configuration: configuration) }, epoch: epoch)
        }
        return snapshots.snapshot(after: known, head: head) { Snapshot(changes(after: known), epoch: epoch) }
    }

    private func changes(after known: UInt64) -> DependencySnapshot {
        container?.snapshot(after: known) ?? DependencyRevisions().snapshot(after: known)
    }

    private func begin(_ snapshot: Snapshot, to link: HubLink) {
        link.waitsForSnapshot = nil
        // The peer has missed changes, or some changes were too large to be published.
        if link.isSynchronized { state.counters.add("resynced: a peer was behind") }
        link.snapshot = snapshot
        send(0, of: snapshot, to: link)
    }

    /// Sends one part. The next part is sent only when the peer requests it. So at most one part waits for a peer that
    /// does not read, however large the container is.
    /// - Returns: `false` when there is no such part.
    @discardableResult
    private func send(_ number: UInt64, of snapshot: Snapshot, to link: HubLink) -> Bool {
        guard let (frame, bytes) = snapshot.part(number) else { return false }
        guard send(bytes, frame.kind, to: link) == .sent else {
            link.unsentPart = number
            return true
        }
        link.unsentPart = nil
        link.sentPart = SentPart(
            number: number, revision: snapshot.revision, end: link.traffic.sendWindow.sent, time: .now)
        guard frame.flags.contains(.last) else {
            snapshotTurns.sent(part: number, to: link.id, of: link.owner, isAhead: link.isAhead, at: .now)
            dropOldSnapshots(at: .now)
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
