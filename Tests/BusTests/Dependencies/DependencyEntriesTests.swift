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
        let entries = try DependencyPayload.decodeFromHost(payload([("c", [3]), ("a", [1]), ("b", [0xF7])]))
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
        #expect(throws: FrameError.self) { try DependencyPayload.decodeFromHost(payload(keys.map { ($0, [1]) })) }
        var parts = SnapshotAssembly()
        _ = try parts.received(part(0, keys.prefix(1)))
        #expect(throws: FrameError.self) { try parts.received(part(1, keys.dropFirst(), isLast: true)) }
        #expect(parts.awaited == nil)
    }

    private func part(_ number: UInt64, _ keys: some Sequence<String>, isLast: Bool = false) -> Frame {
        var frame = Frame(.snapshot)
        frame.part = number
        frame.revision = 1
        if isLast { frame.flags = .last }
        frame.payload = payload(keys.map { ($0, [1]) })
        return frame
    }

    @Test("Parts may come in any order of their keys, and removals are added in their place")
    func parts() throws {
        var parts = SnapshotAssembly()
        _ = try parts.received(part(0, ["m", "n"]))
        _ = try parts.received(part(1, ["x", "y"]))
        let end = try parts.received(part(2, ["a", "o"], isLast: true))
        guard case .complete(let change) = end else {
            Issue.record("\(end)")
            return
        }
        var entries = change.entries
        for key in ["b", "z", ""] { entries.addRemoval(of: key) }
        #expect(entries.keys == ["", "a", "b", "m", "n", "o", "x", "y", "z"])
        #expect(entries["z"] == .some(nil))
        #expect(entries["o"] == .some([1]))
    }

    @Test("A key that would take hours to compare, too many entries, and bytes behind the map are refused")
    func hostile() throws {
        let marks = "a" + String(repeating: "\u{301}", count: 100_000)
        var head = CBORWriter()
        head.writeMapHead(count: 600_000)
        let many = head.bytes + [UInt8](repeating: 0x60, count: 1_200_000)
        // A text in chunks with too many marks, and a map with an odd number of items.
        let chunks: [UInt8] = [0xA1, 0x7F]
        var chunked = CBORWriter()
        for _ in 0..<40 { chunked.writeString("\u{301}") }
        let odd: [UInt8] = [0xBF, 0x61, 0x61, 0x00, 0x61, 0x62, 0xFF]
        let text = Array(marks.utf8)
        let long: [UInt8] =
            [0xA1, 0x7A] + (0..<4).map { UInt8(truncatingIfNeeded: text.count >> (24 - 8 * $0)) } + text + [0]
        for bytes in [long, many, chunks + chunked.bytes + [0xFF, 0x00], odd, [0xA0, 0x00]] {
            #expect(throws: FrameError.self) { try DependencyPayload.decodeFromHost(bytes[...]) }
            #expect(throws: FrameError.self) { try DependencyPayload.decode(bytes[...]) }
        }
    }

    @Test("More entries than a limit are noticed, whether the map says their number or not, and whatever they are")
    func tooMany() {
        let two = payload([("a", [1]), ("b", [2])])
        let open: ArraySlice<UInt8> = [0xBF, 0x61, 0x61, 0x01, 0x61, 0x62, 0x02, 0xFF]
        // Not even the first key can be read.
        let unreadable: ArraySlice<UInt8> = [0xA2, 0xFF, 0xFF, 0xFF, 0xFF]
        for payload in [two, open, unreadable] {
            #expect(DependencyPayload.hasMore(than: 1, in: payload))
            #expect(!DependencyPayload.hasMore(than: 2, in: payload))
        }
        #expect(!DependencyPayload.hasMore(than: 0, in: [0x01]))
        #expect(!DependencyPayload.hasMore(than: 0, in: []))
    }

    @Test("A value that is malformed within leaves the other entries readable")
    func malformedValue() throws {
        // A text that is not UTF-8.
        let bad = payload([("a", [1]), ("bad", [0x61, 0xFF]), ("c", [3])])
        #expect(throws: FrameError.self) { try DependencyPayload.decode(bad) }
        let entries = try DependencyPayload.decodeFromHost(bad)
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
            let entries = try DependencyPayload.decodeFromHost(
                payload(model.shuffled().map { ($0.key, $0.value ?? [0xF7]) }))
            #expect(entries.values == model)
            #expect(entries == DependencyEntries(model))
            for number in 0..<40 { #expect(entries["k\(number)"].map { $0.map { Array($0) } } == model["k\(number)"]) }
            #expect(try DependencyPayload.decode(DependencyPayload.encode(entries)[...]) == entries)
        }
    }
}
