import CBOR
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CBORValueTests {
    static let sample: CBORValue = [
        "null": nil, "bool": true, "int": -1, "double": 1.5, "string": "text", "array": [1, [2]],
        "bytes": .bytes([1, 2]), "unsigned": .unsigned(.max), "map": ["a": [:]],
    ]

    @Test("Each accessor returns a value of its own kind only")
    func accessors() {
        #expect(Self.sample["null"]?.isNull == true)
        #expect(Self.sample["bool"]?.boolValue == true)
        #expect(Self.sample["int"]?.intValue == -1)
        #expect(Self.sample["double"]?.doubleValue == 1.5)
        #expect(Self.sample["int"]?.doubleValue == -1)
        #expect(Self.sample["unsigned"]?.doubleValue == 0x1p64)
        #expect(Self.sample["string"]?.stringValue == "text")
        #expect(Self.sample["bytes"]?.bytesValue == [1, 2])
        #expect(Self.sample["array"]?[1]?[0] == 2)
        #expect(Self.sample["array"]?[2] == nil)
        #expect(Self.sample["array"]?[-1] == nil)
        #expect(Self.sample["map"]?["a"]?.mapValue == [:])
        #expect(Self.sample["missing"] == nil)
        #expect(Self.sample[0] == nil)
        #expect(Self.sample["unsigned"]?.intValue == nil)
        for key in ["null", "array"] {
            #expect(Self.sample[key]?.boolValue == nil)
            #expect(Self.sample[key]?.intValue == nil)
            #expect(Self.sample[key]?.doubleValue == nil)
            #expect(Self.sample[key]?.stringValue == nil)
            #expect(Self.sample[key]?.bytesValue == nil)
            #expect(Self.sample[key]?.mapValue == nil)
        }
        #expect(Self.sample.arrayValue == nil)
    }

    @Test("A value survives its own encoding, and embedding in another type")
    func roundTrip() throws {
        struct Envelope: Codable, Hashable {
            var value: CBORValue
            var list: [CBORValue]
            var optional: CBORValue?
        }
        #expect(try CBORValue(decoding: Self.sample.encoded()) == Self.sample)
        let envelope = Envelope(value: Self.sample, list: [nil, Self.sample], optional: "x")
        let encoded = try CBOREncoder().encode(envelope)
        #expect(try CBORDecoder().decode(Envelope.self, from: encoded) == envelope)
        #expect(try CBORValue(encoding: envelope)["list"]?[1] == Self.sample)
    }

    @Test("A value encodes and decodes itself where a type forwards to it")
    func forwarding() throws {
        struct Wrapper: Codable, Hashable {
            var value: CBORValue
            var raw: CBORRaw

            init(_ value: CBORValue) throws {
                self.value = value
                raw = try CBORRaw(value.encoded())
            }
            init(from decoder: any Decoder) throws {
                value = try CBORValue(from: decoder)
                raw = try CBORRaw(from: decoder)
            }
            func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
        }
        struct RawWrapper: Encodable {
            var raw: CBORRaw
            func encode(to encoder: any Encoder) throws { try raw.encode(to: encoder) }
        }
        let wrapper = try Wrapper(Self.sample)
        let encoded = try CBOREncoder().encode([wrapper])
        #expect(try CBORDecoder().decode([Wrapper].self, from: encoded) == [wrapper])
        #expect(try CBOREncoder().encode([RawWrapper(raw: wrapper.raw)]) == encoded)
    }

    @Test("A typed value is converted to a CBORValue and back")
    func bridging() throws {
        let value = try CBORValue(encoding: Shapes.ada)
        #expect(value["age"] == 36)
        #expect(try value.decode(as: Shapes.Person.self) == Shapes.ada)
        #expect(throws: DecodingError.self) { try value.decode(as: [Int].self) }
    }

    @Test("Maps with different orders are different, as their bytes are")
    func mapOrder() {
        #expect(["a": 1, "b": 2] as CBORValue != ["b": 2, "a": 1])
        #expect(Set([Self.sample, Self.sample, nil]).count == 2)
    }
}
