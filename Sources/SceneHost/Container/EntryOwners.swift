import Bus

/// The owners of the container's entries, and which of them are not attached.
///
/// An owner is the peer that last set an entry. The caller passes the time.
struct EntryOwners: Sendable {
    /// The maximum size in bytes of the list of absent owners' keys, because its entry is published in a delta.
    static let maximumSize = 6 << 10

    private var owners: [String: String] = [:]
    private var keys: [String: Set<String>] = [:]
    /// The owners that are not attached, and when they detached.
    private var absent: [String: MonotonicInstant] = [:]
    /// Whether the keys of absent owners may have changed since ``tellAbsentKeys()`` was called last.
    private(set) var isNews = false

    /// Updates the owners of entries that a peer, or the host itself, has set or removed.
    mutating func set(_ changes: [String: [UInt8]?], by owner: String) {
        for (key, value) in changes {
            if let old = owners.removeValue(forKey: key), !old.isEmpty {
                keys[old]?.remove(key)
                if absent[old] != nil { isNews = true }
                if keys[old]?.isEmpty == true {
                    keys[old] = nil
                    absent[old] = nil
                }
            }
            guard value != nil, !owner.isEmpty else { continue }
            owners[key] = owner
            keys[owner, default: []].insert(key)
        }
    }

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
