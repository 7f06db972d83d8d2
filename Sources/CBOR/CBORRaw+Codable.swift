extension CBORRaw {
    /// Encodes a value, to be embedded later.
    ///
    /// - Throws: The errors of ``CBOREncoder``.
    public init(encoding value: some Encodable) throws {
        bytes = try CBOREncoder().encode(value)
    }

    /// Decodes the item.
    ///
    /// - Throws: The errors of ``CBORDecoder``.
    public func decode<T: Decodable>(as type: T.Type) throws -> T {
        try CBORDecoder(limits: .trusted).decode(type, from: bytes)
    }
}

extension CBORRaw: Codable {
    /// Embeds the item. With an encoder other than ``CBOREncoder``, encodes the value that it holds.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? ItemEncoder {
            try encoder.encodeItem { $0.writeRaw(self) }
        } else {
            try decode(as: CBORValue.self).encode(to: encoder)
        }
    }

    /// Captures the item. With a decoder other than ``CBORDecoder``, decodes a value and encodes it.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? ItemDecoder {
            self = try decoder.raw()
        } else {
            self.init(unchecked: try CBORValue(from: decoder).encoded())
        }
    }
}
