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

/// Checks what ``roundTrip(_:from:_:)`` checks, and that the type reads and writes itself as `Codable` does.
/// - Parameter readsAll: Whether the type reads all that it writes. It may leave the rest to `Codable`.
/// - Returns: The value that `Codable` reads from the input; `nil` when it reads none.
/// - Throws: ``Violation``.
@discardableResult
func roundTripItem<Value: CBORItem>(
    _ type: Value.Type, from input: [UInt8], readsAll: Bool = true, _ memory: MemoryMeter
) throws(Violation) -> Value? {
    let value = try roundTrip(type, from: input, memory)
    try checkOwnCoding(type, input, through: value, readsAll: readsAll, memory)
    return value
}

private func checkOwnCoding<Value: CBORItem>(
    _ type: Value.Type, _ input: [UInt8], through value: Value?, readsAll: Bool, _ memory: MemoryMeter
) throws(Violation) {
    func read(_ bytes: [UInt8]) -> Value? {
        try? CBORDecoder().readItem(type, from: bytes[...])
    }
    func encodeThroughCodable(_ value: some Encodable) throws -> [UInt8] { try CBOREncoder().encode(value) }
    do {
        if let own = try memory.bounded(input.count, { read(input) }) {
            let other = try require(value, "\(type) reads itself from an input that Codable refuses: \(own)")
            try require(
                try encodeThroughCodable(own) == encodeThroughCodable(other),
                "\(type) reads itself as \(own), and Codable reads \(other)")
        }
        guard let value else { return }
        let bytes = try CBOREncoder().encode(value)
        try require(try bytes == encodeThroughCodable(value), "\(type) writes itself with other bytes: \(value)")
        if !readsAll, read(bytes) == nil { return }
        let again = try require(read(bytes), "\(type) does not read what it has written: \(value)")
        try require(try encodeThroughCodable(again) == bytes, "\(type) changes when it writes and reads itself")
    } catch let violation as Violation {
        throw violation
    } catch {
        throw Violation("\(type) fails with \(error)")
    }
}
