/// The container of a map that is being decoded. Fields are looked up by name, in any order.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let location: DecodingLocation
    /// The offset of the first key.
    private let first: Int
    private let count: Int

    /// The largest number of entries that are searched one by one. A larger map is indexed at the first failed lookup.
    private static var searchedCount: Int { 64 }

    init(location: DecodingLocation, first: Int, count: Int) {
        self.location = location
        self.first = first
        self.count = count
    }

    var codingPath: [any CodingKey] { location.codingPath }

    var allKeys: [Key] {
        var keys: [Key] = []
        var reader = location.state.reader(at: first)
        // The bytes are valid, so this fails only in a container that is kept after decoding has finished.
        for _ in 0..<count {
            guard let name = try? reader.readKeyName() else {
                if (try? reader.skipItem()) == nil { break }
                continue
            }
            if let key = Key(stringValue: name) { keys.append(key) }
            guard (try? reader.skipItem()) != nil else { break }
        }
        return keys
    }

    func contains(_ key: Key) -> Bool {
        (try? find(key.stringValue)) != nil
    }

    // MARK: Finding

    @inline(__always)
    private func place(of key: Key, _ name: String) throws -> Int {
        guard let entry = try find(name) else { throw location.missing(key) }
        return entry.value
    }

    /// The offset of a value, or nil if the entry is missing or null.
    @inline(__always)
    func placeIfPresent(_ name: String) throws -> Int? {
        guard let entry = try find(name), try !location.isNull(at: entry.value) else { return nil }
        return entry.value
    }

    /// The entry with a name, or nil if there is none.
    @inline(__always)
    private func find(_ name: String) throws -> DecodingState.Position? {
        let state = location.state
        var reader = state.reader(at: first)
        var index = 0
        if state.lastEntry.map == first {
            reader.offset = state.lastEntry.value
            try reader.skipItem()
            index = state.lastEntry.index + 1
        }
        var name = name
        let isNext = try name.withUTF8 { try index < count && reader.takeKey(equalTo: $0) }
        guard isNext else { return try search(name) }
        state.lastEntry = DecodingState.Position(map: first, index: index, value: reader.offset)
        return state.lastEntry
    }

    /// Searches all entries, or the index of a large map.
    private func search(_ name: String) throws -> DecodingState.Position? {
        let state = location.state
        let entry =
            count > Self.searchedCount
            ? try state.indexedEntry(of: name, map: first, count: count)
            : try scan(name)
        if let entry { state.lastEntry = entry }
        return entry
    }

    private func scan(_ name: String) throws -> DecodingState.Position? {
        var name = name
        return try name.withUTF8 { name throws -> DecodingState.Position? in
            var reader = location.state.reader(at: first)
            for index in 0..<count {
                if try reader.takeKey(equalTo: name) {
                    return DecodingState.Position(map: first, index: index, value: reader.offset)
                }
                try reader.skipItem()
            }
            return nil
        }
    }

    // MARK: Decoding

    func decodeNil(forKey key: Key) throws -> Bool {
        try location.isNull(at: try place(of: key, key.stringValue))
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        let name = key.stringValue
        return try location.bool(at: try place(of: key, name), .key(name))
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        let name = key.stringValue
        return try location.string(at: try place(of: key, name), .key(name))
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        let name = key.stringValue
        return try location.double(at: try place(of: key, name), .key(name))
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        let name = key.stringValue
        return try location.float(at: try place(of: key, name), .key(name))
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        let name = key.stringValue
        return try location.integer(type, at: try place(of: key, name), .key(name))
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        let name = key.stringValue
        return try location.integer(type, at: try place(of: key, name), .key(name))
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        let name = key.stringValue
        return try location.integer(type, at: try place(of: key, name), .key(name))
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        let name = key.stringValue
        return try location.integer(type, at: try place(of: key, name), .key(name))
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        let name = key.stringValue
        return try location.integer(type, at: try place(of: key, name), .key(name))
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        let name = key.stringValue
        return try location.integer(type, at: try place(of: key, name), .key(name))
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        let name = key.stringValue
        return try location.integer(type, at: try place(of: key, name), .key(name))
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        let name = key.stringValue
        return try location.integer(type, at: try place(of: key, name), .key(name))
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        let name = key.stringValue
        return try location.integer(type, at: try place(of: key, name), .key(name))
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        let name = key.stringValue
        return try location.integer(type, at: try place(of: key, name), .key(name))
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let name = key.stringValue
        guard let entry = try find(name) else { throw location.missing(key) }
        return try decode(type, entry, name)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        let name = key.stringValue
        guard let entry = try find(name), try !location.isNull(at: entry.value) else { return nil }
        return try decode(type, entry, name)
    }

    @inline(__always)
    private func decode<T: Decodable>(_ type: T.Type, _ entry: DecodingState.Position, _ name: String) throws -> T {
        let value = try location.value(type, at: entry.value, .key(name))
        // Decoding the value may have looked up the value's own fields.
        location.state.lastEntry = entry
        return value
    }

    // MARK: Nested containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let name = key.stringValue
        return try location.map(type, at: try place(of: key, name), .key(name))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        let name = key.stringValue
        return try location.array(at: try place(of: key, name), .key(name))
    }

    func superDecoder() throws -> any Decoder {
        try superDecoder(named: PathStep.super)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try superDecoder(named: key)
    }

    private func superDecoder(named key: some CodingKey) throws -> any Decoder {
        let name = key.stringValue
        guard let entry = try find(name) else { throw location.missing(key) }
        return ItemDecoder(
            location: location.branching(.key(name)), offset: UInt32(truncatingIfNeeded: entry.value))
    }
}
