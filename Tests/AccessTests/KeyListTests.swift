import Messaging
import Access
import Foundation
import Testing

struct KeyListTests {
    @Test func `A line is read as it is written`() throws {
        let line =
            "wall-3 worker \(Keys.key(7)) send=account* send=alertShow offer=Wall added=2026-01-31T18:00:00Z "
            + "expires=2027-01-31T18:00:00Z # in the lobby"
        let entry = try KeyEntry(line: line)
        #expect(entry.name == "wall-3")
        #expect(entry.role == .worker)
        #expect(entry.key == Keys.key(7))
        #expect(entry.grants.texts == ["send=account*", "send=alertShow", "offer=Wall"])
        #expect(entry.comment == "in the lobby")
        #expect(entry.line == line)
        #expect(entry.isExpired(at: try Date("2027-01-31T18:00:00Z", strategy: .iso8601)))
        #expect(!entry.isExpired(at: try Date("2027-01-31T17:59:59Z", strategy: .iso8601)))
    }

    @Test(arguments: [
        ("wall-3 worker", "a name, a role and a key"), ("host worker KEY", "is reserved"),
        ("wall-3 driver KEY", "'driver' is no role"), ("wall-3 worker 123", "64 hexadecimal digits"),
        ("wall-3 worker KEY fly=north", "'fly=north' is no grant"), ("wall-3 worker KEY send=", "is no pattern"),
        ("wall-3 worker KEY send=a*b", "is no pattern"), ("wall-3 worker KEY expires=soon", "'soon' is no time"),
        ("wall-3 worker KEY as=operator", "'as=operator' is no grant"), ("wall-3 invitation KEY", "says what for"),
        ("wall-3 invitation KEY as=invitation", "is no role to be invited to"),
    ])
    func `A line that cannot be used says why`(line: String, reason: String) throws {
        let line = line.replacing("KEY", with: "\(Keys.key(1))")
        let error = #expect(throws: KeyEntry.Invalid.self) { try KeyEntry(line: line) }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func `What is no key is kept, in its place`() throws {
        let text = """
            # the walls
            wall-1 worker \(Keys.key(1))

            wall-2 driver \(Keys.key(2))
            desk operator \(Keys.key(3))

            """
        var list = KeyList(text)
        #expect(list.text == text)
        #expect(list.entries.map(\.name) == ["wall-1", "desk"])
        #expect(list.problems.count == 1)
        #expect(list.problems.first?.hasPrefix("line 4: 'driver' is no role") == true)
        try list.set(Keys.entry("wall-1 viewer", key: 1))
        try list.set(Keys.entry("late plugin", key: 4))
        #expect(
            list.text.split(separator: "\n").map { $0.prefix(6) } == ["# the ", "wall-1", "wall-2", "desk o", "late p"])
        #expect(list["wall-1"]?.role == .viewer)
    }

    @Test(arguments: [
        ("b worker KEY1", "the key of 'b' is that of line 1"), ("a worker KEY2", "the name 'a' is that of line 1"),
        ("a-1 worker KEY2", "among the names of the peers of 'a'"),
    ])
    func `A key has one name, and a peer's name belongs to one key`(second: String, reason: String) throws {
        let lines = ["a worker KEY1", second].map {
            $0.replacing("KEY1", with: "\(Keys.key(1))").replacing("KEY2", with: "\(Keys.key(2))")
        }
        let list = KeyList(lines.joined(separator: "\n"))
        #expect(list.entries.count == 1)
        #expect(list.problems.first?.contains(reason) == true, "\(list.problems)")
        let reversed = KeyList(lines.reversed().joined(separator: "\n"))
        #expect(reversed.entries.count == 1)
        var edited = KeyList(lines[0])
        if let entry = try? KeyEntry(line: lines[1]), entry.name != "a" {
            #expect(throws: KeyEntry.Invalid.self) { try edited.set(entry) }
        }
    }

    @Test func `A line is removed by its name or the beginning of its key, also one that cannot be used`() throws {
        var list = KeyList("a worker \(Keys.key(0xAB))\nb worker \(Keys.key(0xAC))\nc driver x\n")
        #expect(list.remove("abab") == nil)
        #expect(list.remove("abababab") == "a")
        #expect(list.remove("a") == nil)
        #expect(list.remove("c") == "c")
        #expect(list.remove("b") == "b")
        #expect(list.lines.isEmpty)
    }

    // MARK: - What is in force

    @Test func `A line that has become unusable stays in force as it was, and all others are in force at once`() throws
    {
        let now = Date()
        let table = KeyTable().next(KeyList("a worker \(Keys.key(1))\nb worker \(Keys.key(2))\n"))
        let next = table.next(KeyList("a wrker \(Keys.key(1))\nc worker \(Keys.key(3))\n"))
        #expect(next.entry(of: Keys.key(1), at: now)?.role == .worker)
        #expect(next.entry(of: Keys.key(2), at: now) == nil)
        #expect(next.entry(of: Keys.key(3), at: now)?.name == "c")
        // Once it is removed, it is over.
        #expect(next.next(KeyList("c worker \(Keys.key(3))")).entry(of: Keys.key(1), at: now) == nil)
        // At the start there is nothing that it could stay.
        #expect(KeyTable().next(KeyList("a wrker \(Keys.key(1))")).count == 0)
    }

    @Test func `A key that has expired is not in force any more`() throws {
        let now = Date()
        var entry = try Keys.entry("a worker")
        entry.expires = now.addingTimeInterval(10)
        var table = KeyTable().next(KeyList(entry.line))
        #expect(table.entry(of: entry.key, at: now) != nil)
        #expect(table.removeExpired(at: now) == false)
        #expect(table.entry(of: entry.key, at: now.addingTimeInterval(11)) == nil)
        #expect(table.removeExpired(at: now.addingTimeInterval(11)) == true)
        #expect(table.count == 0)
        #expect(table.removeExpired(at: now.addingTimeInterval(12)) == false)
    }
}
