extension CBORValue {
    /// Decodes bytes that hold exactly one item.
    ///
    /// - Throws: ``CBORError`` if they are malformed or beyond the limits.
    public init(decoding bytes: [UInt8], limits: CBORLimits = .default) throws(CBORError) {
        self = try Self.decode(bytes[...], limits: limits)
    }

    /// Decodes part of an array that holds exactly one item.
    ///
    /// - Throws: ``CBORError`` if it is malformed or beyond the limits.
    public init(decoding bytes: ArraySlice<UInt8>, limits: CBORLimits = .default) throws(CBORError) {
        self = try Self.decode(bytes, limits: limits)
    }

    private static func decode(_ bytes: ArraySlice<UInt8>, limits: CBORLimits) throws(CBORError) -> CBORValue {
        try CBORReader.walk(bytes) { reader throws(CBORError) in
            try CBORValidator.validate(reader.bytes, limits: limits)
            return try reader.readValue()
        }
    }

    /// Encodes the value as one item. Map entries keep their order.
    public func encoded() -> [UInt8] {
        var writer = CBORWriter()
        writer.writeValue(self)
        return writer.bytes
    }

    /// Makes the value that a decoder without the type of `value` would see.
    ///
    /// - Throws: The errors of ``CBOREncoder``, and ``CBORError`` with `duplicateKey` for a type that encodes a key
    ///   twice.
    public init(encoding value: some Encodable) throws {
        try self.init(decoding: CBOREncoder().encode(value), limits: .trusted)
    }

    /// Decodes a typed value from this one.
    ///
    /// - Throws: `DecodingError` if a field is missing or has another type; ``CBORError`` for values nested deeper than
    ///   256 levels.
    public func decode<T: Decodable>(as type: T.Type) throws -> T {
        try CBORDecoder(limits: .trusted).decode(type, from: encoded())
    }
}

extension CBORReader {
    /// Reads an item from validated bytes, whose depth is bounded and whose counts are correct.
    mutating func readValue() throws(CBORError) -> CBORValue {
        let isSecret = try skipTags()
        let value = try readUntaggedValue()
        return isSecret ? .secret(Secret(value)) : value
    }

    private mutating func readUntaggedValue() throws(CBORError) -> CBORValue {
        let head = try readHead()
        switch head.majorType {
        case .unsigned:
            return CBORValue(integer: head.argument)
        case .negative:
            return head.integer(Int64.self).map(CBORValue.int) ?? .double(-1 - Double(head.argument))
        case .bytes:
            return .bytes(try readContent(head))
        case .text:
            return .string(try readText(head))
        case .array:
            let count = try countElements(head)
            var elements: [CBORValue] = []
            elements.reserveCapacity(count)
            for _ in 0..<count { elements.append(try readValue()) }
            if head.isIndefinite { _ = try takeBreak() }
            return .array(elements)
        case .map:
            let count = try countElements(head) / 2
            var entries: [CBORMap.Pair] = []
            entries.reserveCapacity(count)
            for _ in 0..<count { entries.append(CBORMap.Pair(key: try readValue(), value: try readValue())) }
            if head.isIndefinite { _ = try takeBreak() }
            return .map(CBORMap(unique: entries))
        case .simple:
            if let number = head.floatingPoint { return .double(number) }
            return head.information == 20 || head.information == 21 ? .bool(head.information == 21) : .null
        case .tag:
            // Never reached: tags were skipped above.
            return .null
        }
    }
}

extension CBORWriter {
    /// Writes a value of any kind.
    public mutating func writeValue(_ value: CBORValue) {
        switch value {
        case .null: writeNull()
        case .bool(let value): writeBool(value)
        case .int(let value): writeInteger(value)
        case .unsigned(let value): writeUnsigned(value)
        case .double(let value): writeDouble(value)
        case .string(let value): writeString(value)
        case .bytes(let value): writeBytes(value)
        case .array(let elements):
            writeArrayHead(count: elements.count)
            for element in elements { writeValue(element) }
        case .map(let map):
            writeMapHead(count: map.entries.count)
            for entry in map.entries {
                writeValue(entry.key)
                writeValue(entry.value)
            }
        case .secret(let secret):
            writeSecretTag()
            writeValue(secret.revealed)
        }
    }
}

extension CBORWriter {
    /// Marks the next item as secret.
    mutating func writeSecretTag() { writeHead(.tag, SecretTag.number) }
}
