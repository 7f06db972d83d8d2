import Bus
import CBOR
import Messaging

/// The host's container, with the entries of peers and of the host's delegate.
///
/// This value receives events and returns actions.
struct ContainerTable {
    enum Action {
        /// Publish a change to every peer.
        case publish(DependencyChange)
        /// Set the delegate's container, then call ``shown(_:)`` with the container that the delegate has afterwards.
        case show(AppDependency)
        /// Report an entry that is not published, because peers could not read it. Its owner is a peer, or empty for
        /// the delegate.
        case refuse(key: String, owner: String, error: any Error)
        /// Report keys that a peer has set and does not list under `provides` in its hello.
        case leaveOut(keys: [String], peer: String)
        /// Report an entry of a session that a peer has set and may not set.
        case leaveOutOfSession(key: String, peer: String, SessionEntryRefusal)
        /// Report entries that a peer has set and for which there is no room.
        case noRoom(keys: [String], peer: String)
        /// Report that entries of an absent peer were removed, because others needed the room.
        case makeRoom(keys: [String])
    }

    /// The maximum size of the entries of all peers together, in bytes. Each peer has its share (`FairShare`).
    static let maximumSize = 256 << 20
    /// The maximum number of entries of a session, which all peers set together.
    static let maximumSessionEntries = 256

    private enum Phase {
        case settled
        /// The delegate's container is being set. Changes by the delegate meanwhile are processed once, afterwards.
        /// - isCompletion: the container restores entries that the delegate had left out. If the delegate leaves them
        ///   out again, they are not restored a second time.
        case showing(isCompletion: Bool)
    }

    /// The entries, as peers see them.
    private(set) var entries = DependencyRevisions()
    /// Which peer has set which entry.
    private(set) var owners = EntryOwners()
    /// The container that the delegate last received or set.
    private var published = AppDependency()
    private var phase = Phase.settled
    /// How much of the room for entries each peer may have.
    private let share: FairShare

    init(maximumSize: Int = ContainerTable.maximumSize) { share = FairShare(of: maximumSize) }

    // MARK: - Peers

    /// Applies the entries that a peer has set.
    /// - Parameters:
    ///   - provided: the names of the entries that the peer lists in its hello. Others are left out.
    ///   - limit: the maximum size of the peer's entries, in bytes. What exceeds it keeps its earlier value.
    ///   - refusal: returns why the peer may not set an entry of a session; `nil` when it may.
    mutating func set(
        _ all: [String: [UInt8]?], by peer: String, providing provided: Set<String>, atMost limit: Int = .max,
        refusal: (SessionEntryKey) -> SessionEntryRefusal? = { _ in nil }
    ) -> [Action] {
        var actions: [Action] = []
        let unlisted = all.keys.filter { !provided.contains(SessionEntryKey.name(in: $0)) }
        if !unlisted.isEmpty { actions.append(.leaveOut(keys: unlisted.sorted(), peer: peer)) }
        var changes: [String: [UInt8]?] = [:]
        var counts: [String: (all: Int, own: Int)] = [:]
        for (key, value) in all where provided.contains(SessionEntryKey.name(in: key)) {
            if let place = SessionEntryKey(key) {
                if let refusal = refusal(place) ?? takePlace(place, key, for: value, of: peer, in: &counts) {
                    actions.append(.leaveOutOfSession(key: key, peer: peer, refusal))
                    continue
                }
            }
            do throws(FrameError) {
                try DependencyPayload.check(value, key: key)
                changes.updateValue(value, forKey: key)
            } catch {
                actions.append(.refuse(key: key, owner: peer, error: error))
            }
        }
        removeLeftEntries(in: &changes, by: peer, refusal: refusal)
        let room = makeRoom(for: &changes, of: peer, atMost: limit)
        actions += room.actions
        // One change, because the delegate is given one container.
        let change = entries.apply(room.removals.merging(changes) { $1 }, owner: peer)
        // The last peer to set an entry owns it, even if the value did not change.
        entries.own(changes.keys, by: peer)
        owners.set(changes, by: peer)
        return actions + (change.map { publish($0) } ?? [])
    }

    /// Counts an entry among those of its session. A peer may have as many as it leaves to others.
    /// - Parameter counts: how many entries each session has, and of them the peer's own.
    /// - Returns: why there is no place for it; `nil` when there is.
    private func takePlace(
        _ place: SessionEntryKey, _ key: String, for value: [UInt8]?, of peer: String,
        in counts: inout [String: (all: Int, own: Int)]
    ) -> SessionEntryRefusal? {
        guard value != nil, published.entry(of: key) == nil else { return nil }
        let session = place.session
        let (all, own) = counts[session] ?? (published.count(ofSession: session), ownCount(of: peer, in: session))
        guard all + own < Self.maximumSessionEntries else { return .full(session: session) }
        counts[session] = (all + 1, own + 1)
        return nil
    }

    /// How many entries of a session are a peer's.
    private func ownCount(of peer: String, in session: String) -> Int {
        let keys = owners.keys(of: peer)
        return published.names(ofSession: session).count { keys.contains(SessionEntryKey($0, of: session).text) }
    }

