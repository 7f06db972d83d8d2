import SeededRandom
import CBOR
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CBOREncoderTests {
    private func encode(_ value: some Encodable) throws -> String {
        hexadecimal(try CBOREncoder().encode(value))
    }

    @Test("A struct is encoded as a map with its fields in the order of declaration")
    func fieldOrder() throws {
        let value = try CBORValue(encoding: Shapes.ada)
        #expect(
            value.diagnostic
                == #"{"name": "Ada Lovelace", "age": 36, "score": 1815.12, "isActive": true, "city": "London"}"#)
    }

    @Test("A nil field is omitted, and nil anywhere else is encoded as null")
    func nils() throws {
        #expect(try encode(Shapes.Optionals(list: [nil, 1])) == "a1646c69737482f601")
        #expect(try encode(Int?.none) == "f6")
        #expect(try encode(["a": Int?.none]) == "a16161f6")
    }

    @Test("A Double takes 64 bits, a Float 32, and an integer as few bytes as possible")
    func numbers() throws {
        #expect(try encode(1.0) == "fb3ff0000000000000")
        #expect(try encode(Float(1)) == "fa3f800000")
        #expect(try encode(UInt16(255)) == "18ff")
        #expect(try encode(Int64(-256)) == "38ff")
        #expect(try encode(Int8(-128)) == "387f")
        #expect(try encode(UInt64(1) << 32) == "1b0000000100000000")
        #expect(try encode(Int64.min) == "3b7fffffffffffffff")
    }

    @Test("Bytes are encoded as byte strings at every place")
    func byteStrings() throws {
        #expect(try encode([1, 2] as [UInt8]) == "420102")
        #expect(try encode([[1]] as [[UInt8]]) == "814101")
        #expect(try encode(["a": [1] as [UInt8]]) == "a161614101")
        #expect(try encode([1] as [UInt8]?) == "4101")
        #expect(try encode(CBORBytes([1, 2])) == "420102")
        #expect(try encode([CBORBytes([])]) == "8140")
        #expect(try encode([1, 2] as [UInt16]) == "820102")
    }

    @Test("Dictionaries are sorted by encoded key, so equal dictionaries give equal bytes")
    func dictionaries() throws {
        var generator = SeededGenerator(seed: 1)
        let keys = (0..<100).map { "\($0 * 37)" } + ["", "a", "aa", "b", "ü", String(repeating: "k", count: 300)]
        let expected = try CBOREncoder().encode(Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) }))
        for _ in 0..<5 {
            var dictionary: [String: String] = [:]
            for key in keys.shuffled(using: &generator) { dictionary[key] = key }
            #expect(try CBOREncoder().encode(dictionary) == expected)
        }
        let entries = try CBORMap.entries(of: expected)
        #expect(entries.count == keys.count)
        let encodedKeys = try entries.map { try CBOREncoder().encode($0.key) }
        #expect(encodedKeys == encodedKeys.sorted { $0.lexicographicallyPrecedes($1) })
        #expect(try encode(["b": ["d": 1, "c": 2], "a": [:]]) == "a26161a06162a2616302616401")
        #expect(try encode([10: 1, 9: 2]) == "a261390262313001")
    }

    @Test("Maps and arrays have heads of every length", arguments: [0, 1, 23, 24, 255, 256, 65_535, 65_536])
    func headLengths(count: Int) throws {
        let array = try CBOREncoder().encode(Array(repeating: true, count: count))
        #expect(try CBORDecoder().decode([Bool].self, from: array).count == count)
        #expect(array == CBORValue.array(Array(repeating: true, count: count)).encoded())
        let dictionary = Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", $0) })
        #expect(try CBORDecoder().decode([String: Int].self, from: CBOREncoder().encode(dictionary)) == dictionary)
    }

    @Test("A value that encodes nothing becomes an empty map")
    func nothing() throws {
        struct Silent: Encodable { func encode(to encoder: any Encoder) {} }
        #expect(try encode(Silent()) == "a0")
        #expect(try encode([Silent(), Silent()]) == "82a0a0")
    }

    @Test("An already encoded item is embedded unchanged")
    func embedding() throws {
        struct Envelope: Encodable {
            var raw: CBORRaw
            var value: CBORValue
        }
        let raw = try CBORRaw(bytes(hexadecimal: "9f01ff"))
        #expect(try encode(Envelope(raw: raw, value: [nil])) == "a2637261779f01ff6576616c756581f6")
    }

    @Test("Encoding into a buffer appends, and leaves the buffer unchanged when it fails")
    func appending() throws {
        struct Failure: Error {}
        struct Failing: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(1)
                throw Failure()
            }
        }
        var bytes: [UInt8] = [9]
        try CBOREncoder().encode([1], into: &bytes)
        #expect(bytes == [9, 0x81, 1])
        #expect(throws: Failure.self) { try CBOREncoder().encode(["a": Failing()], into: &bytes) }
        #expect(bytes == [9, 0x81, 1])
    }

    @Test("A field whose encoding error the type ignores leaves no trace")
    func swallowedFailure() throws {
        struct Failure: Error {}
        struct Failing: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode("partial")
                var nested = container.nestedUnkeyedContainer()
                try nested.encode(1)
                throw Failure()
            }
        }
        struct Tolerant: Encodable {
            enum CodingKeys: CodingKey { case a, b, c }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(1, forKey: .a)
                #expect(throws: Failure.self) { try container.encode(Failing(), forKey: .b) }
                try container.encode(3, forKey: .c)
            }
        }
        struct TolerantSingle: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                #expect(throws: Failure.self) { try container.encode(Failing()) }
                try container.encode("instead")
            }
        }
        #expect(try CBORValue(encoding: Tolerant()) == ["a": 1, "c": 3])
        #expect(try CBORValue(encoding: [TolerantSingle()]) == ["instead"])
    }

    @Test("Coding paths lead to the value being encoded")
    func codingPaths() throws {
        struct Leaf: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(encoder.codingPath.map(\.stringValue).joined(separator: "."))
            }
        }
        struct Tree: Encodable {
            enum CodingKeys: CodingKey { case leaf, branch, list }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(Leaf(), forKey: .leaf)
                var branch = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .branch)
                try branch.encode(Leaf(), forKey: .leaf)
                try container.encode([Leaf(), Leaf()], forKey: .list)
                try branch.encode(branch.codingPath.count, forKey: .list)
            }
        }
        #expect(
            try CBORValue(encoding: [Tree()]) == [
                [
                    "leaf": "Index 0.leaf",
                    "branch": ["leaf": "Index 0.branch.leaf", "list": 2],
                    "list": ["Index 0.list.Index 0", "Index 0.list.Index 1"],
                ]
            ])
    }

    @Test("Values nested too deep are refused instead of overflowing the stack")
    func depth() throws {
        final class Endless: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(self)
            }
        }
        indirect enum List: Encodable { case end, next(List) }
        struct Nest: Encodable {
            let levels: Int
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                if levels > 1 { try container.encode(Nest(levels: levels - 1)) } else { try container.encode(1) }
            }
        }
        let deepest = try CBOREncoder().encode(Nest(levels: 256))
        let decoder = CBORDecoder(limits: CBORLimits(maximumDepth: 256))
        #expect(try CBOREncoder().encode(decoder.decode(CBORValue.self, from: deepest)) == deepest)
        #expect(throws: EncodingError.self) { try CBOREncoder().encode(Nest(levels: 257)) }
        #expect(throws: EncodingError.self) { try CBOREncoder().encode(Endless()) }
        #expect(throws: EncodingError.self) {
            try CBOREncoder().encode((0..<10_000).reduce(List.end) { list, _ in .next(list) })
        }
    }

    @Test("Meaningless uses of containers throw an error")
    func misuse() {
        struct TwoScalars: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(1)
                try container.encode(2)
            }
        }
        struct MapAndArray: Encodable {
            func encode(to encoder: any Encoder) throws {
                _ = encoder.container(keyedBy: Shapes.Cat.CodingKeys.self)
                _ = encoder.unkeyedContainer()
            }
        }
        struct ValueAndMap: Encodable {
            func encode(to encoder: any Encoder) throws {
                var single = encoder.singleValueContainer()
                try single.encode(["a": 1])
                _ = encoder.container(keyedBy: Shapes.Cat.CodingKeys.self)
            }
        }
        #expect(throws: EncodingError.self) { try CBOREncoder().encode(ValueAndMap()) }
        struct SameKeyTwice: Encodable {
            func encode(to encoder: any Encoder) throws {
                for number in 0..<2 {
                    var container = encoder.container(keyedBy: Shapes.Cat.CodingKeys.self)
                    try container.encode(number, forKey: .lives)
                }
            }
        }
        #expect(throws: EncodingError.self) { try CBOREncoder().encode(TwoScalars()) }
        #expect(throws: EncodingError.self) { try CBOREncoder().encode(MapAndArray()) }
        #expect(throws: EncodingError.self) { try CBOREncoder().encode([MapAndArray()]) }
        #expect(throws: EncodingError.self) { try CBOREncoder().encode(SameKeyTwice()) }
    }
}
