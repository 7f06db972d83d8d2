import Bus

/// Which names of messages get an index. The table of names only grows, so each peer has its share of it, all
/// peers of a key together. What gets no index is sent in full.
struct NameShares {
    /// The longest name, in bytes, that a peer may always add while there is room.
    private static let assuredSize = 64
    private var counts = SharedRoom<String>(limit: NameTable.maximumCount)
    private var sizes = SharedRoom<String>(limit: NameTable.maximumBytes, assured: assuredSize)

    /// Adds names to the table, as far as the share allows it.
    /// - Parameter peer: the peer that handles the messages; `nil` for the host, whose names have no share and need only
    ///   room.
    mutating func add(_ names: [String], of peer: String?, to table: inout NameTable) {
        for name in names where !table.contains(name) && table.hasRoom(for: name) {
            let size = name.utf8.count
            if let peer {
                guard counts.allows(to: peer), sizes.allows(size, to: peer) else { continue }
            }
            counts.add(for: peer ?? "")
            sizes.add(size, for: peer ?? "")
            table.add([name])
        }
    }
}
