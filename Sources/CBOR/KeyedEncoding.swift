/// The container of a map that is being encoded: text keys and values in the order of the calls.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let state: EncodingState
    let serial: Int

    var codingPath: [any CodingKey] { state.path(of: serial) }

    @inline(__always)
    private func entry(_ key: Key, _ write: (inout CBORWriter) -> Void) throws {
        try check()
        let name = key.stringValue
        state.writer.writeString(name)
        write(&state.writer)
        state.countEntry()
    }

    @inline(__always)
    private func check() throws {
        guard state.isCurrent(serial) else { throw misuse }
    }

    private var misuse: EncodingError {
        state.misuse(serial, "The container is used while another value is encoded, or after its value was finished.")
    }

    mutating func encodeNil(forKey key: Key) throws { try entry(key) { $0.writeNull() } }

    mutating func encode(_ value: Bool, forKey key: Key) throws { try entry(key) { $0.writeBool(value) } }
    mutating func encode(_ value: String, forKey key: Key) throws { try entry(key) { $0.writeString(value) } }
    mutating func encode(_ value: Double, forKey key: Key) throws { try entry(key) { $0.writeDouble(value) } }
    mutating func encode(_ value: Float, forKey key: Key) throws { try entry(key) { $0.writeFloat(value) } }
    mutating func encode(_ value: Int, forKey key: Key) throws { try entry(key) { $0.writeInteger(Int64(value)) } }
    mutating func encode(_ value: Int8, forKey key: Key) throws { try entry(key) { $0.writeInteger(Int64(value)) } }
    mutating func encode(_ value: Int16, forKey key: Key) throws { try entry(key) { $0.writeInteger(Int64(value)) } }
    mutating func encode(_ value: Int32, forKey key: Key) throws { try entry(key) { $0.writeInteger(Int64(value)) } }
    mutating func encode(_ value: Int64, forKey key: Key) throws { try entry(key) { $0.writeInteger(value) } }
    mutating func encode(_ value: UInt, forKey key: Key) throws { try entry(key) { $0.writeUnsigned(UInt64(value)) } }
    mutating func encode(_ value: UInt8, forKey key: Key) throws { try entry(key) { $0.writeUnsigned(UInt64(value)) } }
    mutating func encode(_ value: UInt16, forKey key: Key) throws { try entry(key) { $0.writeUnsigned(UInt64(value)) } }
    mutating func encode(_ value: UInt32, forKey key: Key) throws { try entry(key) { $0.writeUnsigned(UInt64(value)) } }
    mutating func encode(_ value: UInt64, forKey key: Key) throws { try entry(key) { $0.writeUnsigned(value) } }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try check()
        let start = state.writer.bytes.count
        let name = key.stringValue
        state.writer.writeString(name)
        do {
            try state.encode(value, step: .key(name))
        } catch {
            state.takeBack(to: start)
            throw error
        }
        state.countEntry()
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        insertion(.key(key.stringValue)).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        insertion(.key(key.stringValue)).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        insertion(.super)
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        insertion(.key(key.stringValue))
    }

    private func insertion(_ step: PathStep) -> ItemEncoder {
        if state.isCurrent(serial) {
            let name = step.stringValue
            state.writer.writeString(name)
            state.countEntry()
        } else {
            state.fail(misuse)
        }
        return state.insertion(step: step)
    }
}
