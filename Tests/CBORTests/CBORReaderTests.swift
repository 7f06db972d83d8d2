import CBOR
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CBORReaderTests {
    @Test("Items are skipped one by one")
    func skipping() throws {
        let items = bytes(hexadecimal: "01 6161 8201 9f02ff a10102 c100 fb0000000000000000 5f4101ff bf0102ff f6")
        let offsets = try CBORReader.walk(items[...]) { reader throws(CBORError) in
            var offsets: [Int] = []
            while !reader.isAtEnd {
                try reader.skipItem()
                offsets.append(reader.offset)
            }
            return offsets
        }
        #expect(offsets == [1, 3, 8, 11, 13, 22, 26, 30, 31])
    }

    @Test(
        "Skipping refuses malformed items and never reads beyond the input",
        arguments: [
            ("811a00", CBORError.Code.unexpectedEnd), ("8201", .lengthBeyondInput),
            ("9bffffffffffffffff", .lengthBeyondInput),
            ("8283", .lengthBeyondInput), ("5fff", nil), ("5f01ff", .invalidChunk), ("ff", .unexpectedBreak),
            ("bf01ff", .unexpectedBreak), ("a3010203", .lengthBeyondInput), ("1c", .reservedInformation),
            ("", .unexpectedEnd),
        ])
    func malformed(encoded: String, code: CBORError.Code?) {
        let input = bytes(hexadecimal: encoded)
        var found: CBORError.Code?
        do {
            try CBORReader.walk(input[...]) { reader throws(CBORError) in try reader.skipItem() }
        } catch {
            found = error.code
        }
        #expect(found == code)
    }

    @Test("Skipping limits its own recursion")
    func depth() {
        let nested = [UInt8](repeating: 0x9f, count: 100_000)
        #expect(throws: CBORError(.tooDeep, at: 256)) {
            try CBORReader.walk(nested[...]) { reader throws(CBORError) in try reader.skipItem() }
        }
        #expect(throws: CBORError(.tooDeep, at: 2)) {
            try CBORReader.walk(nested[...]) { reader throws(CBORError) in try reader.skipItem(maximumDepth: 2) }
        }
        let definite = [UInt8](repeating: 0x81, count: 100_000) + [0]
        #expect(throws: Never.self) {
            try CBORReader.walk(definite[...]) { reader throws(CBORError) in try reader.skipItem() }
        }
    }

    @Test(
        "A head gives the item's kind and number",
        arguments: [
            ("17", CBORMajorType.unsigned, UInt64(23)), ("3818", .negative, 24), ("42", .bytes, 2),
            ("790100", .text, 256),
            ("9a00010000", .array, 65_536), ("bb0000000100000000", .map, 4_294_967_296), ("d9d9f7", .tag, 55_799),
            ("f5", .simple, 21),
        ])
    func heads(encoded: String, majorType: CBORMajorType, argument: UInt64) throws {
        let head = try CBORReader.walk(bytes(hexadecimal: encoded)[...]) { reader throws(CBORError) in
            let head = try reader.readHead()
            return (head.majorType, head.argument, reader.isAtEnd)
        }
        #expect(head == (majorType, argument, true))
    }
}
