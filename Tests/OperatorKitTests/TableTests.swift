import OperatorKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TableTests {
    @Test("The columns of a table are as wide as their widest cells, and the last one is not padded")
    func columns() {
        var table = Table("NAME", "STATE")
        table.add("a", "running")
        table.add("longer name", "x")
        #expect(table.lines == ["NAME         STATE", "a            running", "longer name  x"])
    }

    @Test("The columns are aligned on the terminal, also for characters of two columns, and for combining marks")
    func wide() {
        var table = Table("NAME", "STATE")
        table.add("東京", "a")
        table.add("e\u{301}te\u{301}", "b")
        table.add("👩‍👩‍👧", "c")
        #expect(table.lines == ["NAME  STATE", "東京  a", "e\u{301}te\u{301}   b", "👩‍👩‍👧    c"])
    }

    @Test("One column is shortened to the width of the terminal, and only there")
    func fits() {
        var table = Table("NAME", "ADDS", "PID", flexible: "ADDS")
        table.add("machine", "alertAcknowledge .cpu .memory", "4711")
        table.add("東", "東京東京東京", "1")
        #expect(table.lines.last == "東       東京東京東京                   1")
        let lines = table.lines(width: 24)
        #expect(lines == ["NAME     ADDS       PID", "machine  alertAck…  4711", "東       東京東京…  1"])
        #expect(lines.allSatisfy { $0.displayWidth <= 24 })
        #expect(table.lines(width: 200) == table.lines)
    }

    @Test("A note has a line of its own below its row, and does not widen the columns")
    func notes() {
        var table = Table("NAME", "STATE")
        table.add("a", "waiting", note: "ended with\ncode 7: a long reason")
        table.add("b", "attached")
        #expect(
            table.lines == [
                "NAME  STATE", "a     waiting", "  ended with\u{FFFD}code 7: a long reason", "b     attached",
            ])
    }

    @Test("A cell is bounded")
    func longCell() {
        var table = Table("NAME", "STATE")
        table.add(String(repeating: "x", count: 1 << 20), "a")
        #expect(table.lines[1].count < 1100)
    }

    @Test("What would act on the terminal is removed from cells")
    func printable() {
        var table = Table("NAME")
        table.add("a\u{1B}[2Jb\nc")
        #expect(table.lines == ["NAME", "a\u{FFFD}[2Jb\u{FFFD}c"])
    }

    @Test("A table with a header only is empty")
    func empty() {
        var table = Table("NAME")
        #expect(table.isEmpty)
        table.add("a")
        #expect(!table.isEmpty)
    }
}
