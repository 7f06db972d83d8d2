import CBOR
import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct DependencyEntriesTests {
    /// Encodes entries in the given order, which may repeat keys.
    private func payload(_ entries: [(String, [UInt8])]) -> ArraySlice<UInt8> {
        var writer = CBORWriter()
        writer.writeMapHead(count: entries.count)
        for (key, value) in entries {
            writer.writeString(key)
            writer.writeRaw(value[...])
        }
        return writer.bytes[...]
    }

    @Test("Entries in any order are read, and found by key")
    func order() throws {
        let entries = try DependencyPayload.decode(payload([("c", [3]), ("a", [1]), ("b", [0xF7])]))
        #expect(entries.keys == ["a", "b", "c"])
        #expect(entries["a"] == .some([1]))
        #expect(entries["b"] == .some(nil))
        #expect(entries["c"] == .some([3]))
        for missing in ["", "aa", "d"] { #expect(entries[missing] == nil) }
        #expect(entries == ["a": [1], "b": nil, "c": [3]])
        #expect(entries.values == ["a": [1], "b": nil, "c": [3]])
    }

    @Test(
        "Two entries with the same key are refused, next to each other or not, in one part or in two",
        arguments: [["a", "a"], ["a", "b", "a"], ["b", "a", "b"], ["\u{e9}", "e\u{301}"]])
    func duplicates(keys: [String]) throws {
        #expect(throws: FrameError.self) { try DependencyPayload.decode(payload(keys.map { ($0, [1]) })) }
        var entries = try DependencyPayload.decode(payload([(keys[0], [1])]))
        #expect(throws: FrameError.self) {
            try DependencyPayload.decode(payload(keys.dropFirst().map { ($0, [1]) }), into: &entries)
        }
    }

    @Test("Parts are added in any order, and removals in their place")
    func parts() throws {
        var entries = try DependencyPayload.decode(payload([("m", [1]), ("n", [2])]))
        try DependencyPayload.decode(payload([("x", [3]), ("y", [4])]), into: &entries)
        try DependencyPayload.decode(payload([("a", [5]), ("o", [6])]), into: &entries)
        for key in ["b", "z", ""] { entries.addRemoval(of: key) }
        #expect(entries.keys == ["", "a", "b", "m", "n", "o", "x", "y", "z"])
        #expect(entries["z"] == .some(nil))
        #expect(entries["o"] == .some([6]))
    }

    @Test("A value that is malformed within leaves the other entries readable")
    func malformedValue() throws {
        // A text that is not UTF-8.
        let entries = try DependencyPayload.decode(payload([("a", [1]), ("bad", [0x61, 0xFF]), ("c", [3])]))
        #expect(entries["a"] == .some([1]))
        #expect(entries["bad"] == .some([0x61, 0xFF]))
        // A value that is longer than the payload is no entry.
        #expect(throws: FrameError.self) {
            try DependencyPayload.decode(payload([("a", [1]), ("bad", [0x62, 0x61])]))
        }
    }

    @Test("Random entries are the same as in a dictionary")
    func random() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var model: [String: [UInt8]?] = [:]
            for _ in 0..<Int.random(in: 0...30, using: &generator) {
                model.updateValue(
                    Bool.random() ? [UInt8.random(in: 0..<24)] : nil, forKey: "k\(Int.random(in: 0..<40))")
            }
            let entries = try DependencyPayload.decode(
                payload(model.shuffled().map { ($0.key, $0.value ?? [0xF7]) }))
            #expect(entries.values == model)
            #expect(entries == DependencyEntries(model))
            for number in 0..<40 { #expect(entries["k\(number)"].map { $0.map { Array($0) } } == model["k\(number)"]) }
            #expect(try DependencyPayload.decode(DependencyPayload.encode(entries)[...]) == entries)
        }
    }
}
