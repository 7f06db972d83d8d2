import Testing

@testable import MachineModel

@Suite(.timeLimit(.minutes(5)))
struct ProcTextTests {
    @Test(
        arguments: [
            ("0", 0), ("7", 7), ("0012", 12), ("18446744073709551615", .max), ("18446744073709551616", nil),
            ("99999999999999999999999999", nil), ("", nil), ("-1", nil), ("+1", nil), ("1.5", nil), ("1e3", nil),
            ("0x10", nil), (" 1", nil), ("1\0", nil), ("١", nil),
        ] as [(String, UInt64?)])
    func `A number consists of digits and fits into 64 bits`(text: String, value: UInt64?) {
        #expect(ProcText.number(text.utf8) == value)
    }

    @Test(
        arguments: [
            ("0", 0), ("0.25", 0.25), ("1234.5", 1234.5), ("", nil), ("-1", nil), ("+1", nil), ("nan", nil),
            ("inf", nil), (".5", nil), ("1,5", nil), ("1.5x", nil), ("1e9", nil), ("1.2.3", nil), ("1\0", nil),
            (String(repeating: "9", count: 400), nil),
        ] as [(String, Double?)])
    func `A decimal is finite and not negative`(text: String, value: Double?) {
        #expect(ProcText.decimal(text.utf8) == value)
    }

    @Test func `A line without a line feed is left out`() {
        let lines = ProcText.completeLines(of: Array("a 1\n\nb 2\nc 3".utf8)).map { Array($0) }
        #expect(lines == [Array("a 1".utf8), [], Array("b 2".utf8)])
        #expect(ProcText.completeLines(of: []).isEmpty)
        #expect(ProcText.completeLines(of: [10]).count == 1)
    }

    @Test(
        arguments: [
            (Array("plain".utf8), 100, "plain"),
            ([0x61, 0xff, 0x62], 100, "a\u{fffd}b"),
            (Array("a\u{1b}[2J\n\t\u{85}b".utf8), 100, "a?[2J???b"),
            (Array("äöü".utf8), 5, "äö"),
            (Array("äöü".utf8), 1, ""),
            ([0xff, 0xff], 5, "\u{fffd}"),
            ([], 5, ""),
        ] as [([UInt8], Int, String)])
    func `Printable text is repaired, has no control characters, and is bounded`(
        bytes: [UInt8], maximum: Int, text: String
    ) {
        let printable = ProcText.printable(bytes, maximumBytes: maximum)
        #expect(printable == text)
        #expect(printable.utf8.count <= maximum)
    }
}
