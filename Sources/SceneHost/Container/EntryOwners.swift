import Bus

/// The owners of the container's entries, and which of them are not attached.
///
/// An owner is the peer that last set an entry. The caller passes the time.
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
                sizes[old, default: 0] -= place.size
                size -= place.size
                if absent[old] != nil { isNews = true }
                if keys[old]?.isEmpty == true {
                    keys[old] = nil
                    sizes[old] = nil
                    absent[old] = nil
                }
            }
            guard let value, !owner.isEmpty else { continue }
            let place = Owned(owner: owner, size: Self.size(of: key, value))
            owned[key] = place
            keys[owner, default: []].insert(key)
            sizes[owner, default: 0] += place.size
            size += place.size
        }
    }

    // MARK: - Sizes

    private static func size(of key: String, _ value: [UInt8]) -> Int { overhead + key.utf8.count + value.count }

    /// Returns the size of an owner's entries, in bytes.
    func size(of owner: String) -> Int { sizes[owner] ?? 0 }

    /// The size of the entries whose owners are attached, in bytes.
    var attachedSize: Int { absent.keys.reduce(size) { $0 - size(of: $1) } }

    /// Returns how large an owner's entries would be with changes, in bytes.
    func size(of owner: String, with changes: [String: [UInt8]?]) -> Int {
        changes.reduce(size(of: owner)) { $0 + growth(of: $1.key, $1.value, by: owner).own }
    }

    /// Returns which changes would make an owner's entries larger than a limit, or larger than its share of the room for
    /// all entries. Removals, and values that become no larger, always fit.
    /// - Parameter all: the size of the entries of all owners.
    /// - Returns: their keys, in order.
    func excess(
        of changes: [String: [UInt8]?], by owner: String, atMost limit: Int, in share: FairShare, all: Int
    ) -> [String] {
        var (held, used) = (size(of: owner), all)
        let more = changes.reduce(0) { sum, change in sum + (change.value.map { Self.size(of: change.key, $0) } ?? 0) }
        // If this fits, each fits after the others.
        if held + more <= limit, share.allows(more, toPeerWith: held, used: used + more) { return [] }
        var excess: [String] = []
        for (key, value) in changes.sorted(by: { $0.key < $1.key }) {
            let (own, total) = growth(of: key, value, by: owner)
            // The entry may take the place of one of another owner.
            let usedBesides = used - (own - total)
            guard own <= 0 || held + own <= limit && share.allows(own, toPeerWith: held, used: usedBesides) else {
                excess.append(key)
                continue
            }
            (held, used) = (held + own, used + total)
        }
        return excess
    }

    /// Returns by how much a change makes an owner's entries larger, and all entries.
    private func growth(of key: String, _ value: [UInt8]?, by owner: String) -> (own: Int, all: Int) {
        let old = owned[key]
        let new = value.map { Self.size(of: key, $0) } ?? 0
        return (new - (old?.owner == owner ? old?.size ?? 0 : 0), new - (old?.size ?? 0))
    }

    /// The absent owners, the one with the largest entries first.
    var absentByReverseSize: [String] { absent.keys.sorted { (size(of: $1), $0) < (size(of: $0), $1) } }

    /// Returns the keys of an owner's entries.
    func keys(of owner: String) -> Set<String> { keys[owner] ?? [] }

    mutating func attached(_ owner: String) {
        if absent.removeValue(forKey: owner) != nil { isNews = true }
    }

    mutating func detached(_ owner: String, at now: MonotonicInstant) {
        guard keys[owner] != nil else { return }
        absent[owner] = now
        isNews = true
    }

    /// How long an owner has not been attached; `nil` for an attached owner and for the host itself.
    func absence(of owner: String, at now: MonotonicInstant) -> Duration? {
        absent[owner].map { now - $0 }
    }

    /// Returns the sorted keys of the entries whose owners are not attached, up to ``maximumSize``.
    mutating func tellAbsentKeys() -> [String] {
        isNews = false
        var told: [String] = []
        var size = 0
        for owner in absent.keys.sorted() {
            for key in keys[owner] ?? [] {
                size += key.utf8.count + 3
                guard size <= Self.maximumSize else { return told.sorted() }
                told.append(key)
            }
        }
        return told.sorted()
    }
}
