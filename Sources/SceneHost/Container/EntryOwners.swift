import Bus
import Messaging

/// The owners of the container's entries, and which of them are not attached.
///
/// An owner is the peer that last set an entry. Owners of one key or process share one part of the room for all entries, so
/// that ever new names do not get more of it. The caller passes the time.
struct EntryOwners: Sendable {
    /// The maximum size in bytes of the list of absent owners' keys, because its entry is published in a delta.
    static let maximumSize = 6 << 10

    private struct Owned {
        let owner: String
        let size: Int
    }

    /// What an entry needs besides its key and its value.
    private static let overhead = 256

    private var owned: [String: Owned] = [:]
    private var keys: [String: Set<String>] = [:]
    /// The sizes of the entries of each owner, in bytes.
    private var sizes: [String: Int] = [:]
    /// The size of all entries of peers, in bytes.
    private(set) var size = 0
    /// Whose part of the room an owner uses up: that of its key or process, where it is not its own.
    private var sharers: [String: String] = [:]
    /// The sizes of the entries of all owners of each sharer, in bytes.
    private var sharedSizes: [String: Int] = [:]
    /// The owners that are not attached, and when they detached.
    private var absent: [String: MonotonicInstant] = [:]
    /// Whether the keys of absent owners may have changed since ``tellAbsentKeys()`` was called last.
    private(set) var isNews = false

    /// Updates the owners of entries that a peer, or the host itself, has set or removed.
    mutating func set(_ changes: [String: [UInt8]?], by owner: String) {
        for (key, value) in changes {
            if let place = owned.removeValue(forKey: key) {
                let old = place.owner
                keys[old]?.remove(key)
                add(-place.size, to: old)
                if absent[old] != nil { isNews = true }
                if keys[old]?.isEmpty == true {
                    keys[old] = nil
                    sizes[old] = nil
                    if absent.removeValue(forKey: old) != nil { sharers[old] = nil }
                }
            }
            guard let value, !owner.isEmpty else { continue }
            let place = Owned(owner: owner, size: Self.size(of: key, value))
            owned[key] = place
            keys[owner, default: []].insert(key)
            add(place.size, to: owner)
        }
    }

    // MARK: - Sizes

    private static func size(of key: String, _ value: [UInt8]) -> Int { overhead + key.utf8.count + value.count }

    private mutating func add(_ bytes: Int, to owner: String) {
        sizes[owner, default: 0] += bytes
        size += bytes
        addShared(bytes, to: sharer(of: owner))
    }

    private mutating func addShared(_ bytes: Int, to sharer: String) {
        sharedSizes[sharer, default: 0] += bytes
        if sharedSizes[sharer] == 0 { sharedSizes[sharer] = nil }
    }

    private func sharer(of owner: String) -> String { sharers[owner] ?? owner }

    /// Returns the size of an owner's entries, in bytes.
    func size(of owner: String) -> Int { sizes[owner] ?? 0 }

    /// Returns the size of the entries of all owners that share an owner's part of the room, in bytes.
    func sharedSize(of owner: String) -> Int { sharedSizes[sharer(of: owner)] ?? 0 }

    /// Returns whether two owners share one part of the room.
    func isShared(by first: String, _ second: String) -> Bool { sharer(of: first) == sharer(of: second) }

    /// The size of the entries whose owners are attached, in bytes.
    var attachedSize: Int { absent.keys.reduce(size) { $0 - size(of: $1) } }

    /// As ``sharedSize(of:)``, but only of the owners that are attached.
    private func attachedSharedSize(of owner: String) -> Int {
        absent.keys.reduce(sharedSize(of: owner)) { $0 - (isShared(by: $1, owner) ? size(of: $1) : 0) }
    }

    /// Returns how large an owner's entries would be with changes, in bytes.
    func size(of owner: String, with changes: [String: [UInt8]?]) -> Int {
        changes.reduce(size(of: owner)) { $0 + growth(of: $1.key, $1.value, by: owner).own }
    }

