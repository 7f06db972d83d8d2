import CBOR
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RoundTripTests {
    private func roundTrip<T: Codable & Equatable>(
        _ value: T, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let encoded = try CBOREncoder().encode(value)
        #expect(try CBORDecoder().decode(T.self, from: encoded) == value, sourceLocation: sourceLocation)
        // Also through a CBORValue, and from the middle of other bytes.
        #expect(try CBORValue(encoding: value).decode(as: T.self) == value, sourceLocation: sourceLocation)
        var surrounded: [UInt8] = [0xff]
        try CBOREncoder().encode(value, into: &surrounded)
        #expect(Array(surrounded.dropFirst()) == encoded, sourceLocation: sourceLocation)
        surrounded.append(0xff)
        let slice = surrounded[1..<surrounded.count - 1]
        #expect(try CBORDecoder().decode(T.self, from: slice) == value, sourceLocation: sourceLocation)
    }

    @Test("Scalars round-trip")
    func scalars() throws {
        try roundTrip(true)
        try roundTrip("")
        try roundTrip("text of more than twenty-three bytes, ünïcödé")
        try roundTrip(0.1)
        try roundTrip(Float(0.1))
        try roundTrip(UInt64.max)
        try roundTrip(Int64.min)
        try roundTrip(Shapes.Colour.green)
        try roundTrip(Shapes.Timestamp(seconds: 1.5))
        try roundTrip(Shapes.Empty())
        try roundTrip(Duration.milliseconds(-1500))
    }

    @Test("The limits of every integer type round-trip")
    func integers() throws {
        try roundTrip(Shapes.Integers.smallest)
        try roundTrip(Shapes.Integers.largest)
    }

    @Test("Nested structs, arrays, dictionaries and bytes round-trip")
    func nested() throws {
        try roundTrip(Shapes.ada)
        try roundTrip(Shapes.team)
        try roundTrip([Shapes.team, Shapes.team])
        try roundTrip(Array(0..<1000))
        try roundTrip(["a": ["b": ["c": 1]]])
        try roundTrip([1: "one", -2: "two"])
        try roundTrip([true: 1, false: 0])
        try roundTrip(Set(["x", "y"]))
        try roundTrip(Array(repeating: 1.5, count: 70_000))
    }

    @Test("Optionals round-trip, present and absent")
    func optionals() throws {
        try roundTrip(Int?.none)
        try roundTrip(Int?.some(1))
        try roundTrip([1, nil, 3])
        try roundTrip(["a": Int?.none, "b": 2])
        try roundTrip(Shapes.Optionals(list: [nil]))
        try roundTrip(
            Shapes.Optionals(number: 1, text: "x", ratio: 0.5, flag: false, person: Shapes.ada, list: [1, nil]))
    }

    @Test("Enumerations with associated values round-trip")
    func enumerations() throws {
        try roundTrip(Shapes.Page.home)
        try roundTrip(Shapes.Page.account(id: 42, tab: "settings"))
        try roundTrip(Shapes.Page.search("x", exact: nil))
        try roundTrip(Shapes.Page.search("x", exact: true))
        try roundTrip([
            Shapes.Page.stack([.home, .account(id: 1, tab: ""), .stack([])]),
            .over(.search("a", exact: false), page: .over(.home, page: .home)),
        ])
    }

    @Test("Nested containers that are written in turns round-trip")
    func interleaved() throws {
        try roundTrip(Shapes.Interleaved(x: 1, y: [1, 2, 3], z: "z"))
        try roundTrip(Array(repeating: Shapes.Interleaved(x: -1, y: Array(0..<30), z: "long".description), count: 30))
    }

    @Test("A class that encodes its superclass under its own key round-trips")
    func superEncoder() throws {
        let encoded = try CBOREncoder().encode(Shapes.Dog(name: "Rex", tricks: ["sit"]))
        #expect(try CBORValue(decoding: encoded) == ["super": ["name": "Rex"], "tricks": ["sit"]])
        let decoded = try CBORDecoder().decode(Shapes.Dog.self, from: encoded)
        #expect(decoded.name == "Rex")
        #expect(decoded.tricks == ["sit"])
    }

    @Test("A class that shares one map with its superclass round-trips")
    func sharedContainer() throws {
        let encoded = try CBOREncoder().encode(Shapes.Cat(name: "Tom", lives: 9))
        #expect(try CBORValue(decoding: encoded) == ["name": "Tom", "lives": 9])
        let decoded = try CBORDecoder().decode(Shapes.Cat.self, from: encoded)
        #expect(decoded.name == "Tom")
        #expect(decoded.lives == 9)
    }

    @Test("Large maps round-trip when their fields need an index")
    func largeDictionary() throws {
        let dictionary = Dictionary(uniqueKeysWithValues: (0..<2000).map { ("key \($0)", [$0]) })
        try roundTrip(dictionary)
        let encoded = try CBOREncoder().encode(dictionary)
        struct Some: Decodable {
            var values: [Int] = []

            struct Key: CodingKey {
                var stringValue: String
                var intValue: Int? { nil }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                for number in stride(from: 1999, through: 0, by: -1) {
                    values += try container.decode([Int].self, forKey: Key(stringValue: "key \(number)"))
                }
                if container.contains(Key(stringValue: "key 2000")) { values.append(-1) }
            }
        }
        #expect(try CBORDecoder().decode(Some.self, from: encoded).values == Array((0..<2000).reversed()))
    }
}
