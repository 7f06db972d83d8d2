import CBOR
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CBORValueDiagnosticTests {
    @Test("Control characters are escaped, so that text cannot control a terminal")
    func escapes() {
        let text: CBORValue = "\u{1b}[2J\u{9b}\u{7f}\n\t\r\"\\ü"
        #expect(text.diagnostic == #""\u001b[2J\u009b\u007f\n\t\r\"\\ü""#)
    }

    @Test(
        "A truncated notation has the requested length",
        arguments: [
            (0, ""), (1, "…"), (5, "{\"a\"…"), (21, "{\"a\": [1, 2], \"b\": h…"), (25, "{\"a\": [1, 2], \"b\": h'01'}"),
            (26, "{\"a\": [1, 2], \"b\": h'01'}"), (-1, ""),
        ])
    func cut(length: Int, expected: String) {
        let value: CBORValue = ["a": [1, 2], "b": .bytes([1])]
        #expect(value.diagnostic(maximumLength: length) == expected)
    }

    @Test("Truncation does not visit the omitted items")
    func bounded() {
        let large = CBORValue.array(Array(repeating: .bytes(Array(repeating: 0xab, count: 1000)), count: 100_000))
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<100 { #expect(large.diagnostic(maximumLength: 20) == "[h'abababababababab…") }
        #expect(clock.now - start < .seconds(5))
        let text = CBORValue.string(String(repeating: "é", count: 1000))
        #expect(text.diagnostic(maximumLength: 4) == "\"éé…")
    }

    @Test("A value describes itself in diagnostic notation")
    func description() {
        #expect("\(["a": nil] as CBORValue)" == "{\"a\": null}")
    }
}
