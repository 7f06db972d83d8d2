/// Encodes `Encodable` values as CBOR (RFC 8949).
///
/// - A struct is a map with text keys, in the order in which its fields are encoded. An optional field that is nil is
///   left out. Anywhere else, nil is null.
/// - A dictionary is a map sorted by key, so equal dictionaries give equal bytes. Sets are not sorted.
/// - Heads and integers have their shortest form. `Double` has 64 bits and `Float` has 32.
/// - `[UInt8]` and ``CBORBytes`` are byte strings. ``CBORValue`` and ``CBORRaw`` are the items that they hold.
///
/// A type that encodes two values under one key produces a map that decoders refuse.
public struct CBOREncoder: Sendable {
    /// Makes an encoder; it has no settings.
    public init() {}

    /// Encodes a value as one item.
    ///
    /// - Throws: `EncodingError` if the value is nested deeper than 256 levels or a container is used after its value
    ///   has been encoded, and the errors of the value's own `encode(to:)`.
    public func encode<T: Encodable>(_ value: T) throws -> [UInt8] {
        let state = EncodingState(CBORWriter())
        try state.encodeOutermost(value)
        return try state.finish()
    }

    /// Encodes a value as one item and appends it to `bytes`.
    ///
    /// - Throws: The errors of `encode(_:)`. On an error, `bytes` is unchanged.
    public func encode<T: Encodable>(_ value: T, into bytes: inout [UInt8]) throws {
        let start = bytes.count
        let state = EncodingState(CBORWriter(appendingTo: bytes))
        // The state must be the only owner of the bytes; otherwise its first write would copy them.
        bytes = []
        do {
            try state.encodeOutermost(value)
            bytes = try state.finish()
        } catch {
            state.takeBack(to: start)
            bytes = state.writer.bytes
            throw error
        }
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
