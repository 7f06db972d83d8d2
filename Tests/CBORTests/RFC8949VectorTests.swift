import CBOR
import Testing

/// The test vectors of RFC 8949, appendix A.
@Suite(.timeLimit(.minutes(5)))
struct RFC8949VectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let encoded: String
        let value: CBORValue
        let diagnostic: String
        /// Whether `CBORValue` encodes the value in this form: no tag, definite lengths, floating-point numbers in 64
        /// bits.
        let isOurForm: Bool

        init(_ encoded: String, _ value: CBORValue, _ diagnostic: String, isOurForm: Bool = true) {
            self.encoded = encoded
            self.value = value
            self.diagnostic = diagnostic
            self.isOurForm = isOurForm
        }

        var testDescription: String { encoded }
    }

    static let integers: [Vector] = [
        Vector("00", 0, "0"),
        Vector("01", 1, "1"),
        Vector("0a", 10, "10"),
        Vector("17", 23, "23"),
        Vector("1818", 24, "24"),
        Vector("1819", 25, "25"),
        Vector("1864", 100, "100"),
        Vector("1903e8", 1000, "1000"),
        Vector("1a000f4240", 1_000_000, "1000000"),
        Vector("1b000000e8d4a51000", 1_000_000_000_000, "1000000000000"),
        Vector("1bffffffffffffffff", .unsigned(.max), "18446744073709551615"),
        Vector(
            "c249010000000000000000", .bytes([1, 0, 0, 0, 0, 0, 0, 0, 0]), "h'010000000000000000'", isOurForm: false),
        Vector("3bffffffffffffffff", -18_446_744_073_709_551_616.0, "-1.8446744073709552e+19", isOurForm: false),
        Vector(
            "c349010000000000000000", .bytes([1, 0, 0, 0, 0, 0, 0, 0, 0]), "h'010000000000000000'", isOurForm: false),
        Vector("20", -1, "-1"),
        Vector("29", -10, "-10"),
        Vector("3863", -100, "-100"),
        Vector("3903e7", -1000, "-1000"),
    ]

    static let numbers: [Vector] = [
        Vector("f90000", 0.0, "0.0", isOurForm: false),
        Vector("f98000", -0.0, "-0.0", isOurForm: false),
        Vector("f93c00", 1.0, "1.0", isOurForm: false),
        Vector("fb3ff199999999999a", 1.1, "1.1"),
        Vector("f93e00", 1.5, "1.5", isOurForm: false),
        Vector("f97bff", 65504.0, "65504.0", isOurForm: false),
        Vector("fa47c35000", 100000.0, "100000.0", isOurForm: false),
        Vector("fa7f7fffff", 3.4028234663852886e+38, "3.4028234663852886e+38", isOurForm: false),
        Vector("fb7e37e43c8800759c", 1.0e+300, "1.0e+300"),
        Vector("f90001", 5.960464477539063e-8, "5.960464477539063e-8", isOurForm: false),
        Vector("f90400", 0.00006103515625, "6.103515625e-5", isOurForm: false),
        Vector("f9c400", -4.0, "-4.0", isOurForm: false),
        Vector("fbc010666666666666", -4.1, "-4.1"),
        Vector("f97c00", .double(.infinity), "Infinity", isOurForm: false),
        Vector("f97e00", .double(.nan), "NaN", isOurForm: false),
        Vector("f9fc00", .double(-.infinity), "-Infinity", isOurForm: false),
        Vector("fa7f800000", .double(.infinity), "Infinity", isOurForm: false),
        Vector("fa7fc00000", .double(.nan), "NaN", isOurForm: false),
        Vector("faff800000", .double(-.infinity), "-Infinity", isOurForm: false),
        Vector("fb7ff0000000000000", .double(.infinity), "Infinity"),
        Vector("fb7ff8000000000000", .double(.nan), "NaN"),
        Vector("fbfff0000000000000", .double(-.infinity), "-Infinity"),
    ]

    static let simpleAndTagged: [Vector] = [
        Vector("f4", false, "false"),
        Vector("f5", true, "true"),
        Vector("f6", nil, "null"),
        Vector("f7", nil, "null", isOurForm: false),
        Vector("f0", nil, "null", isOurForm: false),
        Vector("f8ff", nil, "null", isOurForm: false),
        Vector(
            "c074323031332d30332d32315432303a30343a30305a", "2013-03-21T20:04:00Z", "\"2013-03-21T20:04:00Z\"",
            isOurForm: false),
        Vector("c11a514b67b0", 1_363_896_240, "1363896240", isOurForm: false),
        Vector("c1fb41d452d9e2000000", .double(0x1.452d9e2p+30), "1363896200.0", isOurForm: false),
        Vector("d74401020304", .bytes([1, 2, 3, 4]), "h'01020304'", isOurForm: false),
        Vector("d818456449455446", .bytes([0x64, 0x49, 0x45, 0x54, 0x46]), "h'6449455446'", isOurForm: false),
        Vector(
            "d82076687474703a2f2f7777772e6578616d706c652e636f6d", "http://www.example.com",
            "\"http://www.example.com\"", isOurForm: false),
    ]

    static let strings: [Vector] = [
        Vector("40", .bytes([]), "h''"),
        Vector("4401020304", .bytes([1, 2, 3, 4]), "h'01020304'"),
        Vector("60", "", "\"\""),
        Vector("6161", "a", "\"a\""),
        Vector("6449455446", "IETF", "\"IETF\""),
        Vector("62225c", "\"\\", "\"\\\"\\\\\""),
        Vector("62c3bc", "\u{fc}", "\"\u{fc}\""),
        Vector("63e6b0b4", "\u{6c34}", "\"\u{6c34}\""),
        Vector("64f0908591", "\u{10151}", "\"\u{10151}\""),
        Vector("5f42010243030405ff", .bytes([1, 2, 3, 4, 5]), "h'0102030405'", isOurForm: false),
        Vector("7f657374726561646d696e67ff", "streaming", "\"streaming\"", isOurForm: false),
    ]

    static let oneTo25: CBORValue = .array((1...25).map { .int($0) })
    static let oneTo25Diagnostic = "[" + (1...25).map(String.init).joined(separator: ", ") + "]"
    static let nested: CBORValue = [1, [2, 3], [4, 5]]

    static let containers: [Vector] = [
        Vector("80", [], "[]"),
        Vector("83010203", [1, 2, 3], "[1, 2, 3]"),
        Vector("8301820203820405", nested, "[1, [2, 3], [4, 5]]"),
        Vector("98190102030405060708090a0b0c0d0e0f101112131415161718181819", oneTo25, oneTo25Diagnostic),
        Vector("a0", [:], "{}"),
        Vector("a201020304", [1: 2, 3: 4], "{1: 2, 3: 4}"),
        Vector("a26161016162820203", ["a": 1, "b": [2, 3]], "{\"a\": 1, \"b\": [2, 3]}"),
        Vector("826161a161626163", ["a", ["b": "c"]], "[\"a\", {\"b\": \"c\"}]"),
        Vector(
            "a56161614161626142616361436164614461656145",
            ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"],
            "{\"a\": \"A\", \"b\": \"B\", \"c\": \"C\", \"d\": \"D\", \"e\": \"E\"}"),
        Vector("9fff", [], "[]", isOurForm: false),
        Vector("9f018202039f0405ffff", nested, "[1, [2, 3], [4, 5]]", isOurForm: false),
        Vector("9f01820203820405ff", nested, "[1, [2, 3], [4, 5]]", isOurForm: false),
        Vector("83018202039f0405ff", nested, "[1, [2, 3], [4, 5]]", isOurForm: false),
        Vector("83019f0203ff820405", nested, "[1, [2, 3], [4, 5]]", isOurForm: false),
        Vector(
            "9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff", oneTo25, oneTo25Diagnostic,
            isOurForm: false),
        Vector(
            "bf61610161629f0203ffff", ["a": 1, "b": [2, 3]], "{\"a\": 1, \"b\": [2, 3]}", isOurForm: false),
        Vector("826161bf61626163ff", ["a", ["b": "c"]], "[\"a\", {\"b\": \"c\"}]", isOurForm: false),
        Vector("bf6346756ef563416d7421ff", ["Fun": true, "Amt": -2], "{\"Fun\": true, \"Amt\": -2}", isOurForm: false),
    ]

    static let all = integers + numbers + simpleAndTagged + strings + containers

    @Test("The table is complete")
    func count() {
        #expect(Self.all.count == 81)
    }

    @Test("Every vector decodes to its value", arguments: all)
    func decodes(_ vector: Vector) throws {
        let value = try CBORValue(decoding: bytes(hexadecimal: vector.encoded))
        if vector.value.doubleValue?.isNaN == true {
            #expect(value.doubleValue?.isNaN == true)
        } else {
            #expect(value == vector.value)
            // Positive and negative zero compare as equal.
            #expect(value.doubleValue?.sign == vector.value.doubleValue?.sign)
        }
    }

    @Test("Every vector has the RFC's diagnostic notation, without tags", arguments: all)
    func diagnostic(_ vector: Vector) throws {
        #expect(try CBORValue(decoding: bytes(hexadecimal: vector.encoded)).diagnostic == vector.diagnostic)
    }

    @Test("Every value is encoded in the vector's form where our encoder uses that form", arguments: all)
    func encodes(_ vector: Vector) throws {
        #expect((hexadecimal(vector.value.encoded()) == vector.encoded) == vector.isOurForm)
        #expect(try CBOREncoder().encode(vector.value) == vector.value.encoded())
    }

    @Test("Every vector is one item for the reader, and is preserved undecoded", arguments: all)
    func passesThrough(_ vector: Vector) throws {
        let encoded = bytes(hexadecimal: vector.encoded)
        let end = try CBORReader.walk(encoded[...]) { reader throws(CBORError) in
            try reader.skipItem()
            return reader.offset
        }
        #expect(end == encoded.count)
        let raw = try CBORDecoder().decode(CBORRaw.self, from: encoded)
        #expect(try CBOREncoder().encode(raw) == encoded)
    }
}
