package import Foundation
package import ZeroMQ

/// The keys that are in force at a host: those of its list, and what the lines said before that cannot be used now.
package struct KeyTable: Sendable {
    private var entries: [PublicKey: KeyEntry] = [:]
    /// When the next entry expires; `nil` for never.
    private var nextExpiry: Date?
    /// What the keys may do that read the container, but not each entry.
    private var narrowReaders: [PeerAccess] = []

    package init() {}

    /// Returns the table of the next list.
    ///
    /// A line that has become unusable stays in force as it was, so that a slip of a pen locks nobody out. All other lines are
    /// in force at once, so that it cannot keep a removed key in force either.
    package func next(_ list: KeyList) -> KeyTable {
        var table = KeyTable()
        for entry in list.entries { table.add(entry) }
        let broken = Set(list.brokenNames)
        for entry in entries.values where broken.contains(entry.name) && list[entry.name] == nil {
            if table.entries[entry.key] == nil { table.add(entry) }
        }
        return table
    }

    private mutating func add(_ entry: KeyEntry) {
        entries[entry.key] = entry
        let access = PeerAccess(entry)
        if entry.role.readsContainer, !access.readsAll { narrowReaders.append(access) }
        if let expires = entry.expires { nextExpiry = min(nextExpiry ?? expires, expires) }
    }

    /// Returns what a key may do; `nil` for a key that is unknown or has expired.
    package func entry(of key: PublicKey, at now: Date) -> KeyEntry? {
        entries[key].flatMap { $0.isExpired(at: now) ? nil : $0 }
    }

    /// Whether a key may not read an entry that others may.
    package func hides(_ entry: String) -> Bool {
        narrowReaders.contains { !$0.mayRead(entry) }
    }

    /// Returns the entries that another table does not have, or has with other rights, in the order of their names.
    package func added(since other: KeyTable) -> [KeyEntry] {
        entries.values.filter { entry in
            other.entries[entry.key].map { !PeerAccess($0).allowsSame(as: PeerAccess(entry)) } ?? true
        }.sorted { $0.name < $1.name }
    }

    /// Removes the entries that have expired.
    /// - Returns: whether there were any.
    package mutating func removeExpired(at now: Date) -> Bool {
        guard let nextExpiry, nextExpiry <= now else { return false }
        entries = entries.filter { !$0.value.isExpired(at: now) }
        self.nextExpiry = entries.values.compactMap(\.expires).min()
        return true
    }

    package var count: Int { entries.count }
}
