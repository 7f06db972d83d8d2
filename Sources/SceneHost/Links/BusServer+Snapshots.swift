import Bus

extension BusServer {
    /// A peer's subscriptions have arrived: what is published from now on reaches it, and what was before is in the snapshot.
    func subscribed(_ link: HostLink, after known: UInt64) {
        link.isSubscribed = true
        beginSnapshot(to: link, after: known)
    }

    /// A peer asks for a part of a snapshot, or for a new one.
    func synchronize(_ frame: Frame, from link: HostLink) {
        // One that the host no longer has is begun anew: the number of the part tells the peer.
        guard frame.id > 0, let snapshot = link.snapshot, send(frame.id, of: snapshot, to: link) else {
            return beginSnapshot(to: link, after: frame.revision)
        }
    }

    private func beginSnapshot(to link: HostLink, after known: UInt64) {
        // It has missed changes, or there are some that are too large to be published.
        if link.isSynchronized { counters.add("resynced: a peer was behind") }
        let snapshot = snapshots.snapshot(after: known, head: head, changes: handlers.changes)
        link.snapshot = snapshot
        send(0, of: snapshot, to: link)
    }

    /// Sends one part, and no other before it is asked for: what waits for a peer that does not read is one part, however large
    /// the container is.
    /// - Returns: `false` when there is no such part.
    @discardableResult
    private func send(_ number: UInt64, of snapshot: Snapshot, to link: HostLink) -> Bool {
        guard let (frame, bytes) = snapshot.part(number) else { return false }
        // A part for which there is no room is asked for again, with the whole snapshot.
        guard send(bytes, of: frame, to: link) == .sent, frame.flags.contains(.last) else { return true }
        link.snapshot = nil
        if link.isSubscribed, !link.isSynchronized {
            link.isSynchronized = true
            handlers.synchronized(link)
        }
        return true
    }
}
