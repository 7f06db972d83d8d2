/// Decodes `Decodable` values from CBOR (RFC 8949).
///
/// The whole input is checked before anything is decoded. It must be one well-formed item within the limits. Text must
/// be UTF-8 with at most 30 combining marks in a row, and a map must not hold a key twice. Heads of any length,
/// indefinite lengths and half-precision numbers are accepted. Tags are skipped.
///
/// - Keys that a type does not know are ignored. A dictionary ignores no key: one that it cannot hold is an error.
/// - An integer key is a field whose name is that number in decimal.
/// - An integer can be decoded as `Double` or `Float`, an array of numbers as `[UInt8]`, and undefined as nil.
public struct CBORDecoder: Sendable {
    /// The limits on the input.
    public var limits: CBORLimits

    /// Makes a decoder.
    public init(limits: CBORLimits = .default) {
        self.limits = limits
    }

    /// Decodes a value from bytes that hold exactly one item.
    ///
    /// - Throws: ``CBORError`` if the bytes are malformed or beyond the limits; `DecodingError` with a coding path if a
    ///   field is missing or has another type; and what the value's own `init(from:)` throws.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
        try bytes.withUnsafeBytes { try decode(type, from: $0) }
    }

    /// Decodes a value from a slice of an array. Offsets in errors are relative to the slice's first byte.
    ///
    /// - Throws: The same errors as for a whole array.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: ArraySlice<UInt8>) throws -> T {
        try bytes.withUnsafeBytes { try decode(type, from: $0) }
    }

    func decode<T: Decodable>(_ type: T.Type, from bytes: UnsafeRawBufferPointer) throws -> T {
        try CBORValidator.validate(bytes, limits: limits)
        let state = DecodingState(bytes)
        defer { state.finish() }
        return try DecodingLocation(state: state).value(type, at: 0, nil)
    }
}
