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
