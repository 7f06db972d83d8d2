import CBOR
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CBORDecoderTests {
    private func decode<T: Decodable>(
        _ type: T.Type, _ encoded: String, limits: CBORLimits = .default
    ) throws -> T {
        try CBORDecoder(limits: limits).decode(type, from: bytes(hexadecimal: encoded))
    }

    private func failure<T: Decodable>(decoding type: T.Type, _ value: CBORValue) -> DecodingError? {
        #expect(throws: DecodingError.self) { try CBORDecoder().decode(type, from: value.encoded()) }
    }

    struct Point: Codable, Hashable {
        var x: Int
        var y: Double?
    }

    @Test("Fields may come in any order, and unknown fields are ignored")
    func anyOrder() throws {
        let value: CBORValue = [
            "city": "London", "extra": ["deep": [1, 2, ["x": nil]]], "score": 1815.12, "isActive": true,
            "age": 36, "": 0, "name": "Ada Lovelace",
        ]
        #expect(try value.decode(as: Shapes.Person.self) == Shapes.ada)
        #expect(try CBORValue.array([value, value]).decode(as: [Shapes.Person].self) == [Shapes.ada, Shapes.ada])
    }

    @Test("Every valid form of an item is accepted")
    func liberalForms() throws {
        // A tag, an indefinite-length map, a chunked key, a long head, a tagged key with a long head, a tagged half.
        let encoded = "c1 bf 7f6178ff 1b0000000000000001 c5790001 79 c1f93c00 ff"
        #expect(try decode(Point.self, encoded) == Point(x: 1, y: 1))
    }

    @Test("Integers are decoded where the type has floating-point numbers")
    func numbers() throws {
        #expect(try decode(Double.self, "01") == 1)
        #expect(try decode(Double.self, "1bffffffffffffffff") == 18_446_744_073_709_551_616)
        #expect(try decode(Double.self, "3bffffffffffffffff") == -18_446_744_073_709_551_616)
        #expect(try decode(Float.self, "20") == -1)
        #expect(try decode(Float.self, "fb3ff199999999999a") == 1.1)
        #expect(try decode(Double.self, "f93e00") == 1.5)
        #expect(try decode(Float.self, "fb7ff0000000000000") == .infinity)
        #expect(throws: DecodingError.self) { try decode(Float.self, "fb7e37e43c8800759c") }
    }

    @Test("An array of numbers is decoded as bytes, and null or undefined as nil")
    func otherForms() throws {
        #expect(try decode([UInt8].self, "820102") == [1, 2])
        #expect(try decode([UInt8].self, "5f41014102ff") == [1, 2])
        #expect(try decode(CBORBytes.self, "9f01ff").bytes == [1])
        #expect(try decode(Optional<Int>.self, "f7") == nil)
        #expect(try decode([Int?].self, "83f601f7") == [nil, 1, nil])
        #expect(try decode(Point.self, "a2617801 6179f7") == Point(x: 1, y: nil))
        #expect(try decode(Point.self, "a1617801") == Point(x: 1, y: nil))
    }

    @Test("An integer key matches the field with that number as its name")
    func integerKeys() throws {
        #expect(try decode([Int: String].self, "a2 01 6161 20 6162") == [1: "a", -1: "b"])
        #expect(try decode([Int: String].self, "a2 6131 6161 622d31 6162") == [1: "a", -1: "b"])
        struct Numbered: Codable, Hashable {
            var first: Int
            enum CodingKeys: String, CodingKey { case first = "1" }
        }
        #expect(try decode(Numbered.self, "a2 01 07 4102 03") == Numbered(first: 7))
    }

    @Test(
        "A dictionary refuses keys that it cannot hold instead of dropping or changing them",
        arguments: [
            // Bytes, null, an array, an integer, text and an integer of the same name, one text in two spellings (one in chunks).
            ("a2 6161 01 4102 03", "a byte string"), ("a1 f6 01", "null"), ("a1 80 01", "an array"),
            ("a1 01 01", "an integer"), ("a2 6131 01 01 02", "an integer"),
            ("a2 62c3a9 01 63 65cc81 02", "again in other characters"),
            ("a2 7f62c3a9ff 01 63 65cc81 02", "again in other characters"),
        ])
    func dictionaryKeys(encoded: String, reason: String) throws {
        func error<T: Decodable>(_ type: T.Type, _ encoded: String) throws -> String {
            let error = try #require(throws: DecodingError.self) { try decode(type, encoded) }
            return String(explaining: error)
        }
        #expect(try error([String: Int].self, encoded).contains(reason))
        let nested = try error([String: [String: CBORRaw]?].self, "a1 646d6f7265" + encoded)
        #expect(nested.contains("'more'"))
        #expect(nested.contains(reason))
    }

    @Test(
        "A dictionary with integer keys refuses other keys and numbers beyond 64 bits",
        arguments: ["a2 6131 01 01 02", "a1 4101 01", "a1 1bffffffffffffffff 01", "a1 f93c00 01"])
    func numberedKeys(encoded: String) {
        #expect(throws: DecodingError.self) { try decode([Int: Int].self, encoded) }
    }

    @Test("An item is captured unchanged, including its tags")
    func raw() throws {
        struct Envelope: Codable, Hashable {
            var id: Int
            var payload: CBORRaw
        }
        let encoded = bytes(hexadecimal: "a2 626964 07 677061796c6f6164 c1 9f 1801 f93c00 ff")
        let envelope = try CBORDecoder().decode(Envelope.self, from: encoded)
        #expect(hexadecimal(envelope.payload.bytes) == "c19f1801f93c00ff")
        #expect(try CBOREncoder().encode(envelope) == encoded)
        #expect(try envelope.payload.decode(as: [Double].self) == [1, 1])
    }

    @Test("A missing field is named")
    func missing() throws {
        let error = try #require(failure(decoding: [Shapes.Person].self, [["name": "x", "score": 1.0]]))
        guard case .keyNotFound(let key, let context) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(key.stringValue == "age")
        #expect(context.codingPath.map(\.stringValue) == ["Index 0"])
        #expect(context.debugDescription == "No value for the key 'age' in 'Index 0'.")
    }

    @Test("A field of the wrong type is named, with the expected and the found type")
    func mistyped() throws {
        let value: CBORValue = ["members": [["name": "x", "age": "old"]]]
        struct Members: Decodable { var members: [Shapes.Person] }
        guard case .typeMismatch(let type, let context) = failure(decoding: Members.self, value) else {
            Issue.record("not a type mismatch")
            return
        }
        #expect(ObjectIdentifier(type) == ObjectIdentifier(Int.self))
        #expect(context.codingPath.map(\.stringValue) == ["members", "Index 0", "age"])
        #expect(context.codingPath.map(\.intValue) == [nil, 0, nil])
        #expect(
            context.debugDescription
                == "Expected Int for 'members.Index 0.age', found a text string (at byte 22).")
    }

    struct Mistyped: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let decode: @Sendable (CBORValue) throws -> Void
        let value: CBORValue
        let message: String

        init<T: Decodable & Sendable>(_ type: T.Type, _ value: CBORValue, _ message: String) {
            testDescription = "\(type) from \(value)"
            decode = { _ = try $0.decode(as: T.self) }
            self.value = value
            self.message = message
        }
    }

    @Test(
        "Every type mismatch names the expected and the found type",
        arguments: [
            Mistyped(Bool.self, 1, "Expected Bool for the outermost item, found an integer (at byte 0)."),
            Mistyped(
                String.self, .bytes([]), "Expected String for the outermost item, found a byte string (at byte 0)."),
            Mistyped(Double.self, "1", "Expected Double for the outermost item, found a text string (at byte 0)."),
            Mistyped(Float.self, true, "Expected Float for the outermost item, found a boolean (at byte 0)."),
            Mistyped(Int.self, 1.0, "Expected Int for the outermost item, found a floating-point number (at byte 0)."),
            Mistyped(Int.self, nil, "Expected Int for the outermost item, found null (at byte 0)."),
            Mistyped([Int].self, [:], "Expected an array for the outermost item, found a map (at byte 0)."),
            Mistyped([UInt8].self, "x", "Expected an array for the outermost item, found a text string (at byte 0)."),
            Mistyped(Point.self, [], "Expected a map for the outermost item, found an array (at byte 0)."),
            Mistyped([Point].self, [1], "Expected a map for 'Index 0', found an integer (at byte 1)."),
            Mistyped(Int8.self, 128, "128 does not fit in Int8 for the outermost item (at byte 0)."),
            Mistyped(
                Float.self, 1e300, "1e+300 does not fit in Float for the outermost item (at byte 0)."),
            Mistyped([UInt].self, [-1], "-1 does not fit in UInt for 'Index 0' (at byte 1)."),
            Mistyped(
                Int.self, .unsigned(.max), "\(UInt64.max) does not fit in Int for the outermost item (at byte 0)."),
        ])
    func mismatches(_ mistyped: Mistyped) throws {
        let error = try #require(throws: DecodingError.self) { try mistyped.decode(mistyped.value) }
        let context =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): context
            default: DecodingError.Context(codingPath: [], debugDescription: "\(error)")
            }
        #expect(context.debugDescription == mistyped.message)
    }

    @Test("Coding paths lead through nested containers and superclasses")
    func nestedPaths() {
        let page: CBORValue = [["stack": ["_0": [["account": ["id": "x", "tab": ""]]]]]]
        guard case .typeMismatch(_, let inPage) = failure(decoding: [Shapes.Page].self, page) else {
            Issue.record("not a type mismatch")
            return
        }
        #expect(
            inPage.codingPath.map(\.stringValue) == ["Index 0", "stack", "_0", "Index 0", "account", "id"])
        guard case .keyNotFound(_, let inSuper) = failure(decoding: Shapes.Dog.self, ["tricks": [], "super": [:]])
        else {
            Issue.record("not a missing key")
            return
        }
        #expect(inSuper.codingPath.map(\.stringValue) == ["super"])
        guard case .keyNotFound(let key, _) = failure(decoding: Shapes.Dog.self, ["tricks": []]) else {
            Issue.record("not a missing key")
            return
        }
        #expect(key.stringValue == "super")
    }

    @Test("A container can still be read after a value failed to decode")
    func alternatives() throws {
        enum Identifier: Decodable, Hashable {
            case number(Int)
            case name(String)

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let number = try? container.decode(Int.self) {
                    self = .number(number)
                } else {
                    self = .name(try container.decode(String.self))
                }
            }
        }
        struct List: Decodable {
            var found: [Identifier] = []
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                while !container.isAtEnd {
                    if let point = try? container.decode(Point.self) {
                        found.append(.number(point.x))
                    } else {
                        found.append(try container.decode(Identifier.self))
                    }
                }
                #expect(throws: DecodingError.self) { try container.decode(Int.self) }
                #expect(throws: DecodingError.self) { try container.decodeNil() }
                #expect(throws: DecodingError.self) { try container.nestedUnkeyedContainer() }
            }
        }
        let list = try CBORValue.array([1, "a", ["x": 3], "b"]).decode(as: List.self)
        #expect(list.found == [.number(1), .name("a"), .number(3), .name("b")])
    }

    @Test("Nested containers can be read in turns")
    func interleavedReading() throws {
        struct Both: Decodable {
            var sum = 0
            enum CodingKeys: CodingKey { case a, b, x }
            init(from decoder: any Decoder) throws {
                let outer = try decoder.container(keyedBy: CodingKeys.self)
                let a = try outer.nestedContainer(keyedBy: CodingKeys.self, forKey: .a)
                let b = try outer.nestedContainer(keyedBy: CodingKeys.self, forKey: .b)
                sum += try a.decode(Int.self, forKey: .x)
                sum += try b.decode([Int].self, forKey: .x).reduce(0, +)
                sum += try outer.decode(Int.self, forKey: .x)
                sum += try a.decode(Int.self, forKey: .b)
                #expect(a.codingPath.map(\.stringValue) == ["a"])
                #expect(b.codingPath.map(\.stringValue) == ["b"])
                #expect(a.allKeys == [.x, .b])
                #expect(throws: DecodingError.self) { try a.decode(Int.self, forKey: .a) }
                #expect(try outer.decodeIfPresent(Int.self, forKey: .x) == 1000)
            }
        }
        let value: CBORValue = ["a": ["x": 1, "b": 10], "b": ["x": [40, 60]], "x": 1000]
        #expect(try value.decode(as: Both.self).sum == 1111)
    }

    @Test("A decoder that is used after decoding has ended finds no value")
    func escaped() throws {
        struct Keeper: Decodable {
            let decoder: any Decoder
            let container: KeyedDecodingContainer<Shapes.Cat.CodingKeys>
            init(from decoder: any Decoder) throws {
                self.decoder = decoder
                container = try decoder.container(keyedBy: Shapes.Cat.CodingKeys.self)
            }
        }
        let keeper = try CBORDecoder().decode(Keeper.self, from: CBORValue.map(["lives": 9]).encoded())
        #expect(throws: CBORError(.unexpectedEnd, at: 0)) { try keeper.decoder.unkeyedContainer() }
        #expect(throws: CBORError.self) { try keeper.container.decode(Int.self, forKey: .lives) }
    }

    @Test("Items are captured correctly while their types decode other items in between")
    func decoderKeptWhileDecoding() throws {
        struct Deferred: Decodable {
            let decoder: any Decoder
            init(from decoder: any Decoder) { self.decoder = decoder }
        }
        struct Pair: Decodable {
            var first: Point
            enum CodingKeys: CodingKey { case first, second }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                let deferred = try container.decode(Deferred.self, forKey: .first)
                _ = try container.decode(Point.self, forKey: .second)
                first = try Point(from: deferred.decoder)
            }
        }
        let value: CBORValue = ["first": ["x": 1], "second": ["x": 2]]
        #expect(try value.decode(as: Pair.self).first == Point(x: 1))
    }

    @Test func `A name that stands twice in different Unicode forms is found before another key, too`() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        var writer = CBORWriter()
        writer.writeMapHead(count: 3)
        for key in [composed, decomposed, "plain"] {
            writer.writeString(key)
            writer.writeInteger(1)
        }
        #expect(throws: DecodingError.self) { try CBORDecoder().decode([String: Int].self, from: writer.bytes) }
    }
}
