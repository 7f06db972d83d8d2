/// The container of an array that is being encoded.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let state: EncodingState
    let serial: Int

    var codingPath: [any CodingKey] { state.path(of: serial) }
    var count: Int { state.isCurrent(serial) ? state.current.count : 0 }

    @inline(__always)
    private func entry(_ write: (inout CBORWriter) -> Void) throws {
        try check()
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

    mutating func encodeNil() throws { try entry { $0.writeNull() } }

    mutating func encode(_ value: Bool) throws { try entry { $0.writeBool(value) } }
    mutating func encode(_ value: String) throws { try entry { $0.writeString(value) } }
    mutating func encode(_ value: Double) throws { try entry { $0.writeDouble(value) } }
    mutating func encode(_ value: Float) throws { try entry { $0.writeFloat(value) } }
    mutating func encode(_ value: Int) throws { try entry { $0.writeInteger(Int64(value)) } }
    mutating func encode(_ value: Int8) throws { try entry { $0.writeInteger(Int64(value)) } }
    mutating func encode(_ value: Int16) throws { try entry { $0.writeInteger(Int64(value)) } }
    mutating func encode(_ value: Int32) throws { try entry { $0.writeInteger(Int64(value)) } }
    mutating func encode(_ value: Int64) throws { try entry { $0.writeInteger(value) } }
    mutating func encode(_ value: UInt) throws { try entry { $0.writeUnsigned(UInt64(value)) } }
    mutating func encode(_ value: UInt8) throws { try entry { $0.writeUnsigned(UInt64(value)) } }
    mutating func encode(_ value: UInt16) throws { try entry { $0.writeUnsigned(UInt64(value)) } }
    mutating func encode(_ value: UInt32) throws { try entry { $0.writeUnsigned(UInt64(value)) } }
    mutating func encode(_ value: UInt64) throws { try entry { $0.writeUnsigned(value) } }

    mutating func encode<T: Encodable>(_ value: T) throws {
        try check()
        try state.encode(value, step: .index(state.current.count))
        state.countEntry()
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        insertion().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        insertion().unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        insertion()
    }

    private func insertion() -> ItemEncoder {
        let step = PathStep.index(count)
        if state.isCurrent(serial) {
            state.countEntry()
        } else {
            state.fail(misuse)
        }
        return state.insertion(step: step)
    }
}
