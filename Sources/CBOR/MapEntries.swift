/// The entries of a map that this module has written, located so that they can be sorted or checked for duplicate keys.
struct MapEntries {
    /// The position of an entry in the bytes.
    private struct Span {
        let key: Range<Int>
        let end: Int
    }

    private let bytes: ArraySlice<UInt8>
    private let entries: [Span]

    /// Finds the entries in the bytes after a map's head.
    ///
    /// - Parameter count: The number of entries, for reserving memory.
    init(of bytes: ArraySlice<UInt8>, count: Int) {
        self.bytes = bytes
        let first = bytes.startIndex
        var entries: [Span] = []
        entries.reserveCapacity(count)
        // The bytes are well-formed unless they contain an unchecked `CBORRaw` that is not. Then they are left
        // unsorted.
        let walk: Void? = try? CBORReader.walk(bytes) { reader throws(CBORError) in
            while !reader.isAtEnd {
                let start = reader.offset
                try reader.skipItem()
                let keyEnd = reader.offset
                try reader.skipItem()
                entries.append(Span(key: first + start..<first + keyEnd, end: first + reader.offset))
            }
        }
        self.entries = walk == nil ? [] : entries
    }

    /// The entries in the bytewise order of their keys (RFC 8949, section 4.2.1), or nil if they are already in that
    /// order.
    func sorted() -> [UInt8]? {
        guard zip(entries, entries.dropFirst()).contains(where: { !precedes($0, $1) }) else { return nil }
        var sorted: [UInt8] = []
        sorted.reserveCapacity(bytes.count)
        for entry in entries.sorted(by: precedes) {
            sorted.append(contentsOf: bytes[entry.key.lowerBound..<entry.end])
        }
        return sorted
    }

    /// A key that occurs twice, or nil if all keys differ.
    func duplicateKey() -> String? {
        let sorted = entries.sorted(by: precedes)
        for (entry, next) in zip(sorted, sorted.dropFirst()) where bytes[entry.key] == bytes[next.key] {
            return try? CBORReader.walk(bytes[entry.key]) { reader throws(CBORError) in try reader.readTextKey() }
        }
        return nil
    }

    private func precedes(_ left: Span, _ right: Span) -> Bool {
        bytes[left.key].lexicographicallyPrecedes(bytes[right.key])
    }
}
