// The standard types write and read themselves.

extension Bool: CBORRawValue {
    public func writeItem(to writer: inout CBORWriter) { writer.writeBool(self) }

    public init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        self = try reader.readBool()
    }
}

extension String: CBORRawValue {
    public func writeItem(to writer: inout CBORWriter) { writer.writeString(self) }

    public init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        self = try reader.readString()
    }
}

extension Double: CBORRawValue {
    public func writeItem(to writer: inout CBORWriter) { writer.writeDouble(self) }

    public init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        self = try reader.readDouble()
    }
}

extension Float: CBORRawValue {
    public func writeItem(to writer: inout CBORWriter) { writer.writeFloat(self) }

    public init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        self = try reader.readFloat()
    }
}

extension CBORBytes: CBORItem {
    public func writeItem(to writer: inout CBORWriter) { writer.writeBytes(bytes) }

    public init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        self.init(try reader.readBytes())
    }
}

extension CBORItem where Self: FixedWidthInteger & SignedInteger {
    public func writeItem(to writer: inout CBORWriter) { writer.writeInteger(Int64(self)) }
}

extension CBORItem where Self: FixedWidthInteger & UnsignedInteger {
    public func writeItem(to writer: inout CBORWriter) { writer.writeUnsigned(UInt64(self)) }
}

extension CBORItem where Self: FixedWidthInteger {
    public init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        self = try reader.readInteger(Self.self)
    }
}

extension Int: CBORRawValue {}
extension Int8: CBORRawValue {}
extension Int16: CBORRawValue {}
extension Int32: CBORRawValue {}
extension Int64: CBORRawValue {}
extension UInt: CBORRawValue {}
extension UInt8: CBORRawValue {}
extension UInt16: CBORRawValue {}
extension UInt32: CBORRawValue {}
extension UInt64: CBORRawValue {}

extension CBORRaw: CBORItem {
    public func writeItem(to writer: inout CBORWriter) { writer.writeRaw(self) }

    public init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        self = try reader.readThroughCodable(CBORRaw.self)
    }
}

/// Nil is null. As a field, a value that is nil is left out instead.
extension Optional: CBORItem where Wrapped: CBORItem {
    public func writeItem(to writer: inout CBORWriter) throws {
        guard let self else { return writer.writeNull() }
        try self.writeItem(to: &writer)
    }

    public init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        if reader.isNull {
            reader.skipNull()
            self = nil
        } else if reader.isTagged {
            // It may be a tagged null, which `Codable` reads as nil.
            throw CBORItemReader.OtherForm()
        } else {
            self = try Wrapped(fromItem: &reader)
        }
    }

    public static var missingField: Wrapped?? { .some(nil) }
}

extension UInt8 {
    /// An array of bytes is a byte string.
    public static func write(_ array: [UInt8], to writer: inout CBORWriter) throws { writer.writeBytes(array) }

    public static func readArray(from reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) -> [UInt8] {
        try reader.readBytes()
    }
}

extension Array: CBORItem where Element: CBORItem {
    public func writeItem(to writer: inout CBORWriter) throws {
        try Element.write(self, to: &writer)
    }

    public init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        self = try Element.readArray(from: &reader)
    }
}
