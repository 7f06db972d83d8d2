extension CBORRaw {
    /// Encodes a value now, to be embedded later.
    ///
    /// - Throws: what ``CBOREncoder`` throws.
    public init(encoding value: some Encodable) throws {
        bytes = try CBOREncoder().encode(value)
    }

    /// Decodes the item.
    ///
    /// - Throws: what ``CBORDecoder`` throws.
    public func decode<T: Decodable>(as type: T.Type) throws -> T {
        try CBORDecoder(limits: .trusted).decode(type, from: bytes)
    }
}

extension CBORRaw: Codable {
    /// Embeds the item, or with another encoder than ``CBOREncoder`` the value it holds.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? ItemEncoder {
            try encoder.encodeItem { $0.writeRaw(self) }
        } else {
            try decode(as: CBORValue.self).encode(to: encoder)
        }
    }

    /// Captures the item, or with another decoder than ``CBORDecoder`` encodes the value found.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? ItemDecoder {
            self = try decoder.raw()
        } else {
            self.init(unchecked: try CBORValue(from: decoder).encoded())
        }
    }
}
