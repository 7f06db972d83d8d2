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

    /// Takes bytes that have been validated as part of something larger, or have just been encoded.
    package init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }
}
