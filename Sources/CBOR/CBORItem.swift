/// A value that writes itself as one CBOR item, and reads itself from one.
///
/// The bytes are the same as those of ``CBOREncoder``, and ``CBORDecoder`` reads them. Such a value is written and read
/// several times faster than through `Codable`, because no encoder or decoder is between the value and the bytes.
///
/// `@ResponderMessages` and `@CBORItem` of the module `Messaging` generate the conformance. A type with a raw value needs
/// neither: `extension Colour: CBORItem {}` suffices. A type that has its own `init(from:)` or `encode(to:)` must
/// not conform, unless it writes the same bytes here.
public protocol CBORItem: Codable {
    /// Writes the value as one item, with the same bytes as ``CBOREncoder``.
    ///
    /// - Throws: The errors of ``CBOREncoder``, for a part of the value that is only `Codable`.
    func writeItem(to writer: inout CBORWriter) throws

    /// Reads the next item.
    ///
    /// - Throws: ``CBORItemReader/OtherForm`` for anything but the bytes that `writeItem(to:)` writes. The caller then
    ///   uses ``CBORDecoder``, which reads every form, and whose errors name the field.
    init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm)

    /// What a field of this type is when its map lacks it: `.some(nil)` for an optional type; nil for any other type, whose
    /// fields must be there.
    static var missingField: Self? { get }

    /// Writes an array of such values as one item.
    static func write(_ array: [Self], to writer: inout CBORWriter) throws

    /// Reads an array of such values.
    static func readArray(from reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) -> [Self]
}

extension CBORItem {
    public static var missingField: Self? { nil }

    public static func write(_ array: [Self], to writer: inout CBORWriter) throws {
        try writer.enter()
        writer.writeArrayHead(count: array.count)
        for element in array { try element.writeItem(to: &writer) }
        writer.depth &-= 1
    }

    public static func readArray(from reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) -> [Self] {
        try reader.readArray(of: Self.self)
    }
}

/// A type of raw values that `Codable` writes in place of the value that has it.
public protocol CBORRawValue: CBORItem {}

extension CBORItem where Self: RawRepresentable, RawValue: CBORRawValue {
    public func writeItem(to writer: inout CBORWriter) throws {
        try rawValue.writeItem(to: &writer)
    }

    public init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        guard let value = Self(rawValue: try RawValue(fromItem: &reader)) else {
            throw CBORItemReader.OtherForm()
        }
        self = value
    }
}

extension CBORWriter {
    /// Writes a value as one item.
    ///
    /// - Throws: The errors of ``CBOREncoder``. Unlike ``write(_:)``, it keeps the bytes before the error.
    @inline(__always)
    public mutating func writeItem(_ value: some CBORItem) throws {
        try value.writeItem(to: &self)
    }

    /// Writes a value as ``CBOREncoder`` does.
    ///
    /// - Throws: The errors of ``CBOREncoder``.
    public mutating func writeItem(_ value: some Encodable) throws {
        try write(value)
    }

    /// Starts a map of `count` fields. Write them with `writeField(_:_:)`, and then call ``endFields()``.
    ///
    /// - Throws: An error if the map is nested too deeply for a value to write itself.
    public mutating func beginFields(_ count: Int) throws {
        try enter()
        writeMapHead(count: count)
    }

    /// Ends a map of fields.
    public mutating func endFields() { depth &-= 1 }

    /// Writes a field of a map: its name and its value.
    ///
    /// - Throws: The errors of ``CBOREncoder``.
    public mutating func writeField(_ name: StaticString, _ value: some CBORItem) throws {
        writeName(name)
        try value.writeItem(to: &self)
    }

    /// Writes a field of a map as ``CBOREncoder`` does.
    ///
    /// - Throws: The errors of ``CBOREncoder``.
    public mutating func writeField(_ name: StaticString, _ value: some Encodable) throws {
        writeName(name)
        try write(value)
    }

    /// Writes a field of a map, or nothing if it is nil.
    ///
    /// - Throws: The errors of ``CBOREncoder``.
    public mutating func writeField(_ name: StaticString, _ value: (some CBORItem)?) throws {
        if let value { try writeField(name, value) }
    }

    /// Writes a field of a map as ``CBOREncoder`` does, or nothing if it is nil.
    ///
    /// - Throws: The errors of ``CBOREncoder``.
    public mutating func writeField(_ name: StaticString, _ value: (some Encodable)?) throws {
        if let value { try writeField(name, value) }
    }

    /// The number of entries that a field adds to its map: 1.
    @inline(__always)
    public static func fieldCount(_ value: some Any) -> Int { 1 }

    /// The number of entries that a field adds to its map: 0 if it is nil.
    @inline(__always)
    public static func fieldCount(_ value: (some Any)?) -> Int { value == nil ? 0 : 1 }

