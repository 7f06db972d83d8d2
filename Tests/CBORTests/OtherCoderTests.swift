import CBOR
import Foundation
import Testing

/// This module's types with other coders than its own.
@Suite(.timeLimit(.minutes(5)))
struct OtherCoderTests {
    @Test("A value passes through JSONEncoder and JSONDecoder as the JSON it resembles")
    func value() throws {
        let value: CBORValue = [
            "null": nil, "bool": true, "int": -1, "unsigned": .unsigned(.max), "double": 1.5, "text": "x",
            "array": [1, [], ["a": 2]], "empty": [:],
        ]
        let json = try JSONEncoder().encode(value)
        let decoded = try JSONDecoder().decode(CBORValue.self, from: json)
        #expect(decoded.mapValue?.entries.count == value.mapValue?.entries.count)
        for entry in try #require(value.mapValue).entries {
            #expect(decoded[try #require(entry.key.stringValue)] == entry.value)
        }
        let keyed = try JSONEncoder().encode(CBORValue.map([1: "one"]))
        #expect(String(decoding: keyed, as: UTF8.self) == #"{"1":"one"}"#)
    }

    @Test("With other coders, an encoded item becomes the value it holds, and bytes become numbers")
    func rawAndBytes() throws {
        let raw = try CBORRaw(encoding: ["a": [1, 2]])
        let json = try JSONEncoder().encode(raw)
        #expect(String(decoding: json, as: UTF8.self) == #"{"a":[1,2]}"#)
        #expect(try JSONDecoder().decode(CBORRaw.self, from: json) == raw)
        let bytes = try JSONEncoder().encode(CBORBytes([1, 255]))
        #expect(String(decoding: bytes, as: UTF8.self) == "[1,255]")
        #expect(try JSONDecoder().decode(CBORBytes.self, from: bytes) == CBORBytes([1, 255]))
    }

    @Test("Foundation's own types survive CBOR")
    func foundationTypes() throws {
        struct Record: Codable, Hashable {
            var date: Date
            var url: URL
            var id: UUID
            var data: Data
        }
        let record = Record(
            date: Date(timeIntervalSince1970: 1.25), url: try #require(URL(string: "https://example.com/a?b")),
            id: UUID(), data: Data([1, 2, 3]))
        let encoded = try CBOREncoder().encode([record])
        #expect(try CBORDecoder().decode([Record].self, from: encoded) == [record])
    }
}
