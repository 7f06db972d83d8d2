/// The container of a map that is being decoded. Fields are looked up by name, in any order.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let location: DecodingLocation
    /// The names of the fields, in the order of the input.
    private var names: [String] = []
    /// The offsets of the values, by the bytes of their names: equal texts may have different bytes.
    private var offsets: [[UInt8]: Int] = [:]

    /// - Parameters:
    ///   - first: The offset of the first key.
    ///   - count: The number of entries.
    init(location: DecodingLocation, first: Int, count: Int) throws(CBORError) {
        self.location = location
        var reader = location.state.reader(at: first)
        for _ in 0..<count {
            if let name = try reader.readKeyName() {
                names.append(name)
                let bytes = Array(name.utf8)
                if offsets[bytes] == nil { offsets[bytes] = reader.offset }
            }
            try reader.skipItem()
        }
    }

    var codingPath: [any CodingKey] { location.codingPath }
    var allKeys: [Key] { names.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { offsets[Array(key.stringValue.utf8)] != nil }

    /// Reads the value of a field.
    private func read<T>(_ key: some CodingKey, _ read: (DecodingLocation, Int, PathStep) throws -> T) throws -> T {
        guard let offset = offsets[Array(key.stringValue.utf8)] else { throw location.missing(key) }
        return try read(location, offset, .key(key.stringValue))
    }

    // MARK: Decoding

    func decodeNil(forKey key: Key) throws -> Bool {
        try read(key) { location, offset, _ in try location.isNull(at: offset) }
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try read(key) { try $0.bool(at: $1, $2) } }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try read(key) { try $0.string(at: $1, $2) } }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try read(key) { try $0.double(at: $1, $2) } }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try read(key) { try $0.float(at: $1, $2) } }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try read(key) { try $0.integer(type, at: $1, $2) } }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try read(key) { try $0.integer(type, at: $1, $2) }
    }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try read(key) { try $0.integer(type, at: $1, $2) }
    }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try read(key) { try $0.integer(type, at: $1, $2) }
    }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try read(key) { try $0.integer(type, at: $1, $2) }
    }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try read(key) { try $0.integer(type, at: $1, $2) }
    }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try read(key) { try $0.integer(type, at: $1, $2) }
    }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try read(key) { try $0.integer(type, at: $1, $2) }
    }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try read(key) { try $0.integer(type, at: $1, $2) }
    }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try read(key) { try $0.integer(type, at: $1, $2) }
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try read(key) { try $0.value(type, at: $1, $2) }
    }

    // MARK: Nested containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try read(key) { try $0.map(type, at: $1, $2) }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try read(key) { try $0.array(at: $1, $2) }
    }

    func superDecoder() throws -> any Decoder {
        try read(PathStep.super) { ItemDecoder(location: $0.advanced(by: $2), offset: $1) }
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try read(key) { ItemDecoder(location: $0.advanced(by: $2), offset: $1) }
    }
}
