/// Encodes `Encodable` values as CBOR (RFC 8949).
///
/// - A struct is a map with text keys, in the order in which its fields are encoded. An optional field that is nil is
///   left out. Anywhere else, nil is null.
/// - A dictionary is a map sorted by key, so equal dictionaries give equal bytes. Sets are not sorted.
/// - Heads and integers have their shortest form. `Double` has 64 bits and `Float` has 32.
/// - `[UInt8]` and ``CBORBytes`` are byte strings. ``CBORValue`` and ``CBORRaw`` are the items that they hold.
public struct CBOREncoder: Sendable {
    /// Makes an encoder; it has no settings.
    public init() {}

    /// Encodes a value as one item.
    ///
    /// - Throws: `EncodingError` if the value is nested deeper than 256 levels, is encoded twice, or encodes a key twice,
    ///   and the errors of the value's own `encode(to:)`.
    public func encode<T: Encodable>(_ value: T) throws -> [UInt8] {
        let item = EncodedItem()
        try item.encode(value)
        var writer = CBORWriter()
        try item.write(to: &writer)
        return writer.bytes
    }

    /// Encodes a value as one item and appends it to `bytes`.
    ///
    /// - Throws: The errors of `encode(_:)`. On an error, `bytes` is unchanged.
    public func encode<T: Encodable>(_ value: T, into bytes: inout [UInt8]) throws {
        bytes += try encode(value)
    }
}

extension CBORWriter {
    /// Writes a value as ``CBOREncoder`` does.
    ///
    /// - Throws: The errors of ``CBOREncoder``. On an error, nothing is written.
    public mutating func write(_ value: some Encodable) throws {
        try CBOREncoder().encode(value, into: &bytes)
    }
}
