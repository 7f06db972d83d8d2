import CBOR
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CBORMapTests {
    @Test("Entries are found without decoding the values")
    func entries() throws {
        let encoded = bytes(hexadecimal: "c1a3 6161 9f01ff 780162 c2f93c00 7f61636164ff a16178f6")
        for part in [encoded[...], ([7, 7] + encoded + [7])[2..<encoded.count + 2]] {
            let entries = try CBORMap.entries(of: part)
            #expect(entries.map(\.key) == ["a", "b", "cd"])
            #expect(entries.map { hexadecimal($0.value) } == ["9f01ff", "c2f93c00", "a16178f6"])
        }
        #expect(try CBORMap.entries(of: [0xa0]).isEmpty)
        #expect(try CBORMap.entries(of: [0xbf, 0xff]).isEmpty)
    }

    @Test("Entries and hand-written maps preserve values")
    func carrying() throws {
        let entries = try CBORMap.entries(of: CBOREncoder().encode(Shapes.team))
        var writer = CBORWriter()
        writer.writeMapHead(count: entries.count)
        for entry in entries.reversed() {
            writer.writeString(entry.key)
            writer.writeRaw(entry.value)
        }
        #expect(try CBORDecoder().decode(Shapes.Team.self, from: writer.bytes) == Shapes.team)
    }

    @Test("Only maps with text keys have entries")
    func otherItems() {
        #expect(throws: CBORError(.notATextKeyedMap, at: 0)) { try CBORMap.entries(of: [0x80]) }
        #expect(throws: CBORError(.notATextKeyedMap, at: 1)) { try CBORMap.entries(of: [0xa1, 0x01, 0x02]) }
        #expect(throws: CBORError(.tooDeep, at: 0)) {
            try CBORMap.entries(of: [0xa0], limits: CBORLimits(maximumDepth: 0))
        }
    }

    @Test("A key exists once: setting it replaces, appends or removes")
    func mutation() {
        var map: CBORMap = ["a": 1, "b": 2, "a": 3]
        #expect(map.entries == [.init(key: "a", value: 3), .init(key: "b", value: 2)])
        map["c"] = 4
        map["a"] = nil
        map["b"] = "x"
        map["missing"] = nil
        #expect(map == ["b": "x", "c": 4])
        #expect(map["b"] == "x")
        #expect(map["a"] == nil)
        #expect(CBORMap() == [:])
    }
}
