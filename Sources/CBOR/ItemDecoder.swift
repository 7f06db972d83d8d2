/// The decoder that a type's `init(from:)` sees, and the container of a single value.
struct ItemDecoder: Decoder {
    let location: DecodingLocation
    let offset: Int

    var codingPath: [any CodingKey] { location.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try location.map(type, at: offset)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try location.array(at: offset)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        self
    }

    /// The encoded item.
    func raw() throws -> CBORRaw {
        try location.raw(at: offset)
    }

    /// The item as a value without a schema.
    func value() throws -> CBORValue {
        var reader = location.state.reader(at: offset)
        return try reader.readValue()
    }
}

extension ItemDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { (try? location.isNull(at: offset)) ?? false }

    func decode(_ type: Bool.Type) throws -> Bool { try location.bool(at: offset, nil) }
    func decode(_ type: String.Type) throws -> String { try location.string(at: offset, nil) }
    func decode(_ type: Double.Type) throws -> Double { try location.double(at: offset, nil) }
    func decode(_ type: Float.Type) throws -> Float { try location.float(at: offset, nil) }
    func decode(_ type: Int.Type) throws -> Int { try location.integer(type, at: offset, nil) }
    func decode(_ type: Int8.Type) throws -> Int8 { try location.integer(type, at: offset, nil) }
    func decode(_ type: Int16.Type) throws -> Int16 { try location.integer(type, at: offset, nil) }
    func decode(_ type: Int32.Type) throws -> Int32 { try location.integer(type, at: offset, nil) }
    func decode(_ type: Int64.Type) throws -> Int64 { try location.integer(type, at: offset, nil) }
    func decode(_ type: UInt.Type) throws -> UInt { try location.integer(type, at: offset, nil) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try location.integer(type, at: offset, nil) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try location.integer(type, at: offset, nil) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try location.integer(type, at: offset, nil) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try location.integer(type, at: offset, nil) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try location.value(type, at: offset, nil)
    }
}
