/// The container of an array that is being encoded.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let item: EncodedItem

    var codingPath: [any CodingKey] { item.codingPath }
    var count: Int { item.count }

    mutating func encodeNil() throws { try encode(CBORValue.null) }

    mutating func encode(_ value: Bool) throws { try add(value) }
    mutating func encode(_ value: Double) throws { try add(value) }
    mutating func encode(_ value: Float) throws { try add(value) }
    mutating func encode(_ value: String) throws { try add(value) }
    mutating func encode(_ value: Int) throws { try add(value) }
    mutating func encode(_ value: Int8) throws { try add(value) }
    mutating func encode(_ value: Int16) throws { try add(value) }
    mutating func encode(_ value: Int32) throws { try add(value) }
    mutating func encode(_ value: Int64) throws { try add(value) }
    mutating func encode(_ value: UInt) throws { try add(value) }
    mutating func encode(_ value: UInt8) throws { try add(value) }
    mutating func encode(_ value: UInt16) throws { try add(value) }
    mutating func encode(_ value: UInt32) throws { try add(value) }
    mutating func encode(_ value: UInt64) throws { try add(value) }

    mutating func encode<T: Encodable>(_ value: T) throws { try add(value) }

    private func add(_ value: some Encodable) throws {
        let child = item.child(.index(count))
        try child.encode(value)
        item.append(child)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        nested().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { nested() }

    /// Adds an element whose value is encoded later.
    private func nested() -> ItemEncoder {
        let child = item.child(.index(count))
        item.append(child)
        return ItemEncoder(item: child)
    }
}
