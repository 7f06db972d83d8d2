import Bus
import CBOR
import Messaging

/// The host's container: what peers and the host's own delegate have set, and what the delegate was shown last. A value: events in,
/// actions out.
struct ContainerTable {
    enum Action {
        /// Every peer is told of a change.
        case publish(DependencyChange)
        /// The delegate is given the container. ``shown(_:)`` follows with the one that it has then.
        case show(AppDependency)
        /// An entry is not published, because peers could not read it.
        case refuse(key: String, error: any Error)
    }

    private enum Phase {
        case settled
        /// The delegate is being given the container: what it sets meanwhile is looked at afterwards, once.
        /// - isCompletion: it is given what it had left out. A delegate that leaves that out again is not given it once more.
        case showing(isCompletion: Bool)
    }

    /// The entries, as peers see them.
    private(set) var entries = DependencyTable()
    /// Which peer has set which entry.
    private(set) var owners = EntryOwners()
    /// The container as the delegate was shown it, or has set it.
    private var published = AppDependency()
    private var phase = Phase.settled

    // MARK: - Peers

    /// A peer has set entries.
    mutating func set(_ changes: [String: [UInt8]?], by peer: String) -> [Action] {
        let change = entries.apply(changes, owner: peer)
        // Who has set an entry last, also to the value that it had, answers for it.
        entries.own(changes.keys, by: peer)
        owners.set(changes, by: peer)
        return change.map { publish($0) } ?? []
    }

    mutating func attached(_ peer: String) { owners.attached(peer) }

    mutating func detached(_ peer: String, at now: ContinuousClock.Instant) { owners.detached(peer, at: now) }

    /// The entry that lists the entries of absent peers is brought up to date.
    mutating func publishAbsence() -> [Action] {
        let keys = owners.tellAbsentKeys()
        // A list of texts always encodes.
        let value = keys.isEmpty ? nil : try? CBOREncoder().encode(keys)
        let isKnown = entries.entry(of: AppDependency.absentKey) != nil
        guard isKnown || value != nil, let change = entries.apply([AppDependency.absentKey: value], owner: "")
        else { return [] }
        return publish(change)
    }

    /// A change that is not the delegate's.
    private mutating func publish(_ change: DependencyChange) -> [Action] {
        for (key, value) in change.entries { published.setEncoded(value, of: key) }
        phase = .showing(isCompletion: false)
        return [.publish(change), .show(published)]
    }

    // MARK: - The delegate

    /// The delegate has set the container.
    mutating func delegateSet(_ container: AppDependency?) -> [Action] {
        guard case .settled = phase else { return [] }
        return take(container, isCompletion: false)
    }

    /// The delegate was given the container.
    /// - Parameter container: the one that it has now; it may have set more entries when it saw the new ones.
    mutating func shown(_ container: AppDependency?) -> [Action] {
        guard case .showing(let isCompletion) = phase else { return [] }
        phase = .settled
        return take(container, isCompletion: isCompletion)
    }

    private mutating func take(_ container: AppDependency?, isCompletion: Bool) -> [Action] {
        guard var container else { return [] }
        var actions: [Action] = []
        var changes: [String: [UInt8]?] = [:]
        let isNew = !container.isChange(of: published)
        var isCompleted = false
        for key in container.changedKeys(since: published) {
            // A container that was made anew lacks what peers have set, and does not mean to remove it.
            let isOthers = entries.entry(of: key).map { !$0.owner.isEmpty } ?? false
            if isNew && isOthers && container.entry(of: key) == nil || key == AppDependency.absentKey {
                container.setEntry(published.entry(of: key), of: key)
                isCompleted = true
                continue
            }
            do {
                let value = try container.entry(of: key)?.encoded()
                try DependencyPayload.check(value, key: key)
                changes.updateValue(value, forKey: key)
            } catch {
                actions.append(.refuse(key: key, error: error))
            }
        }
        published = container
        if let change = entries.apply(changes, owner: "") {
            owners.set(change.entries, by: "")
            actions.append(.publish(change))
        }
        if isCompleted, !isCompletion {
            phase = .showing(isCompletion: true)
            actions.append(.show(container))
        }
        return actions
    }
}
