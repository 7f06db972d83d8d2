import SeededRandom
import CBOR
import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct DependencyRevisionsTests {
    @Test func `Only a different value is a change`() {
        var table = DependencyRevisions()
        #expect(table.apply(["a": [1], "b": [2]], owner: "p")?.revision == 1)
        #expect(table.apply(["a": [1]], owner: "p") == nil)
        let change = table.apply(["a": [1], "b": [3]], owner: "p")
        #expect(change == DependencyChange(entries: ["b": [3]], revision: 2, previous: 1))
        // An earlier life of the host may have had the entry, so its removal is a change.
        #expect(table.apply(["c": nil], owner: "p")?.revision == 3)
        #expect(table.apply(["c": nil], owner: "p") == nil)
    }

    @Test func `The changes since any revision include removals`() {
        var table = DependencyRevisions()
        _ = table.apply(["a": [1]], owner: "")
        _ = table.apply(["b": [1]], owner: "")
        _ = table.apply(["a": nil], owner: "")
        #expect(table.changes(after: 2).entries == ["a": nil])
        #expect(table.changes(after: 0).entries == ["a": nil, "b": [1]])
        #expect(table.changes(after: 3).entries == [:])
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `The changes since any revision are found in parts of any size, while the table changes`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = DependencyRevisions()
        var states: [[String: [UInt8]?]] = [[:]]
        for step in 0..<300 {
            let keys = (0...random.next() % 3).map { _ in "k\(random.next() % 20)" }
            let value: [UInt8]? = random.next() % 5 == 0 ? nil : [UInt8(truncatingIfNeeded: step)]
            _ = table.apply(Dictionary(keys.map { ($0, value) }) { $1 }, owner: "")
            while states.count <= Int(table.revision) { states.append(states.last ?? [:]) }
            for key in keys { states[Int(table.revision)].updateValue(table.entry(of: key)?.value, forKey: key) }
        }
        for known in [0, 1, 7, table.revision / 2, table.revision - 1, table.revision] {
            var snapshot = table.snapshot(after: known)
            var sum = states[Int(known)]
            var keys: [String] = []
            var part: UInt64 = 0
            while let (entries, isLast) = snapshot.part(part, size: Int(random.next() % 40)) {
                for (key, value) in entries { sum.updateValue(value, forKey: key) }
                keys += entries.map(\.key)
                // The table changes meanwhile.
                _ = table.apply(["k\(random.next() % 20)": [UInt8(truncatingIfNeeded: random.next())]], owner: "")
                part += 1
                if isLast { break }
            }
            #expect(sum == states[Int(known)].merging(states[Int(snapshot.revision)]) { $1 })
            #expect(Set(keys).count == keys.count)
            while states.count <= Int(table.revision) { states.append([:]) }
            states[Int(table.revision)] = Dictionary(
                uniqueKeysWithValues: table.entries.map { ($0.key, $0.value.value) })
        }
    }

    @Test func `Entries are listed page by page in the order they were set, and a changed one is listed again`() {
        var table = DependencyRevisions()
        _ = table.apply(["a": [1], "b": [2], "c": [3]], owner: "p")
        _ = table.apply(["d": [UInt8](repeating: 0, count: 100)], owner: "q")
        _ = table.apply(["gone": [1]], owner: "q")
        _ = table.apply(["gone": nil], owner: "q")
        func page(_ revision: UInt64, _ key: String, size: Int = 100, count: Int = 100) -> ([String], Bool) {
            let (entries, hasMore) = table.list(after: revision, key, size: size, count: count)
            return (entries.map(\.key), hasMore)
        }
        #expect(page(0, "") == (["a", "b", "c"], true))
        #expect(page(0, "", count: 2) == (["a", "b"], true))
        #expect(page(1, "b", size: 1) == (["c"], true))
        #expect(page(1, "c", size: 1) == (["d"], false))
        _ = table.apply(["a": [9]], owner: "p")
        #expect(page(1, "c", size: 1000) == (["d", "a"], false))
        #expect(page(5, "a") == ([], false))
        #expect(table.entry(of: "a")?.owner == "p")
    }

    @Test func `Entries that change again and again do not make the history grow`() {
        var table = DependencyRevisions()
        for number in 0..<10_000 {
            _ = table.apply(["k\(number % 10)": [UInt8(number % 24), UInt8(number / 24 % 250)]], owner: "")
        }
        #expect(table.history.count < 100)
        #expect(table.changes(after: 0).entries.count == 10)
    }

    @Test func `The payload carries values unchanged and marks removals`() throws {
        let entries: [String: [UInt8]?] = ["a": [0x82, 1, 2], "gone": nil, "null": [0xF6]]
        #expect(try DependencyPayload.decode(DependencyPayload.encode(entries)[...]) == DependencyEntries(entries))
        #expect(throws: FrameError.self) { try DependencyPayload.decode([0x01]) }
        #expect(throws: FrameError.self) { try DependencyPayload.decode([0xA1, 0x61]) }
    }

    @Test func `Two keys that are canonically equivalent are refused`() throws {
        var writer = CBORWriter()
        writer.writeMapHead(count: 2)
        for key in ["\u{e9}", "e\u{301}"] {
            writer.writeString(key)
            writer.writeNull()
        }
        let error = #expect(throws: FrameError.self) { try DependencyPayload.decode(writer.bytes[...]) }
        #expect(error?.code == .badPayload)
    }

    @Test func `Entries are split into parts no larger than requested`() {
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

    @Test func `The parts do not depend on the dictionary's order`() {
        let keys = (0..<200).map { "key\($0)" }
        let some = Dictionary(uniqueKeysWithValues: keys.map { ($0, [UInt8]?([1, 2, 3])) })
        var same: [String: [UInt8]?] = [:]
        same.reserveCapacity(5000)
        for key in keys.reversed() { same[key] = [1, 2, 3] }
        #expect(DependencyPayload.parts(of: some, size: 100) == DependencyPayload.parts(of: same, size: 100))
    }

    @Test func `An entry too large for a frame is refused by name, and the largest possible entry fits`() throws {
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

    @Test func `An entry too deep or too long to decode is refused, and one at the limits is accepted`() throws {
        let deepest = [UInt8](repeating: 0x81, count: 31) + [0]
        try DependencyPayload.check(deepest, key: "menu")
        #expect(
            try DependencyPayload.decode(DependencyPayload.encode(["menu": deepest])[...]) == ["menu": deepest[...]])
        #expect(throws: FrameError.self) { try DependencyPayload.check([0x81] + deepest, key: "menu") }
        let count = 999_990
        let longest =
            [0x9A] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
            + [UInt8](repeating: 0, count: count)
        try DependencyPayload.check(longest, key: "list")
        #expect(
            try DependencyPayload.decode(DependencyPayload.encode(["list": longest])[...]) == ["list": longest[...]])
        let tooLong = [0x9A, 0, 0x0F, 0x42, 0x40] + [UInt8](repeating: 0, count: 1_000_000)
        let error = #expect(throws: FrameError.self) { try DependencyPayload.check(tooLong, key: "list") }
        #expect(error?.description.contains("'list'") == true)
    }
}

extension DependencyRevisions {
    /// Returns all parts of a snapshot, merged.
    func changes(after known: UInt64) -> DependencyChange {
        var snapshot = snapshot(after: known)
        var sum: [String: [UInt8]?] = [:]
        var number: UInt64 = 0
        while let (entries, isLast) = snapshot.part(number, size: 1 << 10) {
            for (key, value) in entries { sum.updateValue(value, forKey: key) }
            if isLast { break }
            number += 1
        }
        return DependencyChange(
            entries: DependencyEntries(sum), revision: snapshot.revision, previous: known)
    }
}
