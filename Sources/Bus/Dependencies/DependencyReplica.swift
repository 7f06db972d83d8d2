import Messaging

/// A peer's copy of the container: takes snapshots and deltas, finds gaps, and never goes backwards inside an epoch.
///
/// A value: frames in, actions out.
package struct DependencyReplica: Sendable {
    /// What the owner of the replica must do.
    package enum Action: Hashable, Sendable {
        /// Give these entries to the container, as one change; `nil` for one that is removed.
        case apply([String: [UInt8]?])
        /// Ask the host for what changed after this revision: for the part that is awaited of such a snapshot, or from the first on.
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
    /// The bytes of their entries.
    private var earlySize = 0
    /// The life of the host that the link leads to.
    private var linkEpoch: UInt64?
    /// When a resync was asked for that has not come yet, or its last part came; `nil` when nothing is asked for.
    private var asked: ContinuousClock.Instant?
    /// How long the answer may take.
    private var answerTimeout = Self.firstAnswerTimeout
    /// The newest revision that the host is known to have.
    private var head: UInt64 = 0
    /// Entries of an earlier life of the host that this one has not set, and until when they stand: the peer that provides them may
    /// not have come back yet.
    private var inherited: (keys: Set<String>, until: ContinuousClock.Instant)?

    /// Deltas that may wait for a snapshot, and the bytes of their entries: the rest comes with it, or leaves a gap that is
    /// asked for.
    private static let maximumEarly = 1024
    private static let maximumEarlySize = Frame.maximumSize
    /// How long an entry of an earlier life of the host stands: a peer that provides it has found out that the host is another,
    /// and has attached to it, by then.
    private static let inheritance = Duration.seconds(5)
    /// A first part that takes longer is asked for again: the question is small.
    private static let firstAnswerTimeout = Duration.seconds(2)
    /// A further part that takes longer is asked for again. On a slow line each takes its time, and is not to come twice.
    private static let partTimeout = Duration.seconds(10)

    package init() {}

    /// A link has been made, perhaps to another life of the host.
    package mutating func linkOpened(epoch: UInt64) {
        isSynchronized = false
        asked = nil
        head = 0
        forgetEarly()
        linkEpoch = epoch
    }

    /// The revision that the copy has in the life of the host that it is linked to.
    private var known: UInt64 { linkEpoch == epoch ? revision : 0 }

    /// All parts of a snapshot have come, of the life of the host that the link leads to.
    ///
    /// It is taken as a delta is: when it leads on from what the copy has of this life of the host, and goes further.
    /// - Parameter keys: those of the entries that are there, if somebody would miss them.
    package mutating func received(
        snapshot: DependencyChange, keys: @autoclosure () -> Set<String> = [], at now: ContinuousClock.Instant
    ) -> [Action] {
        // An answer to a question that was not asked.
        guard let linkEpoch, snapshot.previous <= known else { return [] }
        var actions: [Action] = []
        asked = nil
        isSynchronized = true
        if epoch != linkEpoch {
            actions.append(begin(snapshot, of: linkEpoch, knowing: epoch == nil ? [] : keys(), at: now))
        } else if snapshot.revision > revision {
            actions.append(apply(snapshot))
        }
        let waiting = early
        forgetEarly()
        for change in waiting { actions += received(delta: change, at: now) }
        // What was published meanwhile and did not come as a delta.
        if head > revision { actions += ask(at: now) }
        return actions
    }

    /// Takes the state of another life of the host. What an earlier one had stands for a while: coordinators see no moment without
    /// what a plugin is about to set again.
    private mutating func begin(
        _ snapshot: DependencyChange, of life: UInt64, knowing keys: Set<String>, at now: ContinuousClock.Instant
    ) -> Action {
        var entries = snapshot.entries
        // Which peers are not attached is the host's own to say: what the last one said is not true of this one's.
        let absent = AppDependency.absentKey
        if keys.contains(absent), !entries.keys.contains(absent) { entries.updateValue(nil, forKey: absent) }
        let left = keys.subtracting(entries.keys)
        inherited = left.isEmpty ? nil : (left, now + Self.inheritance)
        epoch = life
        revision = snapshot.revision
        return .apply(entries)
    }

    /// Takes a change, and goes on to its revision.
    private mutating func apply(_ change: DependencyChange) -> Action {
        revision = change.revision
        if inherited != nil { inherited?.keys.subtract(change.entries.keys) }
        return .apply(change.entries)
    }

    /// What nobody has set in this life of the host when its time is over is gone.
    private mutating func disinherit(at now: ContinuousClock.Instant) -> [Action] {
        guard let (left, until) = inherited, now >= until else { return [] }
        inherited = nil
        return left.isEmpty ? [] : [.apply(Dictionary(uniqueKeysWithValues: left.map { ($0, nil) }))]
    }

    /// A part of a snapshot has come, and more follow.
    package mutating func receivedPart(at now: ContinuousClock.Instant) {
        guard asked != nil else { return }
        asked = now
        answerTimeout = Self.partTimeout
    }

    /// A delta from the publisher.
    package mutating func received(delta: DependencyChange, at now: ContinuousClock.Instant) -> [Action] {
        guard isSynchronized else {
            keepEarly(delta)
            return []
        }
        guard delta.revision > revision else { return [] }
        guard delta.previous == revision else {
            head = max(head, delta.revision)
            return ask(at: now)
        }
        return [apply(delta)]
    }

    private mutating func keepEarly(_ delta: DependencyChange) {
        let size = DependencyPayload.size(of: delta.entries)
        guard early.count < Self.maximumEarly, earlySize + size <= Self.maximumEarlySize else { return }
        early.append(delta)
        earlySize += size
    }

    private mutating func forgetEarly() {
        early = []
        earlySize = 0
    }

    /// A beacon: the host's newest revision. The first shows that the subscriptions have arrived, so that what is published from
    /// then on arrives too: the time to ask for what there is. Later ones find a lost last delta, which no gap would show, and a
    /// change that was too large to be published.
    package mutating func received(beacon newest: UInt64, at now: ContinuousClock.Instant) -> [Action] {
        head = max(head, newest)
        guard isSynchronized else { return ask(at: now) }
        let actions = disinherit(at: now)
        return head > revision ? actions + ask(at: now) : actions
    }

    /// The host has begun another snapshot before the last part of this one.
    package mutating func lostSnapshot(at now: ContinuousClock.Instant) -> [Action] {
        asked = nil
        return ask(at: now)
    }

    private mutating func ask(at now: ContinuousClock.Instant) -> [Action] {
        if let asked, now - asked < answerTimeout { return [] }
        // A part that is asked for again is awaited as long as at first: on a slow line more questions make it slower.
        if asked == nil { answerTimeout = Self.firstAnswerTimeout }
        asked = now
        return [.synchronize(after: known)]
    }
}
