/// Which peer has set which entry of the container, and which of these peers are not attached: what they have set is the last that
/// they said. A value with the time fed in.
struct EntryOwners: Sendable {
    /// The bytes of the keys that are told of absent owners at most: the entry which tells them is published as a delta.
    static let maximumSize = 6 << 10

    private var owners: [String: String] = [:]
    private var keys: [String: Set<String>] = [:]
    /// The owners that are not attached, and since when.
    private var absent: [String: ContinuousClock.Instant] = [:]
    /// The keys of absent owners may be others than when they were told last.
    private(set) var isNews = false

    /// A peer, or the host itself, has set or removed entries.
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

    mutating func detached(_ owner: String, at now: ContinuousClock.Instant) {
        guard keys[owner] != nil else { return }
        absent[owner] = now
        isNews = true
    }

    /// How long a peer that has set entries has not been attached; `nil` while it is, and for the host itself.
    func absence(of owner: String, at now: ContinuousClock.Instant) -> Duration? {
        absent[owner].map { now - $0 }
    }

    /// The keys of the entries whose owners are not attached, sorted: some of them when there are very many.
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
