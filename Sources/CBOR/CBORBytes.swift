/// Bytes that are one byte string in CBOR.
///
/// `[UInt8]` is encoded in the same way; this type says so in a declaration, and other coders see the plain array.
public struct CBORBytes: Hashable, Sendable {
    /// The content.
    public var bytes: [UInt8]

    /// Wraps bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension CBORBytes: Codable {
    /// Encodes a byte string, or an array of numbers with another encoder than ``CBOREncoder``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes)
    }

    /// Decodes a byte string or an array of numbers.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([UInt8].self))
    }
}
