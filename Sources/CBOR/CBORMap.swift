/// A map without a schema: keys and values in the order they stand in.
///
/// Two maps are equal if they hold equal entries in the same order, which is when their encodings are equal.
public struct CBORMap: Hashable, Sendable {
    /// One key and its value.
    public struct Pair: Hashable, Sendable {
        /// Usually a string, but CBOR allows any item.
        public var key: CBORValue
        /// What the key stands for.
        public var value: CBORValue

        /// Makes an entry.
        public init(key: CBORValue, value: CBORValue) {
            self.key = key
            self.value = value
        }
    }

    /// All entries; no two have the same key.
    public private(set) var entries: [Pair]

    /// Makes an empty map.
    public init() {
        entries = []
    }

    /// Makes a map; an entry whose key has come before takes the earlier one's place.
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

    /// Takes entries whose keys are known to differ.
    init(unique entries: [Pair]) {
        self.entries = entries
    }

    /// The value under a text key. Setting one that is not there appends it, and setting nil removes the entry.
    ///
    /// Looking a key up takes time proportional to the number of entries.
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
    /// - Returns: the entries in their order, each value a slice of `bytes` that holds one whole item.
    /// - Throws: ``CBORError`` if the bytes are anything but one well-formed map within `limits`, values included, or
    ///   a key is not text.
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
    /// - Returns: the entries in their order, each value a slice of `bytes` that holds one whole item.
    /// - Throws: ``CBORError`` if the bytes are anything but one well-formed map within `limits`, values included, or
    ///   a key is not text.
    public static func entries(
        of bytes: [UInt8], limits: CBORLimits = .default
    ) throws(CBORError) -> [(key: String, value: ArraySlice<UInt8>)] {
        try entries(of: bytes[...], limits: limits)
    }
}
