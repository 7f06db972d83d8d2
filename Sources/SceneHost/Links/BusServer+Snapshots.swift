import Bus

extension BusServer {
    /// A peer asks for a part of a snapshot, or for a new one.
    func synchronize(_ frame: Frame, from link: HostLink) {
        guard frame.epoch == epoch else { return count("dropped: synchronize of another epoch") }
        if frame.part > 0, let snapshot = link.snapshot, snapshot.revision == frame.revision,
            snapshot.previous == frame.previous, send(frame.part, of: snapshot, to: link)
        {
            return
        }
        // One that the host no longer has is begun anew: the number of the part tells the peer.
        beginSnapshot(to: link, after: frame.previous)
    }

    private func beginSnapshot(to link: HostLink, after known: UInt64) {
        // It has missed changes, or there are some that are too large to be published.
        if link.isSynchronized { counters.add("resynced: a peer was behind") }
        let snapshot = snapshots.snapshot(after: known, head: head) {
            Snapshot(handlers.snapshot(known), epoch: epoch)
        }
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
        if !link.isSynchronized {
            link.isSynchronized = true
            handlers.synchronized(link)
        }
        return true
    }
}
