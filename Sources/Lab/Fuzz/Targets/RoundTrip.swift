import CBOR

/// Decodes an input as a value, and checks that the value survives encoding and decoding.
///
/// Compares the encodings instead of the values, because NaN does not equal itself.
/// - Returns: `nil` when the input is not such a value.
/// - Throws: ``Violation``.
func roundTrip<Value: Codable>(
    _ type: Value.Type, from input: [UInt8], _ memory: MemoryMeter
) throws(Violation) -> Value? {
    let value: Value
    do {
        value = try memory.bounded(input.count) { try CBORDecoder().decode(type, from: input) }
    } catch let violation as Violation {
        throw violation
    } catch {
        try require(error is CBORError || error is DecodingError, "\(type) failed with \(error)")
        try require(
            error is CBORError == ((try? CBORRaw(input)) == nil),
            "\(type) failed with \(error), which contradicts the input's well-formedness")
        return nil
    }
    do {
        let first = try CBOREncoder().encode(value)
        let second = try CBOREncoder().encode(try CBORDecoder().decode(type, from: first))
        try require(first == second, "\(type) changes when it is encoded and decoded: \(value)")
    } catch let violation as Violation {
        throw violation
    } catch {
        throw Violation("\(type) cannot be encoded and decoded again: \(error); it is \(value)")
    }
    return value
}