    /// Returns which changes would make an owner's entries larger than a limit, or those of all that share its part of the
    /// room larger than their share. Removals, and values that become no larger, always fit.
    /// - Parameter countsAbsent: whether the entries of absent owners take up room.
    /// - Returns: their keys, in order.
    func excess(
        of changes: [String: [UInt8]?], by owner: String, atMost limit: Int, in share: FairShare,
        countsAbsent: Bool = true
    ) -> [String] {
        var held = size(of: owner)
        var (shared, used) =
            countsAbsent ? (sharedSize(of: owner), size) : (attachedSharedSize(of: owner), attachedSize)
        let more = changes.reduce(0) { sum, change in sum + (change.value.map { Self.size(of: change.key, $0) } ?? 0) }
        // If this fits, each fits after the others.
        if held + more <= limit, share.allows(more, toPeerWith: shared, used: used + more) { return [] }
        var excess: [String] = []
        for (key, value) in changes.sorted(by: { $0.key < $1.key }) {
            let (own, ofSharer, total) = growth(of: key, value, by: owner, countsAbsent: countsAbsent)
            // The entry may take the place of one of another owner.
            let usedBesides = used - (ofSharer - total)
            let hasShare = ofSharer <= 0 || share.allows(ofSharer, toPeerWith: shared, used: usedBesides)
            guard own <= 0 || held + own <= limit && hasShare else {
                excess.append(key)
                continue
            }
            (held, shared, used) = (held + own, shared + ofSharer, used + total)
        }
        return excess
    }

    /// Returns by how much a change makes an owner's entries larger, those of all that share its part of the room, and all
    /// entries.
    private func growth(
        of key: String, _ value: [UInt8]?, by owner: String, countsAbsent: Bool = true
    ) -> (own: Int, ofSharer: Int, all: Int) {
        let new = value.map { Self.size(of: key, $0) } ?? 0
        guard let old = owned[key], countsAbsent || absent[old.owner] == nil else { return (new, new, new) }
        return (
            new - (old.owner == owner ? old.size : 0),
            new - (isShared(by: old.owner, owner) ? old.size : 0), new - old.size
        )
    }

    /// Returns the absent owners, in the order in which they make room for another one: those that share its part of the room
    /// first, and of them the one with the largest entries.
    func absentToMakeRoom(for owner: String) -> [String] {
        func place(_ absent: String) -> (Int, Int, String) {
            (isShared(by: absent, owner) ? 0 : 1, -size(of: absent), absent)
        }
        return absent.keys.sorted { place($0) < place($1) }
    }

    /// Returns the keys of an owner's entries.
    func keys(of owner: String) -> Set<String> { keys[owner] ?? [] }

    /// Returns the keys of the entries of an owner, and of the owners that are not attached.
    func keysOfAbsent(and owner: String) -> Set<String> {
        absent.keys.reduce(into: keys(of: owner)) { $0.formUnion(keys(of: $1)) }
    }

    /// - Parameter sharer: whose part of the room it uses up now.
    mutating func attached(_ owner: String, sharing sharer: String) {
        if absent.removeValue(forKey: owner) != nil { isNews = true }
        addShared(-size(of: owner), to: self.sharer(of: owner))
        sharers[owner] = sharer == owner ? nil : sharer
        addShared(size(of: owner), to: sharer)
    }

    mutating func detached(_ owner: String, at now: MonotonicInstant) {
        guard keys[owner] != nil else {
            sharers[owner] = nil
            return
        }
        absent[owner] = now
        isNews = true
    }

    /// How long an owner has not been attached; `nil` for an attached owner and for the host itself.
    func absence(of owner: String, at now: MonotonicInstant) -> Duration? {
        absent[owner].map { now - $0 }
    }

    /// Returns the sorted keys of the entries whose owners are not attached, up to ``maximumSize``. Of the entries of
    /// sessions, it has each name once.
    mutating func tellAbsentKeys() -> [String] {
        isNews = false
        var told: Set<String> = []
        var size = 0
        for owner in absent.keys.sorted() {
            for name in (keys[owner] ?? []).lazy.map({ SessionEntryKey.name(in: $0) }) where !told.contains(name) {
                size += name.utf8.count + 3
                guard size <= Self.maximumSize else { return told.sorted() }
                told.insert(name)
            }
        }
        return told.sorted()
    }
}
