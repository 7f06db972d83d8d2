import Bus
import Testing

@testable import SceneHost

/// What of a process's output is in the host's log, and how.
@Suite(.timeLimit(.minutes(5)))
struct NamedLinesTests {
    private let start = MonotonicInstant.now

    private func add(_ text: String, to lines: inout NamedLines, after time: Duration = .zero) -> String {
        let added = Array(text.utf8).withUnsafeBytes { lines.add($0, at: start + time) }
        return String(decoding: added, as: UTF8.self)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("Each line is whole and has the name before it")
    func wholeLines() {
        var lines = NamedLines(name: "mail")
        #expect(add("one\ntw", to: &lines) == "mail: one\n")
        #expect(add("o", to: &lines) == "")
        #expect(add("\n\nthree\r\n", to: &lines) == "mail: two\nmail: \nmail: three\n")
        #expect(lines.due == nil)
        #expect(text(lines.finish()) == "")
    }

    @Test("A line without an end is shown after a moment, and its rest is a line of its own")
    func unfinished() {
        var lines = NamedLines(name: "mail")
        #expect(add("password: ", to: &lines) == "")
        #expect(lines.due == start + NamedLines.patience)
        // What is added does not make it wait longer.
        #expect(add("(hidden) ", to: &lines, after: .milliseconds(500)) == "")
        #expect(lines.due == start + NamedLines.patience)
        #expect(text(lines.lookAgain(at: start + .milliseconds(999))) == "")
        #expect(text(lines.lookAgain(at: start + .seconds(1))) == "mail: password: (hidden) \n")
        #expect(lines.due == nil)
        // The end alone makes no line.
        #expect(add("\nready\n", to: &lines, after: .seconds(2)) == "mail: ready\n")
        #expect(add("bye", to: &lines, after: .seconds(3)) == "")
        #expect(text(lines.finish()) == "mail: bye\n")
    }

    @Test("Nothing acts on a terminal; tabs and other languages stay, and of a progress the last state is shown")
    func cleaned() {
        var lines = NamedLines(name: "mail")
        #expect(add("a\tb\u{1B}[31mred\u{1B}[0m\n", to: &lines) == "mail: a\tbred\n")
        #expect(add("\u{7}grün\n", to: &lines) == "mail: \u{FFFD}grün\n")
        #expect(add("10 %\r20 %\r30 %\n", to: &lines) == "mail: 30 %\n")
    }

    @Test("A line without end is bounded, and nothing of it is lost")
    func longLine() {
        var lines = NamedLines(name: "mail")
        let text = String(repeating: "x", count: OutputLog.maximumLine)
        #expect(add(text + "yz\n", to: &lines) == "mail: \(text)\nmail: yz\n")
    }
}
