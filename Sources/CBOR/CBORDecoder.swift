/// Decodes `Decodable` values from CBOR (RFC 8949).
///
/// The whole input is checked first: one well-formed item within the limits, text in UTF-8 with at most 30 combining marks
/// in a row, no key twice in a map. It may use any form of heads, indefinite lengths, half-precision numbers and tags, which
/// are skipped. Keys that a type does not know are ignored; an integer key is a field with that number in decimal as its
/// name. A dictionary ignores none: a key that it cannot have is an error. An integer is read as a number where the type has
/// a `Double` or `Float`, an array of numbers where it has `[UInt8]`, and undefined as nil.
public struct CBORDecoder: Sendable {
    /// The bounds on what is accepted.
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

    /// Decodes a value from part of an array; offsets in errors are counted from the part's first byte.
    ///
    /// - Throws: the same as for a whole array.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: ArraySlice<UInt8>) throws -> T {
        try bytes.withUnsafeBytes { try decode(type, from: $0) }
    }

    private func decode<T: Decodable>(_ type: T.Type, from bytes: UnsafeRawBufferPointer) throws -> T {
        try CBORValidator.validate(bytes, limits: limits)
        let state = DecodingState(bytes)
        defer { state.finish() }
        return try DecodingLocation(state: state, branch: nil, depth: 0).value(type, at: 0, nil)
    }
}
