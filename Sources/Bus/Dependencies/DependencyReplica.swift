/// A peer's copy of the container: takes snapshots and deltas, finds gaps, and never goes backwards inside an epoch.
///
/// A value: frames in, actions out.
package struct DependencyReplica: Sendable {
    /// What the owner of the replica must do.
    package enum Action: Hashable, Sendable {
        /// Give these entries to the container, as one change.
        case apply([String: [UInt8]?])
        /// Replace the container's content by these entries, as one change.
        case replace([String: [UInt8]])
        /// Ask the host for what changed after this revision.
        case synchronize(after: UInt64)
    }

    /// The host's life whose state this is; `nil` before the first snapshot.
    package private(set) var epoch: UInt64?
    /// The revision reached.
    package private(set) var revision: UInt64 = 0
    /// A snapshot has come since the link was made.
    package private(set) var isSynchronized = false
    /// Deltas that came before the snapshot that they follow.
    private var early: [DependencyChange] = []
    /// The life of the host that the link leads to.
    private var linkEpoch: UInt64?
    /// The beacons since a resync was asked for that has not come yet; `nil` when nothing is asked for.
    private var beaconsSinceAsking: Int?

    /// Deltas that may wait for a snapshot: the rest comes with it anyway.
    private static let maximumEarly = 1024

    package init() {}

    /// A link has been made, perhaps to another life of the host.
    /// - Returns: the revision from which to ask: 0 in another epoch.
    package mutating func linkOpened(epoch: UInt64) -> UInt64 {
        isSynchronized = false
        beaconsSinceAsking = nil
        early = []
        linkEpoch = epoch
        return known
    }

    /// The revision that the copy has in the life of the host that it is linked to.
    private var known: UInt64 { linkEpoch == epoch ? revision : 0 }

    /// A snapshot, or what changed since the revision asked for.
    package mutating func received(snapshot: DependencyChange, epoch: UInt64) -> [Action] {
        var actions: [Action] = []
        beaconsSinceAsking = nil
        isSynchronized = true
        if epoch != self.epoch || snapshot.previous == 0 {
            // An old answer to a question asked twice must not take the state back.
            if epoch == self.epoch, snapshot.revision < revision { return [] }
            actions.append(.replace(snapshot.entries.compactMapValues { $0 }))
            self.epoch = epoch
            revision = snapshot.revision
        } else if snapshot.revision > revision, snapshot.previous <= revision {
            actions.append(.apply(snapshot.entries))
            revision = snapshot.revision
        }
        let waiting = early
        early = []
        for change in waiting { actions += received(delta: change) }
        return actions
    }

    /// A delta from the publisher.
    package mutating func received(delta: DependencyChange) -> [Action] {
        guard isSynchronized else {
            if early.count < Self.maximumEarly { early.append(delta) }
            return []
        }
        guard delta.revision > revision else { return [] }
        guard delta.previous == revision else { return ask() }
        revision = delta.revision
        return [.apply(delta.entries)]
    }

    /// A beacon: the host's newest revision. Finds a lost last delta, which no gap would show.
    package mutating func received(beacon head: UInt64) -> [Action] {
        guard isSynchronized, head > revision else { return [] }
        if let beacons = beaconsSinceAsking {
            // The answer had the time between two beacons: it is lost, or the question was.
            beaconsSinceAsking = beacons == 0 ? 1 : nil
        }
        return ask()
    }

    /// A snapshot came with a part missing.
    package mutating func lostSnapshot() -> [Action] {
        beaconsSinceAsking = nil
        return ask()
    }

    private mutating func ask() -> [Action] {
        guard beaconsSinceAsking == nil else { return [] }
        beaconsSinceAsking = 0
        return [.synchronize(after: known)]
    }
}
