/// A map without a schema: keys and values in order.
///
/// Two maps are equal if they hold equal entries in the same order. Then their encodings are equal, too.
public struct CBORMap: Hashable, Sendable {
    /// One key and its value.
    public struct Pair: Hashable, Sendable {
        /// The key: usually a string, but CBOR allows any item.
        public var key: CBORValue
        /// The value.
        public var value: CBORValue

        /// Makes an entry.
        public init(key: CBORValue, value: CBORValue) {
            self.key = key
            self.value = value
        }
    }

    /// All entries. No two have the same key.
    public private(set) var entries: [Pair]

    /// Makes an empty map.
    public init() {
        entries = []
    }

    /// Makes a map. An entry with a repeated key replaces the value of the earlier entry.
    public init(_ entries: some Sequence<Pair>) {
        self.entries = []
        var positions: [CBORValue: Int] = [:]
        for entry in entries {
            if let position = positions[entry.key] {
                self.entries[position].value = entry.value
            } else {
                positions[entry.key] = self.entries.count
                self.entries.append(entry)
            }
        }
    }

    /// Makes a map from entries whose keys are known to differ.
    init(unique entries: [Pair]) {
        self.entries = entries
    }

    /// The value of a text key. Setting the value of a new key appends an entry, and setting nil removes the entry.
    ///
    /// A lookup takes time proportional to the number of entries.
    public subscript(key: String) -> CBORValue? {
        get { entries.first { $0.key == .string(key) }?.value }
        set {
            let position = entries.firstIndex { $0.key == .string(key) }
            switch (position, newValue) {
            case (let position?, let value?): entries[position].value = value
            case (let position?, nil): entries.remove(at: position)
            case (nil, let value?): entries.append(Pair(key: .string(key), value: value))
            case (nil, nil): break
            }
        }
    }

    /// Finds the entries of an encoded map with text keys and leaves the values encoded.
    ///
    /// - Returns: The entries in order. Each value is a slice of `bytes` that holds one whole item.
    /// - Throws: ``CBORError`` unless the bytes, including all values, are one well-formed map within `limits` and all
    ///   keys are text.
    public static func entries(
        of bytes: ArraySlice<UInt8>, limits: CBORLimits = .default
    ) throws(CBORError) -> [(key: String, value: ArraySlice<UInt8>)] {
        let first = bytes.startIndex
        return try CBORReader.walk(bytes) { reader throws(CBORError) in
            try CBORValidator.validate(reader.bytes, limits: limits)
            let count = try reader.readMapHead()
            var entries: [(key: String, value: ArraySlice<UInt8>)] = []
            entries.reserveCapacity(count)
            for _ in 0..<count {
                let key = try reader.readTextKey()
                let start = reader.offset
                try reader.skipItem()
                entries.append((key, bytes[first + start..<first + reader.offset]))
            }
            return entries
        }
    }

    /// Finds the entries of an encoded map with text keys and leaves the values encoded.
    ///
    /// - Returns: The entries in order. Each value is a slice of `bytes` that holds one whole item.
    /// - Throws: ``CBORError`` unless the bytes, including all values, are one well-formed map within `limits` and all
    ///   keys are text.
    public static func entries(
        of bytes: [UInt8], limits: CBORLimits = .default
    ) throws(CBORError) -> [(key: String, value: ArraySlice<UInt8>)] {
        try entries(of: bytes[...], limits: limits)
    }

    /// Finds the entries of an encoded map with text keys without checking within their values, which may be malformed
    /// there. The keys and all limits but those of the values are checked.
    ///
    /// - Parameter found: Gets the entries in order. Keys may be there several times. Each value is a slice of `bytes` that
    ///   has the length of one item.
    /// - Throws: ``CBORError`` unless the bytes are one map whose keys are text. Nothing is added then.
    package static func addUncheckedEntries(
        of bytes: ArraySlice<UInt8>, to found: inout [(key: String, value: ArraySlice<UInt8>)]
    ) throws(CBORError) {
        let count = found.count
        do {
            try addPlainEntries(of: bytes, to: &found)
        } catch {
            found.removeSubrange(count...)
            // A map in another form than that in which this package writes it is checked as a whole.
            found += try entries(of: bytes)
        }
    }

    /// Finds the entries of a map of definite length, whose keys have neither tags nor chunks.
    ///
    /// - Throws: ``CBORError`` for any other form, too.
    private static func addPlainEntries(
        of bytes: ArraySlice<UInt8>, to found: inout [(key: String, value: ArraySlice<UInt8>)]
    ) throws(CBORError) {
        let first = bytes.startIndex
        return try CBORReader.walk(bytes) { reader throws(CBORError) in
            let head = try reader.readHead()
            guard head.majorType == .map, !head.isIndefinite else { throw CBORError(.notATextKeyedMap, at: 0) }
            let count = try reader.itemCount(head) / 2
            guard count < CBORLimits.default.maximumItems / 2 else { throw CBORError(.tooManyItems, at: 0) }
            // Entries that are there already are moved less often if the array grows as usual.
            if found.isEmpty { found.reserveCapacity(count) }
            for _ in 0..<count {
                let start = reader.offset
                let head = try reader.readHead()
                guard head.majorType == .text, !head.isIndefinite else { throw CBORError(.notATextKeyedMap, at: start) }
                let content = try reader.take(head.argument)
                guard let key = String(validatingUTF8Bytes: content), CombiningMarks.excess(in: content) == nil else {
                    throw CBORError(.invalidUTF8, at: start)
                }
                let value = reader.offset
                try reader.skipItem()
                found.append((key, bytes[first + value..<first + reader.offset]))
            }
            guard reader.isAtEnd else { throw CBORError(.trailingBytes, at: reader.offset) }
        }
    }
}
