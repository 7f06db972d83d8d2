import SeededRandom
import CBOR
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CBORValueJSONTests {
    static let both: [(CBORValue, String)] = [
        (nil, "null"), (true, "true"), (false, "false"), (0, "0"), (-1, "-1"),
        (.int(.max), "9223372036854775807"), (.int(.min), "-9223372036854775808"),
        (.unsigned(.max), "18446744073709551615"),
        (1.0, "1.0"), (-0.5, "-0.5"), (1e300, "1e+300"), (.double(.leastNonzeroMagnitude), "5e-324"), (0.1, "0.1"),
        (1e16, "1e+16"),
        ("", "\"\""), ("a/b", "\"a/b\""), ("\"\\\n\r\t", #""\"\\\n\r\t""#),
        ("\u{0}\u{8}\u{c}\u{1f}", #""\u0000\u0008\u000c\u001f""#),
        ("ü水𐅑", "\"ü水𐅑\""),
        ([], "[]"), ([1, [2, []], "x"], "[1,[2,[]],\"x\"]"),
        ([:], "{}"), (["b": 1, "a": ["c": nil]], "{\"b\":1,\"a\":{\"c\":null}}"),
    ]

    @Test("Values are written compactly and read back", arguments: both)
    func roundTrip(value: CBORValue, json: String) throws {
        #expect(value.json == json)
        #expect(try CBORValue(json: json) == value)
    }

    @Test(
        "Values that JSON lacks are written as something similar",
        arguments: [
            (.double(.infinity), "\"Infinity\""), (.double(-.infinity), "\"-Infinity\""), (.double(.nan), "\"NaN\""),
            (.bytes([]), "\"\""), (.bytes([0x66]), "\"Zg==\""), (.bytes([0x66, 0x6f]), "\"Zm8=\""),
            (.bytes(Array("foo".utf8)), "\"Zm9v\""), (.bytes(Array("foobar".utf8)), "\"Zm9vYmFy\""),
            (.bytes([0xfb, 0xff, 0xfe]), "\"+//+\""),
            ([1: 2, true: 3, [1]: 4], "{\"1\":2,\"true\":3,\"[1]\":4}"),
            ([1: 2, "1": 3], "[[1,2],[\"1\",3]]"), (["a": [[1]: 2, "[1]": 3]], "{\"a\":[[[1],2],[\"[1]\",3]]}"),
        ] as [(CBORValue, String)])
    func nearest(value: CBORValue, json: String) {
        #expect(value.json == json)
    }

    @Test(
        "Everything that RFC 8259 allows is accepted",
        arguments: [
            (" \t\r\n1 \n", 1), ("[ 1 , 2 ]", [1, 2]), ("{ \"a\" : 1 , \"b\" : [ ] }", ["a": 1, "b": []]),
            ("[]", []), ("[ ]", []), ("{ }", [:]),
            ("-0", 0), ("-0.0", .double(-0.0)), ("1E2", 100.0), ("1e-2", 0.01), ("1.5e+2", 150.0), ("0e0", 0.0),
            ("18446744073709551616", 18_446_744_073_709_551_616.0),
            (#""\u0041\u00fc\u6C34\ud800\udd51\b\f\n\r\t\/\\\"""#, "Aü水𐅑\u{8}\u{c}\n\r\t/\\\""),
            ("\"\u{7f}\u{2028}\"", "\u{7f}\u{2028}"),
        ] as [(String, CBORValue)])
    func reads(json: String, value: CBORValue) throws {
        #expect(try CBORValue(json: json) == value)
    }

    @Test("Keys nested in keys stay small in JSON and in diagnostic notation")
    func nestedKeys() {
        let key = (0..<32).reduce(CBORValue.string("\"")) { key, _ in [key: 0] }
        #expect(key.json.utf8.count < 300)
        #expect(key.diagnostic.utf8.count < 300)
    }

    @Test("Names that look alike but have different characters are distinct")
    func equivalentNames() throws {
        let value = try CBORValue(json: "{\"\u{e9}\":1,\"e\u{301}\":2}")
        #expect(value.mapValue?.entries.map(\.value) == [1, 2])
        #expect(try CBORValue(json: value.json).encoded() == value.encoded())
    }

    @Test(
        "Everything else is refused with its position",
        arguments: [
            ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("nul", .unexpectedEnd, 3),
            ("nulx", .unexpectedJSONCharacter, 3),
            ("True", .unexpectedJSONCharacter, 0), ("1 2", .trailingBytes, 2), ("[1] x", .trailingBytes, 4),
            ("[1", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3), ("[1,]", .unexpectedJSONCharacter, 3),
            ("[,1]", .unexpectedJSONCharacter, 1), ("[1 2]", .unexpectedJSONCharacter, 3),
            ("{\"a\"}", .unexpectedJSONCharacter, 4), ("{\"a\":}", .unexpectedJSONCharacter, 5),
            ("{a:1}", .unexpectedJSONCharacter, 1), ("{\"a\":1,}", .unexpectedJSONCharacter, 7),
            ("{\"a\":1", .unexpectedEnd, 6), ("{1:1}", .unexpectedJSONCharacter, 1),
            ("{\"a\":1,\"a\":2}", .duplicateKey, 7), ("[1}", .unexpectedJSONCharacter, 2),
            ("\"a", .unexpectedEnd, 2), ("\"\n\"", .unexpectedJSONCharacter, 1), ("'a'", .unexpectedJSONCharacter, 0),
            (#""\x""#, .invalidJSONEscape, 1), (#""\u12""#, .invalidJSONEscape, 1),
            (#""\ud800""#, .invalidJSONEscape, 1),
            (#""\ud800\u0041""#, .invalidJSONEscape, 1), (#""\udd51""#, .invalidJSONEscape, 1),
            (#""\"#, .unexpectedEnd, 2),
            (#""\u００４１""#, .invalidJSONEscape, 1),
            ("01", .invalidJSONNumber, 0), ("-", .invalidJSONNumber, 0), ("-01", .invalidJSONNumber, 0),
            ("1.", .invalidJSONNumber, 0), (".5", .unexpectedJSONCharacter, 0), ("+1", .unexpectedJSONCharacter, 0),
            ("1e", .invalidJSONNumber, 0), ("[1e400]", .invalidJSONNumber, 1), ("NaN", .unexpectedJSONCharacter, 0),
            ("\u{feff}1", .unexpectedJSONCharacter, 0), ("// x", .unexpectedJSONCharacter, 0),
        ] as [(String, CBORError.Code, Int)])
    func refuses(json: String, code: CBORError.Code, offset: Int) {
        #expect(throws: CBORError(code, at: offset)) { try CBORValue(json: json) }
    }

    @Test("Depth, size and number of items are limited")
    func limits() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try CBORValue(json: nested(32)) }
        #expect(throws: CBORError(.tooDeep, at: 32)) { try CBORValue(json: nested(33)) }
        #expect(throws: CBORError(.tooDeep, at: 256)) {
            try CBORValue(json: nested(100_000), limits: CBORLimits(maximumDepth: .max))
        }
        #expect(throws: CBORError(.tooManyBytes, at: 3)) {
            try CBORValue(json: "1234", limits: CBORLimits(maximumBytes: 3))
        }
        #expect(throws: CBORError(.tooManyItems, at: 3)) {
            try CBORValue(json: "[1,2]", limits: CBORLimits(maximumItems: 2))
        }
    }

    @Test(
        "A command-line argument becomes the value that it looks like",
        arguments: [
            ("true", true), ("false", false), ("null", nil), ("42", 42), ("-7", -7), ("1.5", 1.5), ("1e3", 1000.0),
            ("[1, \"a\"]", [1, "a"]), ("{\"a\": {\"b\": null}}", ["a": ["b": nil]]),
            ("", ""), ("hello", "hello"), ("True", "True"), ("007", "007"), ("1.2.3", "1.2.3"), ("+1", "+1"),
            ("-", "-"),
            ("\"42\"", "\"42\""), ("[oops", "[oops"), ("{a:1}", "{a:1}"), (" 1", " 1"), ("nil", "nil"),
            ("1e999", "1e999"),
            ("123456789012345678901234567890", 123_456_789_012_345_678_901_234_567_890.0),
        ] as [(String, CBORValue)])
    func argument(text: String, value: CBORValue) {
        #expect(CBORValue(argument: text) == value)
    }

    @Test("Random text gives a value that survives writing and reading, or an error")
    func random() throws {
        var generator = SeededGenerator(seed: 8259)
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "1", "-", ".", "e", "0", "true", "null", " ", "\\u12", "\\",
            "ü",
        ]
        var accepted = 0
        for _ in 0..<50_000 {
            let count = Int.random(in: 1...8, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            guard let value = try? CBORValue(json: text) else { continue }
            accepted += 1
            #expect(try CBORValue(json: value.json) == value)
        }
        #expect(accepted > 500)
    }
}
