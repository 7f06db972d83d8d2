/// Encodes `Encodable` values as CBOR (RFC 8949).
///
/// - A struct is a map with text keys in the order its fields are encoded in; an optional field that is nil is left out,
///   and nil anywhere else is null.
/// - A dictionary is a map sorted by key, so that equal dictionaries give equal bytes. Sets keep their order of the moment.
/// - Heads and integers have their shortest form, `Double` takes 64 bits and `Float` 32.
/// - `[UInt8]` and ``CBORBytes`` are byte strings; ``CBORValue`` and ``CBORRaw`` are the items they hold.
///
/// A type that encodes two values under one key makes a map that decoders refuse.
public struct CBOREncoder: Sendable {
    /// Makes an encoder; it has no settings.
    public init() {}

    /// Encodes a value as one item.
    ///
    /// - Throws: `EncodingError` for a value nested deeper than 256 levels or containers used after their time, and
    ///   what the value's own `encode(to:)` throws.
    public func encode<T: Encodable>(_ value: T) throws -> [UInt8] {
        let state = EncodingState(CBORWriter())
        try state.encodeOutermost(value)
        return try state.finish()
    }

    /// Encodes a value as one item behind the bytes that are there.
    ///
    /// - Throws: the same as `encode(_:)`; `bytes` is as before then.
    public func encode<T: Encodable>(_ value: T, into bytes: inout [UInt8]) throws {
        let start = bytes.count
        let state = EncodingState(CBORWriter(appendingTo: bytes))
        // The state has to be the only owner, or its first write would copy everything.
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
    /// - Throws: what the value's `encode(to:)` throws; nothing has been written then.
    public mutating func write(_ value: some Encodable) throws {
        try CBOREncoder().encode(value, into: &bytes)
    }
}
