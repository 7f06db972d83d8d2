import OperatorKit
import Testing

/// What the bytes of a terminal mean as keys.
@Suite(.timeLimit(.minutes(5)))
struct TerminalKeyDecoderTests {
    private static func keys(_ text: String) -> [TerminalKey] {
        var decoder = TerminalKeyDecoder()
        return decoder.decode(text.utf8)
    }

    @Test(
        "Each key is known by its bytes",
        arguments: [
            ("a", .text("a")), (" ", .text(" ")), ("é", .text("é")), ("東", .text("東")), ("😀", .text("😀")),
            ("\r", .enter), ("\n", .enter), ("\t", .tab), ("\u{7F}", .backspace), ("\u{8}", .backspace),
            ("\u{3}", .control("c")), ("\u{15}", .control("u")), ("\u{1B}[A", .up), ("\u{1B}OB", .down),
            ("\u{1B}[C", .right), ("\u{1B}[1;5D", .left), ("\u{1B}[Z", .backTab), ("\u{1B}[5~", .pageUp),
            ("\u{1B}[6~", .pageDown), ("\u{1B}[3~", .delete), ("\u{1B}[H", .home), ("\u{1B}[4~", .end),
            ("\u{1B}OF", .end),
        ] as [(String, TerminalKey)])
    func key(bytes: String, key: TerminalKey) {
        #expect(Self.keys(bytes) == [key])
    }

    @Test("One read may have several keys")
    func several() {
        #expect(
            Self.keys("a\u{1B}[A東\u{1B}[6~\r") == [.text("a"), .up, .text("東"), .pageDown, .enter])
    }

    private static let mixed = "aé東😀\u{1B}[A\u{1B}OB\u{1B}[6~\u{1B}[200~x\ny\u{1B}[A東\u{1B}[201~z\r"
    private static let mixedKeys: [TerminalKey] = [
        .text("a"), .text("é"), .text("東"), .text("😀"), .up, .down, .pageDown, .paste("x\ny\u{1B}[A東"), .text("z"),
        .enter,
    ]

    @Test("Keys are the same wherever the reads split them, also within a character and a sequence")
    func split() {
        let bytes = Array(Self.mixed.utf8)
        for index in bytes.indices {
            var decoder = TerminalKeyDecoder()
            #expect(decoder.decode(bytes[..<index]) + decoder.decode(bytes[index...]) == Self.mixedKeys, "at \(index)")
        }
        var decoder = TerminalKeyDecoder()
        #expect(bytes.flatMap { decoder.decode([$0]) } == Self.mixedKeys)
    }

    @Test("Escape alone is a key when nothing has followed for a while")
    func escape() {
        var decoder = TerminalKeyDecoder()
        #expect(decoder.decode("a\u{1B}".utf8) == [.text("a")])
        #expect(decoder.isWaiting)
        #expect(decoder.flush() == [.escape])
        #expect(!decoder.isWaiting)
        #expect(decoder.decode("[A".utf8) == [.text("["), .text("A")])
        #expect(decoder.decode("\u{1B}\u{1B}".utf8) == [.escape])
        #expect(decoder.flush() == [.escape])
    }

    @Test("The beginning of a sequence that never ends is dropped, and so are keys with Alt and unknown sequences")
    func unknown() {
        var decoder = TerminalKeyDecoder()
        #expect(decoder.decode("\u{1B}[1;".utf8) == [])
        #expect(decoder.flush() == [])
        #expect(decoder.decode("a".utf8) == [.text("a")])
        #expect(Self.keys("\u{1B}xa\u{1B}[99~b\u{1B}[<0;1;2Mc") == [.text("a"), .text("b"), .text("c")])
    }

    @Test("A sequence without an end costs neither memory nor the keys after it")
    func endless() {
        let digits = String(repeating: "1", count: 100_000)
        #expect(Self.keys("\u{1B}[\(digits)\ra").suffix(2) == [.enter, .text("a")])
    }

    @Test("Bytes that are no text are dropped, and the next character is read")
    func malformed() {
        var decoder = TerminalKeyDecoder()
        #expect(
            decoder.decode([0xFF, 0x61, 0xC3, 0x62, 0xE6, 0x9D, 0x63, 0xC0, 0x80, 0xED, 0xA0, 0x80, 0x64]) == [
                .text("a"), .text("b"), .text("c"), .text("d"),
            ])
        #expect(decoder.decode([0xC2, 0x9B, 0x65]) == [.text("e")])
    }

    @Test("A paste is kept up to its bound, and its end is found all the same")
    func largePaste() {
        let text = String(repeating: "x", count: 100_000)
        let keys = Self.keys("\u{1B}[200~\(text)\u{1B}[201~a")
        #expect(keys == [.paste(String(text.prefix(TerminalKeyDecoder.maximumPaste))), .text("a")])
    }
}
