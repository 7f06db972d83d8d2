/// The encoder that a value's `encode(to:)` sees.
struct ItemEncoder: Encoder {
    let state: EncodingState
    let serial: Int

    var codingPath: [any CodingKey] { state.path(of: serial) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        // The order of a dictionary changes from run to run. Its keys are sorted so that equal values give equal bytes.
        state.open(.map, serial: serial, sortsKeys: ObjectIdentifier(type) == DictionaryKeyType.identifier)
        return KeyedEncodingContainer(KeyedEncoding<Key>(state: state, serial: serial))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        state.open(.array, serial: serial)
        return UnkeyedEncoding(state: state, serial: serial)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueEncoding(state: state, serial: serial)
    }

    /// Encodes the whole value by calling a function with the writer.
    func encodeItem(_ write: (inout CBORWriter) -> Void) throws {
        try state.beginScalar(serial: serial)
        write(&state.writer)
    }
}
