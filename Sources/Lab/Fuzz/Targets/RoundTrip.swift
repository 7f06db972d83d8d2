import CBOR

/// Decodes an input as a value, and checks that what was understood survives being encoded and decoded again.
///
/// Encodings are compared, not values: a number that is not a number does not equal itself.
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
            "\(type) failed with \(error), and whether the input is well-formed says otherwise")
        return nil
    }
    do {
        let first = try CBOREncoder().encode(value)
        let second = try CBOREncoder().encode(try CBORDecoder().decode(type, from: first))
        try require(first == second, "\(type) is another value when it is encoded and decoded: \(value)")
    } catch let violation as Violation {
        throw violation
    } catch {
        throw Violation("\(type) cannot be encoded and decoded again: \(error); it is \(value)")
    }
    return value
}
