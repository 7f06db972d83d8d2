package import Foundation
package import ZeroMQ

/// The keys that are in force at a host: those of its list, and what the lines said before that cannot be used now.
package struct KeyTable: Sendable {
    /// The entries by their keys, also by those that were replaced.
    private var entries: [PublicKey: KeyEntry] = [:]
    /// When the next key expires; `nil` for never.
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
            // Two keys are never for the same name.
            guard !list.entries.contains(where: { $0.covers(entry.name) || entry.covers($0.name) }) else { continue }
            if table.entries[entry.key] == nil { table.add(entry) }
        }
        return table
    }

    private mutating func add(_ entry: KeyEntry) {
        for key in entry.keys where entries[key] == nil {
            entries[key] = entry
            if let end = entry.end(of: key) { nextExpiry = min(nextExpiry ?? end, end) }
        }
        let access = PeerAccess(entry)
        if entry.role.readsContainer, !access.readsAll { narrowReaders.append(access) }
    }

    /// Returns what a key may do; `nil` for a key that is unknown or has expired.
    package func entry(of key: PublicKey, at now: Date) -> KeyEntry? {
        entries[key].flatMap { Self.isOver($0, key, at: now) ? nil : $0 }
    }

    /// Whether a key may not read an entry that others may.
    /// - Parameter configuration: returns the configuration of a session; `nil` if there is no such session.
    package func hides(_ entry: String, configuration: (String) -> String?) -> Bool {
        narrowReaders.contains { !$0.mayRead(entry, configuration: configuration) }
    }

    /// Whether a key was replaced by another one of the same peer, and is not valid any more.
    package func wasReplaced(_ key: PublicKey, at now: Date) -> Bool {
        entry(of: key, at: now) == nil && entries.values.contains { $0.old?.key == key && !$0.isExpired(at: now) }
    }

    private static func isOver(_ entry: KeyEntry, _ key: PublicKey, at now: Date) -> Bool {
        entry.end(of: key).map { $0 <= now } ?? false
    }

    /// Returns the entries with a key that another table does not have, or has with other rights, in the order of their
    /// names.
    package func added(since other: KeyTable) -> [KeyEntry] {
        let added = entries.filter { key, entry in
            other.entries[key].map { !PeerAccess($0).allowsSame(as: PeerAccess(entry)) } ?? true
        }
        return Set(added.values).sorted { $0.name < $1.name }
    }

    /// Removes the keys that have expired.
    /// - Returns: whether there were any.
    package mutating func removeExpired(at now: Date) -> Bool {
        guard let nextExpiry, nextExpiry <= now else { return false }
        entries = entries.filter { !Self.isOver($0.value, $0.key, at: now) }
        self.nextExpiry = entries.compactMap { $0.value.end(of: $0.key) }.min()
        return true
    }

    /// The number of entries.
    package var count: Int { entries.count { $0.key == $0.value.key } }
}
