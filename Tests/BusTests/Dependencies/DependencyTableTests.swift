import CBOR
import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(1)))
struct DependencyTableTests {
    @Test func `only what is different is a change`() {
        var table = DependencyTable()
        #expect(table.apply(["a": [1], "b": [2]], owner: "p")?.revision == 1)
        #expect(table.apply(["a": [1]], owner: "p") == nil)
        let change = table.apply(["a": [1], "b": [3]], owner: "p")
        #expect(change == DependencyChange(entries: ["b": [3]], revision: 2, previous: 1))
        // An earlier life of the host may have had it.
        #expect(table.apply(["c": nil], owner: "p")?.revision == 3)
        #expect(table.apply(["c": nil], owner: "p") == nil)
    }

    @Test func `what changed since a revision includes removals, from the start too`() {
        var table = DependencyTable()
        _ = table.apply(["a": [1]], owner: "")
        _ = table.apply(["b": [1]], owner: "")
        _ = table.apply(["a": nil], owner: "")
        #expect(table.changes(after: 2).entries == ["a": nil])
        #expect(table.changes(after: 0).entries == ["a": nil, "b": [1]])
        #expect(table.changes(after: 3).entries == [:])
    }

    @Test func `the payload carries values as they are, and removals`() throws {
        let entries: [String: [UInt8]?] = ["a": [0x82, 1, 2], "gone": nil, "null": [0xF6]]
        #expect(try DependencyPayload.decode(DependencyPayload.encode(entries)[...]) == entries)
        #expect(throws: FrameError.self) { try DependencyPayload.decode([0x01]) }
        #expect(throws: FrameError.self) { try DependencyPayload.decode([0xA1, 0x61]) }
    }

    @Test func `two keys that are equal texts are refused instead of one of them being lost`() throws {
        var writer = CBORWriter()
        writer.writeMapHead(count: 2)
        for key in ["\u{e9}", "e\u{301}"] {
            writer.writeString(key)
            writer.writeNull()
        }
        let error = #expect(throws: FrameError.self) { try DependencyPayload.decode(writer.bytes[...]) }
        #expect(error?.code == .badPayload)
    }

    @Test func `entries are spread over parts that are not larger than asked for`() {
        var entries: [String: [UInt8]?] = ["large": [UInt8](repeating: 0, count: 5000), "removed": nil]
        for number in 0..<100 { entries["key\(number)"] = [UInt8](repeating: 0, count: 90) }
        let parts = DependencyPayload.parts(of: entries, size: 1000)
        #expect(parts.map(\.count).reduce(0, +) == entries.count)
        #expect(parts.reduce(into: [:]) { $0.merge($1) { $1 } } == entries)
        for part in parts where part.count > 1 { #expect(DependencyPayload.encode(part).count <= 1000 + 9) }
        #expect(parts.count >= 11)
        #expect(DependencyPayload.parts(of: entries, size: .max) == [entries])
        #expect(DependencyPayload.parts(of: [:], size: 1000) == [[:]])
    }

    @Test func `the parts do not depend on the dictionary's order`() {
        let keys = (0..<200).map { "key\($0)" }
        let some = Dictionary(uniqueKeysWithValues: keys.map { ($0, [UInt8]?([1, 2, 3])) })
        var same: [String: [UInt8]?] = [:]
        same.reserveCapacity(5000)
        for key in keys.reversed() { same[key] = [1, 2, 3] }
        #expect(DependencyPayload.parts(of: some, size: 100) == DependencyPayload.parts(of: same, size: 100))
    }

    @Test func `an entry that fits into no frame is refused by its name, the largest that is not fits`() throws {
        let limit = DependencyPayload.maximumEntry
        let head = 5
        let largest =
            [0x5A] + (0..<4).map { UInt8(truncatingIfNeeded: (limit - 3 - head) >> (24 - 8 * $0)) }
            + [UInt8](repeating: 0, count: limit - 3 - head)
        try DependencyPayload.check(largest, key: "map")
        try DependencyPayload.check(nil, key: "map")
        #expect(DependencyPayload.encode(["map": largest]).count <= Frame.maximumMade - Frame.headerSize)
        let error = #expect(throws: FrameError.self) {
            try DependencyPayload.check(largest + [0x60], key: "map")
        }
        #expect(error?.code == .tooLarge)
        for word in ["'map'", "\(limit + 1)", "\(limit)"] { #expect(error?.description.contains(word) == true) }
    }

    @Test func `an entry that nobody could read in the container is refused, the deepest that can be read is not`()
        throws
    {
        let deepest = [UInt8](repeating: 0x81, count: 31) + [0]
        try DependencyPayload.check(deepest, key: "menu")
        #expect(try DependencyPayload.decode(DependencyPayload.encode(["menu": deepest])[...]) == ["menu": deepest])
        #expect(throws: FrameError.self) { try DependencyPayload.check([0x81] + deepest, key: "menu") }
        let count = 999_990
        let longest =
            [0x9A] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
            + [UInt8](repeating: 0, count: count)
        try DependencyPayload.check(longest, key: "list")
        #expect(try DependencyPayload.decode(DependencyPayload.encode(["list": longest])[...]) == ["list": longest])
        let tooLong = [0x9A, 0, 0x0F, 0x42, 0x40] + [UInt8](repeating: 0, count: 1_000_000)
        let error = #expect(throws: FrameError.self) { try DependencyPayload.check(tooLong, key: "list") }
        #expect(error?.description.contains("'list'") == true)
    }
}
