/// The container of a map that is being encoded: text keys and values in the order of the calls.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let item: EncodedItem

    var codingPath: [any CodingKey] { item.codingPath }

    mutating func encodeNil(forKey key: Key) throws { try encode(CBORValue.null, forKey: key) }

    mutating func encode(_ value: Bool, forKey key: Key) throws { try add(value, key) }
    mutating func encode(_ value: Double, forKey key: Key) throws { try add(value, key) }
    mutating func encode(_ value: Float, forKey key: Key) throws { try add(value, key) }
    mutating func encode(_ value: String, forKey key: Key) throws { try add(value, key) }
    mutating func encode(_ value: Int, forKey key: Key) throws { try add(value, key) }
    mutating func encode(_ value: Int8, forKey key: Key) throws { try add(value, key) }
    mutating func encode(_ value: Int16, forKey key: Key) throws { try add(value, key) }
    mutating func encode(_ value: Int32, forKey key: Key) throws { try add(value, key) }
    mutating func encode(_ value: Int64, forKey key: Key) throws { try add(value, key) }
    mutating func encode(_ value: UInt, forKey key: Key) throws { try add(value, key) }
    mutating func encode(_ value: UInt8, forKey key: Key) throws { try add(value, key) }
    mutating func encode(_ value: UInt16, forKey key: Key) throws { try add(value, key) }
    mutating func encode(_ value: UInt32, forKey key: Key) throws { try add(value, key) }
    mutating func encode(_ value: UInt64, forKey key: Key) throws { try add(value, key) }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try add(value, key) }

    private func add(_ value: some Encodable, _ key: Key) throws {
        let child = item.child(.key(key.stringValue))
        try child.encode(value)
        item.append(child, key: key.stringValue)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nested(key).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { nested(PathStep.super) }

    mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

    /// Adds an entry whose value is encoded later.
    private func nested(_ key: some CodingKey) -> ItemEncoder {
        let child = item.child(.key(key.stringValue))
        item.append(child, key: key.stringValue)
        return ItemEncoder(item: child)
    }
}
