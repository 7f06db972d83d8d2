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
        try entries(
            of: bytes, checkedBy: { item throws(CBORError) in try CBORValidator.validate(item, limits: limits) })
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

    /// Finds the entries of an encoded map with text keys without checking their values, which may be malformed within.
    ///
    /// - Returns: The entries in order. Keys may be there several times. Each value is a slice of `bytes` that has the
    ///   length of one item.
    /// - Throws: ``CBORError`` unless the bytes are one map whose keys are text.
    package static func uncheckedEntries(
        of bytes: ArraySlice<UInt8>
    ) throws(CBORError) -> [(key: String, value: ArraySlice<UInt8>)] {
        try entries(of: bytes, checkedBy: { _ throws(CBORError) in })
    }

    @inline(__always)
    private static func entries(
        of bytes: ArraySlice<UInt8>, checkedBy check: (UnsafeRawBufferPointer) throws(CBORError) -> Void
    ) throws(CBORError) -> [(key: String, value: ArraySlice<UInt8>)] {
        let first = bytes.startIndex
        return try CBORReader.walk(bytes) { reader throws(CBORError) in
            try check(reader.bytes)
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
}
