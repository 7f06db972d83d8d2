extension CBORValue: Codable {
    /// Encodes the item as it is.
    ///
    /// An encoder other than ``CBOREncoder`` gets the closest value that it supports. Keys that are not text are
    /// written in diagnostic notation. For a secret there is none, so it throws an error.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? ItemEncoder {
            return try encoder.encodeItem { $0.writeValue(self) }
        }
        if case .map(let map) = self {
            var container = encoder.container(keyedBy: PathStep.self)
            for entry in map.entries {
                try container.encode(entry.value, forKey: .key(entry.key.stringValue ?? entry.key.diagnostic))
            }
            return
        }
        if case .secret(let secret) = self { return try secret.encode(to: encoder) }
        var container = encoder.singleValueContainer()
        switch self {
        case .null, .map, .secret: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .bytes(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        }
    }

    /// Decodes any item.
    ///
    /// A decoder other than ``CBORDecoder`` does not tell what kind of value it has. The first kind that it can decode
    /// is used.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? ItemDecoder {
            self = try decoder.value()
        } else if let container = try? decoder.container(keyedBy: PathStep.self) {
            self = .map(
                CBORMap(
                    try container.allKeys.map {
                        CBORMap.Pair(
                            key: .string($0.stringValue), value: try container.decode(CBORValue.self, forKey: $0))
                    }))
        } else {
            self = try Self.scalarOrArray(decoder.singleValueContainer())
        }
    }

    private static func scalarOrArray(_ container: any SingleValueDecodingContainer) throws -> CBORValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .int(value) }
        if let value = try? container.decode(UInt64.self) { return .unsigned(value) }
        if let value = try? container.decode(Double.self) { return .double(value) }
        if let value = try? container.decode(String.self) { return .string(value) }
        return .array(try container.decode([CBORValue].self))
    }
}
