/// One item that is encoded already: ``CBOREncoder`` embeds it as it is, and ``CBORDecoder`` captures it as it stands.
///
/// It carries a value through a process that has no need, or no type, to decode it.
public struct CBORRaw: Hashable, Sendable {
    /// The encoded item: never empty, well-formed, without anything behind it.
    public let bytes: [UInt8]

    /// Takes an encoded item.
    ///
    /// - Throws: ``CBORError`` if the bytes are anything but one well-formed item within `limits`.
    public init(_ bytes: [UInt8], limits: CBORLimits = .default) throws(CBORError) {
        try CBORReader.walk(bytes[...]) { reader throws(CBORError) in
            try CBORValidator.validate(reader.bytes, limits: limits)
        }
        self.bytes = bytes
    }

    /// Encodes a value now, to be embedded later.
    ///
    /// - Throws: what ``CBOREncoder`` throws.
    public init(encoding value: some Encodable) throws {
        bytes = try CBOREncoder().encode(value)
    }

    /// Takes bytes that have been validated as part of something larger, or have just been encoded.
    package init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
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
