/// The encoder that a value's `encode(to:)` sees.
struct ItemEncoder: Encoder {
    let item: EncodedItem

    var codingPath: [any CodingKey] { item.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        // The order of a dictionary changes from run to run. Its keys are sorted so that equal values give equal bytes.
        item.openMap(sortsKeys: ObjectIdentifier(type) == DictionaryKeyType.identifier)
        return KeyedEncodingContainer(KeyedEncoding<Key>(item: item))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        item.openArray()
        return UnkeyedEncoding(item: item)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleValueEncoding(item: item) }

    /// Encodes the whole value by calling a function with the writer.
    func encodeItem(_ write: (inout CBORWriter) -> Void) throws { try item.write(write) }
}
