import Messaging

/// A peer's copy of the container. It applies snapshots and deltas, detects gaps, and never goes back to an earlier
/// revision within an epoch.
///
/// It is a value: the caller passes in frames and performs the returned actions.
package struct DependencyReplica: Sendable {
    /// An action that the replica's owner must perform.
    package enum Action: Hashable, Sendable {
        /// Apply these entries to the container as one change; `nil` removes an entry.
        case apply(DependencyEntries)
        /// Ask the host for the changes after this revision. If a snapshot from that revision is incomplete, ask for
        /// its next part, otherwise for the first part.
        case synchronize(after: UInt64)
    }

    /// The epoch of the host whose state this is; `nil` before the first snapshot.
    package private(set) var epoch: UInt64?
    /// The revision that this copy has reached.
    package private(set) var revision: UInt64 = 0
    /// Whether a snapshot has arrived since the link was opened.
    package private(set) var isSynchronized = false
    /// Deltas that arrived before the snapshot that they follow.
    private var early: [DependencyChange] = []
    /// The size of their entries, in bytes.
    private var earlySize = 0
    /// The epoch of the host to which the link leads.
    private var linkEpoch: UInt64?
    /// When the awaited snapshot was requested, or when its latest part arrived; `nil` when none is awaited.
    private var asked: MonotonicInstant?
    /// How long to wait for the host's reply before asking again.
    private var answerTimeout = Self.firstAnswerTimeout
    /// The newest revision that the host is known to have.
    private var head: UInt64 = 0
    /// Entries from an earlier life of the host that the current one has not set yet, and how long they are kept: the
    /// peer that provides them may not have reconnected yet.
    private var inherited: (keys: Set<String>, until: MonotonicInstant)?

    /// The maximum number of deltas that wait for a snapshot, and the maximum size of their entries in bytes. Further
    /// deltas are dropped: the snapshot contains them, or they leave a gap, which is requested later.
    private static let maximumEarly = 1024
    private static let maximumEarlySize = Frame.maximumSize
    /// How long an entry from an earlier life of the host is kept. By then, a peer that provides it has noticed the new
    /// host and has attached to it.
    private static let inheritance = Duration.seconds(5)
    /// How long to wait for a first part before asking again. The request is small.
    private static let firstAnswerTimeout = Duration.seconds(2)
    /// How long to wait for a further part before asking again. On a slow line each part takes a long time and should
    /// not be sent twice.
    private static let partTimeout = Duration.seconds(10)

    package init() {}

    /// Handles a new link, which may lead to another life of the host.
    package mutating func linkOpened(epoch: UInt64) {
        isSynchronized = false
        asked = nil
        head = 0
        forgetEarly()
        linkEpoch = epoch
    }

    /// The revision that the copy has in the epoch of the linked host; 0 when the copy belongs to another epoch.
    private var known: UInt64 { linkEpoch == epoch ? revision : 0 }

    /// Whether ``received(snapshot:keys:at:)`` needs the keys: the snapshot begins a copy of another life of the host, or it
    /// replaces a copy of this life.
    package func needsKeys(for snapshot: DependencyChange) -> Bool {
        epoch != nil && (epoch != linkEpoch || replaces(snapshot))
    }

    /// Whether a snapshot contains everything although this copy has an earlier revision. The host no longer knows what was
    /// removed since then.
    private func replaces(_ snapshot: DependencyChange) -> Bool { snapshot.previous == 0 && known > 0 }

    /// Handles a complete snapshot from the linked host.
    ///
    /// A snapshot is applied under the same rule as a delta: it must follow a revision that the copy has in this epoch,
    /// and reach a later one.
    /// - Parameter keys: the keys of the entries in the owner's container, if it ``needsKeys(for:)``. When the epoch
    ///   changes, these entries are kept for a while.
    package mutating func received(
        snapshot: DependencyChange, keys: Set<String> = [], at now: MonotonicInstant
    ) -> [Action] {
        // The copy does not have the revision from which this snapshot starts, so it was not requested.
        guard let linkEpoch, snapshot.previous <= known else { return [] }
        var actions: [Action] = []
        asked = nil
        isSynchronized = true
        if epoch != linkEpoch {
            actions.append(begin(snapshot, of: linkEpoch, knowing: epoch == nil ? [] : keys, at: now))
        } else if snapshot.revision > revision {
            var change = snapshot
            // Those of an earlier life have a time of their own.
            if replaces(snapshot) {
                let others = inherited?.keys ?? []
                change.entries.addRemovals(of: keys.subtracting(snapshot.entries.keys).subtracting(others))
            }
            actions.append(apply(change))
        }
        let waiting = early
        forgetEarly()
        for change in waiting { actions += received(delta: change, at: now) }
        // Changes were published meanwhile and did not arrive as deltas.
        if head > revision { actions += ask(at: now) }
        return actions
    }

    /// Begins to copy another life of the host.
    ///
    /// Entries from the earlier life are kept for a while, so that coordinators do not briefly lose entries that a
    /// plugin is about to set again.
    private mutating func begin(
        _ snapshot: DependencyChange, of life: UInt64, knowing keys: Set<String>, at now: MonotonicInstant
    ) -> Action {
        var entries = snapshot.entries
        // The host itself sets the entry that lists absent peers. An earlier host's list does not apply to this one.
        let absent = AppDependency.absentKey
        if keys.contains(absent), !entries.contains(absent) { entries.addRemoval(of: absent) }
        let left = keys.subtracting(entries.keys)
        inherited = left.isEmpty ? nil : (left, now + Self.inheritance)
        epoch = life
        revision = snapshot.revision
        return .apply(entries)
    }

    /// Applies a change and advances to its revision.
    private mutating func apply(_ change: DependencyChange) -> Action {
        revision = change.revision
        if inherited != nil { inherited?.keys.subtract(change.entries.keys) }
        return .apply(change.entries)
    }

    /// Removes the inherited entries that have not been set in this life of the host when their time is over.
    private mutating func disinherit(at now: MonotonicInstant) -> [Action] {
        guard let (left, until) = inherited, now >= until else { return [] }
        inherited = nil
        return left.isEmpty ? [] : [.apply(DependencyEntries(Dictionary(uniqueKeysWithValues: left.map { ($0, nil) })))]
    }

    /// Handles a part of a snapshot other than the last one.
    package mutating func receivedPart(at now: MonotonicInstant) {
        guard asked != nil else { return }
        asked = now
        answerTimeout = Self.partTimeout
    }

    /// Handles a delta from the publisher.
    package mutating func received(delta: DependencyChange, at now: MonotonicInstant) -> [Action] {
        guard isSynchronized else {
            keepEarly(delta)
            return []
        }
        guard delta.revision > revision else { return [] }
        guard delta.previous <= revision else {
            head = max(head, delta.revision)
            return ask(at: now)
        }
        return [apply(delta)]
    }

    private mutating func keepEarly(_ delta: DependencyChange) {
        let size = DependencyPayload.size(of: delta.entries)
        guard early.count < Self.maximumEarly, earlySize + size <= Self.maximumEarlySize else { return }
        // A copy, because the entries of a received frame keep its message.
        var kept = delta
        kept.entries = DependencyEntries(delta.entries.values)
        early.append(kept)
        earlySize += size
    }

    private mutating func forgetEarly() {
        early = []
        earlySize = 0
    }

    /// Handles a beacon, which carries the host's newest revision.
    ///
    /// The first beacon shows that the publisher has received the subscriptions. From then on nothing that is published
    /// is missed, so this is the time to request a snapshot. Later beacons reveal what leaves no gap: the loss of the
    /// most recent delta, and a change that was too large to be published.
    package mutating func received(beacon newest: UInt64, at now: MonotonicInstant) -> [Action] {
        head = max(head, newest)
        guard isSynchronized else { return ask(at: now) }
        let actions = disinherit(at: now)
        return head > revision ? actions + ask(at: now) : actions
    }

    /// Handles a lost snapshot: the host has begun another one before the last part of this one.
    package mutating func lostSnapshot(at now: MonotonicInstant) -> [Action] {
        asked = nil
        return ask(at: now)
    }

    private mutating func ask(at now: MonotonicInstant) -> [Action] {
        if let asked, now - asked < answerTimeout { return [] }
        // A repeated request keeps its timeout: on a slow line, more requests would make it even slower.
        if asked == nil { answerTimeout = Self.firstAnswerTimeout }
        asked = now
        return [.synchronize(after: known)]
    }
}
