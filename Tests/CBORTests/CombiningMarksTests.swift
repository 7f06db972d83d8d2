import CBOR
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CombiningMarksTests {
    /// Combining marks of two, three and four bytes.
    static let marks: [Unicode.Scalar] = ["\u{300}", "\u{1ab0}", "\u{1d165}"]

    private func text(_ before: Int, _ marks: Int, of mark: Unicode.Scalar, _ after: Int = 0) -> String {
        var text = String.UnicodeScalarView(repeating: "水", count: before / 3)
        text += String.UnicodeScalarView(repeating: "a", count: before % 3 + 1)
        text += String.UnicodeScalarView(repeating: mark, count: marks)
        text += String.UnicodeScalarView(repeating: "é", count: after)
        return String(text)
    }

    /// Encodes a text unchanged, which the encoder would not do.
    private func encoded(_ text: String) -> [UInt8] {
        var writer = CBORWriter()
        writer.writeBytes(Array(text.utf8))
        writer.writeNull()
        var bytes = writer.bytes.dropLast()
        bytes[0] |= 0x20
        return Array(bytes)
    }

    @Test("Thirty marks in a row are accepted and one more is refused, at any position", arguments: marks)
    func limit(mark: Unicode.Scalar) throws {
        for before in 0..<140 {
            for after in [0, 1, 70] {
                let good = text(before, 30, of: mark, after)
                #expect(try CBORValue(decoding: encoded(good)) == .string(good))
                let bad = text(before, 31, of: mark, after)
                let head = encoded(bad).count - bad.utf8.count
                #expect(throws: CBORError(.tooManyMarks, at: head + text(before, 30, of: mark).utf8.count)) {
                    try CBORValue(decoding: encoded(bad))
                }
            }
        }
    }

    @Test("Marks in consecutive chunks are counted together")
    func chunks() {
        let chunk: [UInt8] = [0x78, 40] + Array(String(repeating: "\u{300}", count: 20).utf8)
        #expect(throws: Never.self) { try CBORValue(decoding: [0x7f] + chunk + [0x61, 0x61] + chunk + [0xff]) }
        #expect(throws: CBORError(.tooManyMarks, at: 1)) { try CBORValue(decoding: [0x7f] + chunk + chunk + [0xff]) }
    }

    @Test("A text with more marks is written in a readable form that looks the same")
    func writing() throws {
        let long = text(5, 100, of: "\u{300}", 3)
        let read = try CBORDecoder().decode([String: String].self, from: CBOREncoder().encode([long: long]))
        #expect(read.keys.first == read.values.first)
        let scalars = try #require(read.values.first).unicodeScalars
        #expect(scalars.filter { $0 != "\u{34f}" } == Array(long.unicodeScalars))
        #expect(scalars.count { $0 == "\u{34f}" } == 3)
        #expect(try CBORValue(decoding: CBORValue.string(long).encoded()) == .string(String(scalars)))
    }

    @Test("JSON has the same limit")
    func json() {
        #expect(throws: CBORError(.tooManyMarks, at: 1)) { try CBORValue(json: "[\"\(text(3, 31, of: "\u{300}"))\"]") }
        #expect(throws: Never.self) { try CBORValue(json: "[\"\(text(3, 30, of: "\u{300}"))\"]") }
    }

    @Test("Megabytes of marks are as cheap as other text")
    func large() {
        let key = encoded("a" + String(repeating: "\u{315}\u{300}", count: 500_000))
        #expect(throws: CBORError.self) { try CBORDecoder().decode([String: Int].self, from: [0xa1] + key + [0]) }
        #expect(throws: CBORError.self) { try CBORMap.entries(of: [0xa1] + key + [0]) }
    }
}
