/// The container of a value that is encoded as one scalar or as another value.
struct SingleValueEncoding: SingleValueEncodingContainer {
    let state: EncodingState
    let serial: Int

    var codingPath: [any CodingKey] { state.path(of: serial) }

    @inline(__always)
    private func entry(_ write: (inout CBORWriter) -> Void) throws {
        try state.beginScalar(serial: serial)
        write(&state.writer)
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
        try state.beginScalar(serial: serial)
        do {
            try state.encode(value, step: nil)
        } catch {
            state.cancelScalar()
            throw error
        }
    }
}
