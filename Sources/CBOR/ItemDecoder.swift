/// The decoder that a type's `init(from:)` sees, and the container of a single value.
///
/// It fits in the three words of an existential, so passing it as `any Decoder` does not allocate.
struct ItemDecoder: Decoder {
    let location: DecodingLocation
    let offset: UInt32

    var codingPath: [any CodingKey] { location.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private var start: Int { Int(offset) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try location.map(type, at: start)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try location.array(at: start)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        self
    }

    /// The encoded item.
    func raw() throws -> CBORRaw {
        try location.raw(at: start)
    }

    /// The item as a value without a schema.
    func value() throws -> CBORValue {
        var reader = location.state.reader(at: start)
        return try reader.readValue()
    }
}

extension ItemDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { (try? location.isNull(at: start)) ?? false }

    func decode(_ type: Bool.Type) throws -> Bool { try location.bool(at: start, nil) }
    func decode(_ type: String.Type) throws -> String { try location.string(at: start, nil) }
    func decode(_ type: Double.Type) throws -> Double { try location.double(at: start, nil) }
    func decode(_ type: Float.Type) throws -> Float { try location.float(at: start, nil) }
    func decode(_ type: Int.Type) throws -> Int { try location.integer(type, at: start, nil) }
    func decode(_ type: Int8.Type) throws -> Int8 { try location.integer(type, at: start, nil) }
    func decode(_ type: Int16.Type) throws -> Int16 { try location.integer(type, at: start, nil) }
    func decode(_ type: Int32.Type) throws -> Int32 { try location.integer(type, at: start, nil) }
    func decode(_ type: Int64.Type) throws -> Int64 { try location.integer(type, at: start, nil) }
    func decode(_ type: UInt.Type) throws -> UInt { try location.integer(type, at: start, nil) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try location.integer(type, at: start, nil) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try location.integer(type, at: start, nil) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try location.integer(type, at: start, nil) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try location.integer(type, at: start, nil) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try location.value(type, at: start, nil)
    }
}
