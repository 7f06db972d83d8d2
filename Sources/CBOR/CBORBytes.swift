/// Bytes that are encoded as one byte string.
///
/// `[UInt8]` is encoded in the same way. This type makes it visible in the declaration of a property. Coders of other
/// formats treat it as an array of numbers.
public struct CBORBytes: Hashable, Sendable {
    /// The content.
    public var bytes: [UInt8]

    /// Wraps bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension CBORBytes: Codable {
    /// Encodes a byte string. With an encoder other than ``CBOREncoder``, encodes an array of numbers.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes)
    }

    /// Decodes a byte string or an array of numbers.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([UInt8].self))
    }
}
