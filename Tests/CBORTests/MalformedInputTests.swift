import CBOR
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MalformedInputTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let encoded: String
        let error: CBORError
        var testDescription: String { "\(encoded): \(error)" }

        init(_ encoded: String, _ code: CBORError.Code, at offset: Int) {
            self.encoded = encoded.replacing(" ", with: "")
            error = CBORError(code, at: offset)
        }
    }

    static let cases: [Case] = [
        Case("", .unexpectedEnd, at: 0),
        Case("18", .unexpectedEnd, at: 1),
        Case("1b 00000000000000", .unexpectedEnd, at: 8),
        Case("81", .lengthBeyondInput, at: 1),
        Case("9f 01", .unexpectedEnd, at: 2),
        Case("a1 01", .lengthBeyondInput, at: 1),
        Case("c1", .unexpectedEnd, at: 1),
        Case("00 00", .trailingBytes, at: 1),
        Case("f6 ff", .trailingBytes, at: 1),
        Case("80 f6", .trailingBytes, at: 1),
        // Huge lengths, of every kind.
        Case("41", .lengthBeyondInput, at: 1),
        Case("5b ffffffffffffffff", .lengthBeyondInput, at: 9),
        Case("7b 7fffffffffffffff 61", .lengthBeyondInput, at: 9),
        Case("9b ffffffffffffffff 00", .lengthBeyondInput, at: 9),
        Case("9a ffffffff 00", .lengthBeyondInput, at: 5),
        Case("bb 8000000000000000 00 00", .lengthBeyondInput, at: 9),
        Case("bb ffffffffffffffff 00 00", .lengthBeyondInput, at: 9),
        Case("a2 00 00 01", .lengthBeyondInput, at: 1),
        Case("5f 5b ffffffffffffffff ff", .lengthBeyondInput, at: 10),
        // Text that is not UTF-8: a stray continuation byte, overlong, a surrogate, beyond Unicode, truncated.
        Case("61 80", .invalidUTF8, at: 1),
        Case("62 c0af", .invalidUTF8, at: 1),
        Case("63 eda080", .invalidUTF8, at: 1),
        Case("64 f4908080", .invalidUTF8, at: 1),
        Case("69 6161616161616161 c3", .invalidUTF8, at: 1),
        Case("a1 61ff 00", .invalidUTF8, at: 2),
        // A character that is split between two chunks.
        Case("7f 61c3 61bc ff", .invalidUTF8, at: 2),
        // Reserved heads.
        Case("1c", .reservedInformation, at: 0),
        Case("5d", .reservedInformation, at: 0),
        Case("7e", .reservedInformation, at: 0),
        Case("9c", .reservedInformation, at: 0),
        Case("fc", .reservedInformation, at: 0),
        Case("fe", .reservedInformation, at: 0),
        Case("1f", .reservedInformation, at: 0),
        Case("3f", .reservedInformation, at: 0),
        Case("df 00", .reservedInformation, at: 0),
        // Breaks outside of indefinite-length items.
        Case("ff", .unexpectedBreak, at: 0),
        Case("81 ff", .unexpectedBreak, at: 1),
        Case("a1 00 ff", .unexpectedBreak, at: 2),
        Case("bf 00 ff", .unexpectedBreak, at: 2),
        Case("c1 ff", .unexpectedBreak, at: 1),
        Case("9f 81 ff ff", .unexpectedBreak, at: 2),
        // Chunks of another kind, and nested chunks.
        Case("5f 6161 ff", .invalidChunk, at: 1),
        Case("7f 4161 ff", .invalidChunk, at: 1),
        Case("5f 00 ff", .invalidChunk, at: 1),
        Case("7f 7f ff ff", .invalidChunk, at: 1),
        // Simple values that have a shorter form.
        Case("f8 00", .invalidSimpleValue, at: 0),
        Case("f8 1f", .invalidSimpleValue, at: 0),
        // The same key twice, in the same encoding and in another.
        Case("a2 6161 01 6161 02", .duplicateKey, at: 4),
        // A structured key must not contain another one, because each level of keys would be read once more.
        Case("a1 a1 80 01 02", .tooDeep, at: 2),
        Case("a1 81 a1 a1 6161 01 02 03", .tooDeep, at: 3),
        Case("a2 60 01 60 02", .duplicateKey, at: 3),
        Case("bf 6161 01 6162 02 6161 03 ff", .duplicateKey, at: 7),
        Case("a2 6161 01 7861 61 02".replacing("7861 61", with: "780161"), .duplicateKey, at: 4),
        Case("a2 6161 01 7f 6161 ff 02", .duplicateKey, at: 4),
        Case("a2 01 01 1801 02", .duplicateKey, at: 3),
        Case("a2 20 01 20 02", .duplicateKey, at: 3),
        Case("a2 80 01 80 02", .duplicateKey, at: 3),
        Case("a2 f6 01 f6 02", .duplicateKey, at: 3),
        Case("81 a2 4101 01 5f4101ff 02", .duplicateKey, at: 5),
        // Different items that decode to the same value, and therefore would be the same key twice.
        Case("a2 f6 01 f7 02", .duplicateKey, at: 3),
        Case("a2 e0 01 f6 02", .duplicateKey, at: 3),
        Case("a2 c1f6 01 f6 02", .duplicateKey, at: 4),
        Case("a2 f93c00 01 fb3ff0000000000000 02", .duplicateKey, at: 5),
        Case("a2 81f6 01 9ff7ff 02", .duplicateKey, at: 4),
        Case("a2 a1f9000001 01 a1fa0000000001 02", .duplicateKey, at: 7),
        Case("a2 3bffffffffffffffff 01 fadf800000 02", .duplicateKey, at: 11),
    ]

    @Test("Every class of malformed input has its error and position", arguments: cases)
    func malformed(_ malformed: Case) {
        let encoded = bytes(hexadecimal: malformed.encoded)
        #expect(throws: malformed.error) { try CBORValue(decoding: encoded) }
        #expect(throws: malformed.error) { try CBORDecoder().decode(CBORValue.self, from: encoded) }
        #expect(throws: malformed.error) { try CBORDecoder().decode(Shapes.Person.self, from: encoded) }
        #expect(throws: malformed.error) { try CBORRaw(encoded) }
        #expect(throws: malformed.error) { try CBORMap.entries(of: encoded) }
        // Offsets in a slice count from its first byte, too.
        #expect(throws: malformed.error) { try CBORValue(decoding: ([0, 0] + encoded + [0])[2..<encoded.count + 2]) }
    }

    @Test("Different keys of the same length are not duplicates")
    func noDuplicates() throws {
        for count in [2, 16, 17, 100, 5000] {
            let names = CBORValue.map(
                CBORMap((0..<count).map { CBORMap.Pair(key: "key \(1_000_000 + $0)", value: 0) }))
            #expect(try CBORValue(decoding: names.encoded()) == names)
            let numbers = CBORValue.map(
                CBORMap((0..<count).map { CBORMap.Pair(key: .int(Int64($0) - 50), value: 0) }))
            #expect(try CBORValue(decoding: numbers.encoded()) == numbers)
        }
    }

    @Test("A repeated key is found in maps of any size", arguments: [2, 15, 16, 17, 18, 100, 5000])
    func duplicates(count: Int) {
        for (first, second) in [(0, count - 1), (count / 2, count - 1), (0, 1)] where first < second {
            var writer = CBORWriter()
            var expected = 0
            writer.writeMapHead(count: count)
            for index in 0..<count {
                if index == second { expected = writer.bytes.count }
                writer.writeString("key \(1_000_000 - (index == second ? first : index))")
                writer.writeNull()
            }
            #expect(throws: CBORError(.duplicateKey, at: expected)) { try CBORValue(decoding: writer.bytes) }
        }
    }

    @Test("A sample that is truncated at any byte is refused")
    func truncated() throws {
        for sample in [
            try CBOREncoder().encode(Shapes.team),
            bytes(hexadecimal: "bf61789f5f4101ff7f6161fff97c00c1c2fa00000000ffff"),
        ] {
            #expect(throws: Never.self) { try CBORValue(decoding: sample) }
            for length in 0..<sample.count {
                #expect(throws: CBORError.self) { try CBORValue(decoding: sample[..<length]) }
                #expect(throws: CBORError.self) { try CBORDecoder().decode(Shapes.Team.self, from: sample[..<length]) }
            }
        }
    }

    @Test("Nesting is accepted up to the limit and refused beyond it", arguments: [0x81, 0x9f, 0xa1, 0xbf] as [UInt8])
    func depth(head: UInt8) {
        func nested(_ depth: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            for _ in 0..<depth { bytes += head >= 0xa0 ? [head, 0] : [head] }
            bytes.append(0)
            for _ in 0..<depth where head & 0x1f == 31 { bytes.append(0xff) }
            return bytes
        }
        let step = head >= 0xa0 ? 2 : 1
        #expect(throws: Never.self) { try CBORValue(decoding: nested(32)) }
        #expect(throws: CBORError(.tooDeep, at: 32 * step)) { try CBORValue(decoding: nested(33)) }
        #expect(throws: CBORError(.tooDeep, at: 32 * step)) { try CBORDecoder().decode([Int].self, from: nested(33)) }
        #expect(throws: CBORError(.tooDeep, at: 0)) {
            try CBORValue(decoding: nested(1), limits: CBORLimits(maximumDepth: 0))
        }
        // A caller cannot raise the limit beyond what the stack can hold.
        let generous = CBORLimits(maximumDepth: .max, maximumBytes: .max, maximumItems: .max)
        #expect(throws: Never.self) { try CBORValue(decoding: nested(256), limits: generous) }
        #expect(throws: CBORError(.tooDeep, at: 256 * step)) {
            try CBORValue(decoding: nested(1_000_000), limits: generous)
        }
    }

    @Test("Long chains of tags are counted without recursion")
    func tags() throws {
        let chain = [UInt8](repeating: 0xc1, count: 2_000_000) + [0]
        #expect(throws: CBORError(.tooManyItems, at: 1_000_000)) { try CBORValue(decoding: chain) }
        #expect(try CBORValue(decoding: chain, limits: CBORLimits(maximumItems: .max)) == 0)
    }

    @Test("Inputs beyond the limits are refused")
    func limits() throws {
        let array = CBORValue.array([1, 2, 3]).encoded()
        #expect(try CBORValue(decoding: array, limits: CBORLimits(maximumBytes: 4)) == [1, 2, 3])
        #expect(throws: CBORError(.tooManyBytes, at: 3)) {
            try CBORValue(decoding: array, limits: CBORLimits(maximumBytes: 3))
        }
        #expect(try CBORValue(decoding: array, limits: CBORLimits(maximumItems: 4)) == [1, 2, 3])
        #expect(throws: CBORError(.tooManyItems, at: 3)) {
            try CBORValue(decoding: array, limits: CBORLimits(maximumItems: 3))
        }
        #expect(throws: CBORError(.tooManyItems, at: 3)) {
            try CBORValue(
                decoding: bytes(hexadecimal: "7f6161 6161ff".replacing(" ", with: "")),
                limits: CBORLimits(maximumItems: 2))
        }
    }

    @Test("An error's description is a sentence with the position")
    func description() {
        #expect(
            "\(CBORError(.trailingBytes, at: 7))"
                == "the item is followed by more bytes; exactly one item is expected (at byte 7)")
    }
}