    /// Also removes the entries of sessions whose name a peer removes as such, except those that it sets at the same time.
    /// They are those of an earlier process, which a peer cannot know when it begins.
    private func removeLeftEntries(
        in changes: inout [String: [UInt8]?], by peer: String, refusal: (SessionEntryKey) -> SessionEntryRefusal?
    ) {
        guard published.hasSessionEntries else { return }
        let names = Set(changes.filter { $0.value == nil && SessionEntryKey($0.key) == nil }.map(\.key))
        guard !names.isEmpty else { return }
        for key in owners.keysOfAbsent(and: peer) where changes.index(forKey: key) == nil {
            guard let place = SessionEntryKey(key), names.contains(place.name), refusal(place) == nil else { continue }
            changes.updateValue(nil, forKey: key)
        }
    }

    /// The keys of the entries of a session.
    func keys(ofSession id: String) -> [String] {
        published.names(ofSession: id).map { SessionEntryKey($0, of: id).text }
    }

    /// Removes the entries of a session that was closed.
    mutating func closed(session id: String) -> [Action] {
        let removals = Dictionary(uniqueKeysWithValues: keys(ofSession: id).map { ($0, [UInt8]?.none) })
        guard let change = entries.apply(removals, owner: "") else { return [] }
        owners.set(removals, by: "")
        return publish(change)
    }

    /// Leaves out changes for which there is no room. The entries of absent peers make room for a peer that is below its
    /// share of what the attached ones leave, beginning with those that have this share, too, and of the peer that has most. A
    /// peer that has much less than the other would have keeps its entries, unless all of these together take more than the
    /// reserve.
    /// - Returns: the entries to remove, and what to report.
    private mutating func makeRoom(
        for changes: inout [String: [UInt8]?], of peer: String, atMost limit: Int
    ) -> (removals: [String: [UInt8]?], actions: [Action]) {
        var noRoom = owners.excess(of: changes, by: peer, atMost: limit, in: share)
        guard !noRoom.isEmpty else { return ([:], []) }
        // What the peer may not set anyway needs no room.
        let tooMuch = owners.excess(of: changes, by: peer, atMost: limit, in: share, countsAbsent: false)
        for key in tooMuch { changes[key] = nil }
        let wanted = owners.size(of: peer, with: changes)
        var removals: [String: [UInt8]?] = [:]
        noRoom = owners.excess(of: changes, by: peer, atMost: limit, in: share)
        var absent = noRoom.isEmpty ? [] : owners.absentToMakeRoom(for: peer)[...]
        var absentSize = owners.size - owners.attachedSize
        while !noRoom.isEmpty, let owner = absent.popFirst(),
            owners.isShared(by: owner, peer) || owners.size(of: owner) >= wanted / 2 || absentSize > share.reserve
        {
            absentSize -= owners.size(of: owner)
            let keys = owners.keys(of: owner)
            let gone = Dictionary(uniqueKeysWithValues: keys.map { ($0, [UInt8]?.none) })
            owners.set(gone, by: "")
            removals.merge(gone) { $1 }
            noRoom = owners.excess(of: changes, by: peer, atMost: limit, in: share)
        }
        for key in noRoom { changes[key] = nil }
        var actions: [Action] = []
        if !removals.isEmpty { actions.append(.makeRoom(keys: removals.keys.sorted())) }
        if !tooMuch.isEmpty || !noRoom.isEmpty { actions.append(.noRoom(keys: tooMuch + noRoom, peer: peer)) }
        return (removals, actions)
    }

    mutating func attached(_ peer: String, sharing sharer: String) { owners.attached(peer, sharing: sharer) }

    mutating func detached(_ peer: String, at now: MonotonicInstant) { owners.detached(peer, at: now) }

    /// Updates the entry that lists the entries of absent peers.
    mutating func publishAbsence() -> [Action] {
        let keys = owners.tellAbsentKeys()
        // Encoding a list of strings cannot fail.
        let value = keys.isEmpty ? nil : try? CBOREncoder().encode(keys)
        let isKnown = entries.entry(of: AppDependency.absentKey) != nil
        guard isKnown || value != nil, let change = entries.apply([AppDependency.absentKey: value], owner: "")
        else { return [] }
        return publish(change)
    }

    /// Publishes a change that does not come from the delegate.
    private mutating func publish(_ change: DependencyChange) -> [Action] {
        for (key, value) in change.entries { published.setEncoded(value.map { Array($0) }, of: key) }
        phase = .showing(isCompletion: false)
        return [.publish(change), .show(published)]
    }

    // MARK: - The delegate

    /// Applies a container that the delegate has set.
    mutating func delegateSet(_ container: AppDependency?) -> [Action] {
        guard case .settled = phase else { return [] }
        return take(container, isCompletion: false)
    }

    /// Processes the delegate's container after ``Action/show(_:)``.
    /// - Parameter container: the delegate's current container; the delegate may have set more entries in response.
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
            // A new container lacks the entries of peers, but that does not mean that the delegate removes them.
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
                actions.append(.refuse(key: key, owner: "", error: error))
            }
        }
        published = container
        if let change = entries.apply(changes, owner: "") {
            owners.set(change.entries.values, by: "")
            actions.append(.publish(change))
        }
        if isCompleted, !isCompletion {
            phase = .showing(isCompletion: true)
            actions.append(.show(container))
        }
        return actions
    }
}
