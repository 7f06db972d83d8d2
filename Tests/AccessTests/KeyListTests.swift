import Messaging
import Access
import Bus
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
        ("wall-3 worker KEY old=12 until=2026-01-31T18:00:00Z", "64 hexadecimal digits"),
        ("wall-3 worker KEY old=OTHER", "has its end behind it"),
        ("wall-3 worker KEY until=2026-01-31T18:00:00Z", "has its end behind it"),
        ("wall-3 worker KEY old=OTHER until=late", "'late' is no time"),
        ("wall-3 worker KEY old=KEY until=2026-01-31T18:00:00Z", "the old key is the new one"),
        ("\(String(repeating: "x", count: 101)) worker KEY", "has 101 bytes, of at most 100"),
    ])
    func `A line that cannot be used says why`(line: String, reason: String) throws {
        let line = line.replacing("KEY", with: "\(Keys.key(1))").replacing("OTHER", with: "\(Keys.key(2))")
        let error = #expect(throws: KeyEntry.Invalid.self) { try KeyEntry(line: line) }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func `A line is read from its parts, each of which is one`() throws {
        let key = "\(Keys.key(1))"
        let entry = try KeyEntry(
            name: "a", role: "invitation", key: key, invites: "worker", grants: ["send=b*"], comment: "in the lobby")
        #expect(entry.line == "a invitation \(key) as=worker send=b* # in the lobby")
        let status = entry.status
        #expect(status.name == "a" && status.role == "invitation" && status.invites == "worker" && status.key == key)
        #expect(status.grants == ["send=b*"] && status.comment == "in the lobby" && status.expires == nil)
        for (grant, words) in [
            ("expires=2030-01-31T18:00:00Z", "another field"), ("old=\(key)", "has its end"),
            ("send=a b", "has a space"),
            ("#", "has a space or a '#'"), ("", "is empty"), ("as=viewer", "another field"),
        ] {
            let error = #expect(throws: KeyEntry.Invalid.self) {
                try KeyEntry(name: "a", role: "invitation", key: key, invites: "worker", grants: [grant])
            }
            #expect(error?.reason.contains(words) == true, "\(grant): \(error?.reason ?? "")")
        }
        #expect(throws: KeyEntry.Invalid.self) {
            try KeyEntry(name: "a", role: "worker", key: key, grants: [], comment: "b\nc worker \(key)")
        }
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

    @Test func `A text that is neither a name nor the beginning of a key is not quoted`() {
        let key = "\(Keys.key(0xAB))"
        // A machine may have the name with which an invitation begins.
        for text in ["wall-3", "abababab", key, "b", "scenebus1-wall"] { #expect(KeyList.quoted(text) == "'\(text)'") }
        let part = "scenebus1-" + String(repeating: "A", count: 60)
        for text in ["", "a b", key + "\n", part, " " + part, String(repeating: "a", count: 129)] {
            #expect(KeyList.quoted(text) == "the given text", "\(text)")
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

    // MARK: - Keys that were replaced

    private func replaced(_ until: Date) throws -> KeyEntry {
        var entry = try Keys.entry("a worker send=b", key: 2)
        entry.old = KeyEntry.OldKey(Keys.key(1), until: until)
        return entry
    }

    @Test func `A line has the key before for a while, as it is written`() throws {
        let line = "a worker \(Keys.key(2)) send=b old=\(Keys.key(1)) until=2026-01-31T18:00:00Z # in the lobby"
        let entry = try KeyEntry(line: line)
        let until = try Date("2026-01-31T18:00:00Z", strategy: .iso8601)
        #expect(entry.old == KeyEntry.OldKey(Keys.key(1), until: until))
        #expect(entry.keys == [Keys.key(2), Keys.key(1)])
        #expect(entry.line == line)
        // A person may write the two the other way round.
        let words = "a worker \(Keys.key(2)) until=2026-01-31T18:00:00Z old=\(Keys.key(1))"
        #expect(try KeyEntry(line: words).old == entry.old)
        var list = KeyList(line)
        #expect(list.remove("01010101") == "a")
    }

    @Test func `A key whose rights change keeps the one before, and another key does not`() throws {
        let entry = try replaced(Date(timeIntervalSince1970: 1_900_000_000))
        var list = KeyList(entry.line)
        try list.allow(Keys.entry("a viewer", key: 2))
        #expect(list["a"]?.role == .viewer)
        #expect(list["a"]?.old == entry.old)
        try list.allow(Keys.entry("a viewer", key: 3))
        #expect(list["a"]?.old == nil)
    }

    @Test func `The key before is no other peer's`() throws {
        let line = try replaced(Date()).line
        for other in [
            "b worker \(Keys.key(1))", "b worker \(Keys.key(3)) old=\(Keys.key(1)) until=2026-01-31T18:00:00Z",
        ] {
            let list = KeyList([line, other].joined(separator: "\n"))
            #expect(list.entries.map(\.name) == ["a"])
            #expect(list.problems.first?.contains("is that of line 1, too") == true, "\(list.problems)")
        }
    }

    @Test func `Both keys mean the same until the one before is over`() throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let entry = try replaced(now.addingTimeInterval(10))
        var table = KeyTable().next(KeyList(entry.line))
        #expect(table.count == 1)
        for key in entry.keys { #expect(table.entry(of: key, at: now) == entry) }
        #expect(!table.wasReplaced(Keys.key(1), at: now))
        let later = now.addingTimeInterval(10)
        #expect(table.entry(of: Keys.key(1), at: later) == nil)
        #expect(table.wasReplaced(Keys.key(1), at: later))
        var isChanged = table.removeExpired(at: later)
        #expect(isChanged)
        #expect(table.entry(of: Keys.key(2), at: later) == entry)
        #expect(table.wasReplaced(Keys.key(1), at: later))
        #expect(!table.wasReplaced(Keys.key(2), at: later) && !table.wasReplaced(Keys.key(3), at: later))
        isChanged = table.removeExpired(at: later)
        #expect(!isChanged)
        #expect(table.count == 1)
    }

    @Test func `A key that is replaced takes nothing away, and one that ends does`() throws {
        let entry = try replaced(Date(timeIntervalSince1970: 1_900_000_000))
        let before = KeyTable().next(KeyList("a worker \(Keys.key(1)) send=b"))
        let between = before.next(KeyList(entry.line))
        #expect(between.added(since: before) == [entry])
        #expect(before.added(since: between).isEmpty)
        let after = between.next(KeyList("a worker \(Keys.key(2)) send=b"))
        #expect(between.added(since: after) == [entry])
    }

    @Test func `With the line, both keys expire`() throws {
        let now = Date()
        var entry = try replaced(now.addingTimeInterval(100))
        entry.expires = now.addingTimeInterval(-1)
        let table = KeyTable().next(KeyList(entry.line))
        for key in entry.keys { #expect(table.entry(of: key, at: now) == nil) }
        #expect(!table.wasReplaced(Keys.key(1), at: now))
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
        // Not beside a line for the same name.
        let old = KeyTable().next(KeyList("wall-4 worker \(Keys.key(1))\n"))
        let new = old.next(KeyList("wall worker \(Keys.key(2))\nwall-4 wrker \(Keys.key(1))\n"))
        #expect(new.entry(of: Keys.key(1), at: now) == nil)
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
