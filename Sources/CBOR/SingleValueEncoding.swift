/// The container of a value that is encoded as one scalar or as another value.
struct SingleValueEncoding: SingleValueEncodingContainer {
    let item: EncodedItem

    var codingPath: [any CodingKey] { item.codingPath }

    mutating func encodeNil() throws { try item.write { $0.writeNull() } }

    mutating func encode(_ value: Bool) throws { try item.write { $0.writeBool(value) } }
    mutating func encode(_ value: Double) throws { try item.write { $0.writeDouble(value) } }
    mutating func encode(_ value: Float) throws { try item.write { $0.writeFloat(value) } }
    mutating func encode(_ value: String) throws { try item.write { $0.writeString(value) } }
    mutating func encode(_ value: Int) throws { try item.write { $0.writeInteger(Int64(value)) } }
    mutating func encode(_ value: Int8) throws { try item.write { $0.writeInteger(Int64(value)) } }
    mutating func encode(_ value: Int16) throws { try item.write { $0.writeInteger(Int64(value)) } }
    mutating func encode(_ value: Int32) throws { try item.write { $0.writeInteger(Int64(value)) } }
    mutating func encode(_ value: Int64) throws { try item.write { $0.writeInteger(value) } }
    mutating func encode(_ value: UInt) throws { try item.write { $0.writeUnsigned(UInt64(value)) } }
    mutating func encode(_ value: UInt8) throws { try item.write { $0.writeUnsigned(UInt64(value)) } }
    mutating func encode(_ value: UInt16) throws { try item.write { $0.writeUnsigned(UInt64(value)) } }
    mutating func encode(_ value: UInt32) throws { try item.write { $0.writeUnsigned(UInt64(value)) } }
    mutating func encode(_ value: UInt64) throws { try item.write { $0.writeUnsigned(value) } }

    mutating func encode<T: Encodable>(_ value: T) throws {
        let other = item.child(nil)
        try other.encode(value)
        try item.take(other)
    }
}
