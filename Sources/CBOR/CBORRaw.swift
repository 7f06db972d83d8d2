/// One encoded item. ``CBOREncoder`` embeds it unchanged, and ``CBORDecoder`` captures it undecoded.
///
/// It carries a value through a process that does not need to decode it, or has no type for it.
public struct CBORRaw: Hashable, Sendable {
    /// The bytes of exactly one well-formed item.
    public let bytes: [UInt8]

    /// Wraps an encoded item.
    ///
    /// - Throws: ``CBORError`` if the bytes are anything but one well-formed item within `limits`.
    public init(_ bytes: [UInt8], limits: CBORLimits = .default) throws(CBORError) {
        try CBORReader.walk(bytes[...]) { reader throws(CBORError) in
            try CBORValidator.validate(reader.bytes, limits: limits)
        }
        self.bytes = bytes
    }

    /// Wraps bytes that have been validated as part of a larger item, or have just been encoded.
    package init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }
}