    @inline(__always)
    mutating func writeName(_ name: StaticString) {
        name.withUTF8Buffer { writeShortText(UnsafeRawBufferPointer($0)) }
    }
}

extension CBORWriter {
    /// Arrays and maps are nested too deeply for a value to write itself: writing recurses, and a thread's stack is
    /// finite.
    struct TooDeep: Error {}

    /// Begins an array or a map whose items may contain further ones.
    @inline(__always)
    mutating func enter() throws {
        // Below the limit of `CBOREncoder`, which then encodes the value or throws its own error.
        guard depth < EncodedItem.maximumDepth / 2 else { throw TooDeep() }
        depth &+= 1
    }
}

extension CBOREncoder {
    /// Encodes a value as one item and appends it to `bytes`.
    ///
    /// - Throws: The errors of ``encode(_:into:)``, with their coding path. On an error, `bytes` is unchanged.
    public func encode<T: CBORItem>(_ value: T, into bytes: inout [UInt8]) throws {
        let start = bytes.count
        var writer = CBORWriter(appendingTo: bytes)
        // The writer must be the only owner of the bytes; otherwise its first write would copy them.
        bytes = []
        do {
            try value.writeItem(to: &writer)
            bytes = writer.bytes
        } catch {
            bytes = writer.bytes
            bytes.removeSubrange(start...)
            // Its error names the field.
            try encodeThroughCodable(value, into: &bytes)
        }
    }

    /// Encodes a value as one item.
    ///
    /// - Throws: The errors of ``encode(_:into:)``.
    public func encode<T: CBORItem>(_ value: T) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try encode(value, into: &bytes)
        return bytes
    }

    /// Encodes a value as one item and appends it to `bytes`, even if it can write itself.
    package func encodeThroughCodable(_ value: some Encodable, into bytes: inout [UInt8]) throws {
        try encode(value, into: &bytes)
    }
}

extension CBORDecoder {
    /// Decodes a value from bytes that hold exactly one item.
    ///
    /// - Throws: The errors of a value that is only `Codable`.
    public func decode<T: CBORItem>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
        try decode(type, from: bytes[...])
    }

    /// Decodes a value from a slice of an array. Offsets in errors are relative to the slice's first byte.
    ///
    /// - Throws: The errors of a value that is only `Codable`.
    public func decode<T: CBORItem>(_ type: T.Type, from bytes: ArraySlice<UInt8>) throws -> T {
        do throws(CBORItemReader.OtherForm) { return try readItem(type, from: bytes) } catch {
            return try decodeThroughCodable(type, from: bytes)
        }
    }

    /// Decodes a value from bytes that hold exactly one item.
    ///
    /// - Parameter read: Reads the value, unless the bytes have another form than that in which values write themselves.
    /// - Throws: The errors of a value that is only `Codable`.
    package func decode<T: Decodable>(
        from bytes: ArraySlice<UInt8>, _ read: (inout CBORItemReader) throws(CBORItemReader.OtherForm) -> T
    ) throws -> T {
        do throws(CBORItemReader.OtherForm) { return try readItem(from: bytes, read) } catch {
            return try decodeThroughCodable(T.self, from: bytes)
        }
    }

    /// Reads a value from bytes that hold exactly one item, without `Codable`.
    ///
    /// - Throws: ``CBORItemReader/OtherForm`` if the bytes have a form that only `Codable` reads.
    package func readItem<T: CBORItem>(
        _ type: T.Type, from bytes: ArraySlice<UInt8>
    ) throws(CBORItemReader.OtherForm) -> T {
        try readItem(from: bytes) { reader throws(CBORItemReader.OtherForm) in try T(fromItem: &reader) }
    }

    @inline(__always)
    private func readItem<T>(
        from bytes: ArraySlice<UInt8>, _ read: (inout CBORItemReader) throws(CBORItemReader.OtherForm) -> T
    ) throws(CBORItemReader.OtherForm) -> T {
        try bytes.withUnsafeBufferPointer { bytes throws(CBORItemReader.OtherForm) in
            guard var reader = CBORItemReader(UnsafeRawBufferPointer(bytes), limits: limits) else {
                throw CBORItemReader.OtherForm()
            }
            // A value may have put another reader in its place, whose bytes do not live as long.
            defer { precondition(reader.isReading(bytes), "init(fromItem:) has replaced its reader") }
            let value = try read(&reader)
            guard reader.isAtEnd else { throw CBORItemReader.OtherForm() }
            return value
        }
    }

    private func decodeThroughCodable<T: Decodable>(_ type: T.Type, from bytes: ArraySlice<UInt8>) throws -> T {
        try decode(type, from: bytes)
    }
}
