import OperatorKit
import SeededRandom
import TestKit
import Testing

/// A grid of cells, and what a terminal is sent to show it.
@Suite(.timeLimit(.minutes(5)))
struct TerminalScreenTests {
    private static func screen(_ rows: String..., columns: Int = 10) -> TerminalScreen {
        var screen = TerminalScreen(.init(columns: columns, rows: rows.count))
        for (row, text) in rows.enumerated() { screen.put(text, at: .init(row: row, column: 0)) }
        return screen
    }

    @Test("Text is cut where the row ends, and half of a wide character is not shown")
    func cut() {
        #expect(Self.screen("0123456789ab").text(row: 0) == "0123456789")
        #expect(Self.screen("a東東東東東").text(row: 0) == "a東東東東")
        var screen = Self.screen("東京")
        screen.put("x", at: .init(row: 0, column: 1))
        #expect(screen.text(row: 0) == " x京")
        screen.put("y", at: .init(row: 0, column: 2))
        #expect(screen.text(row: 0) == " xy")
        screen.put("z", at: .init(row: 7, column: 0))
        #expect(screen.text(row: 0) == " xy")
    }

    @Test("Marks belong to the character before them, and what has too many parts is replaced")
    func marks() {
        #expect(Self.screen("e\u{301}x\u{200B}y").text(row: 0) == "e\u{301}x\u{200B}y")
        #expect(Self.screen("\u{301}x").text(row: 0) == "x")
        let family = "👩" + String(repeating: "\u{200D}👩", count: 1000)
        #expect(Self.screen(family + "a").text(row: 0) == "\u{FFFD}a")
    }

    @Test("Nothing that acts on a terminal comes into a cell")
    func harmless() {
        let output = Self.screen("a\u{1B}[2Jb\u{202E}").output(after: nil)
        #expect(output.contains("a\u{1B}[1;2H\u{FFFD}") || output.contains("a\u{FFFD}"))
        #expect(!output.contains("\u{202E}"))
        // The screen is cleared once, by the drawing itself.
        #expect(output.ranges(of: "\u{1B}[2J").count == 1)
    }

    @Test("The first drawing clears the terminal, and an equal screen sends nothing")
    func first() {
        let screen = Self.screen("abc", "")
        #expect(
            screen.output(after: nil)
                == "\u{1B}[?2026h\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1;1H\u{1B}[0mabc\u{1B}[0m\u{1B}[?2026l")
        #expect(screen.output(after: screen) == "")
    }

    @Test("Only the runs of changed cells are drawn, each from a stated column on")
    func runs() {
        let output = Self.screen("abXdefgYZj", "same").output(after: Self.screen("abcdefghij", "same"))
        #expect(
            output
                == "\u{1B}[?2026h\u{1B}[?25l\u{1B}[1;3H\u{1B}[0mX\u{1B}[1;8HYZ\u{1B}[0m\u{1B}[?2026l")
    }

    @Test("What follows a character whose width is in doubt begins at a stated column, too")
    func doubtful() {
        let output = Self.screen("e\u{301}東x").output(after: nil)
        #expect(output.contains("e\u{301}\u{1B}[1;2H東\u{1B}[1;4Hx"))
    }

    @Test("A wide character is drawn whole when one half of it was something else")
    func wideChange() {
        #expect(Self.screen("東").output(after: Self.screen("ab")).contains("\u{1B}[1;1H\u{1B}[0m東"))
        #expect(Self.screen("ab").output(after: Self.screen("東")).contains("\u{1B}[1;1H\u{1B}[0mab"))
    }

    @Test("The caret is shown at its place, and another size draws all anew")
    func caretAndSize() {
        var screen = Self.screen("abc")
        screen.caret = .init(row: 0, column: 3)
        #expect(screen.output(after: Self.screen("abc")).hasSuffix("\u{1B}[1;4H\u{1B}[?25h\u{1B}[?2026l"))
        #expect(screen.output(after: Self.screen("abc", columns: 9)).contains("\u{1B}[2J"))
    }

    @Test("A change of style alone is drawn")
    func style() {
        var screen = Self.screen("abc")
        screen.restyle(row: 0) { $0.isDim = true }
        #expect(screen.output(after: Self.screen("abc")).contains("\u{1B}[0;2mabc"))
    }

    @Test("After any history of differences, a terminal shows the last screen")
    func histories() {
        let alphabet: [Character] = ["a", "b", " ", "東", "京", "é", "👩‍👩‍👧"]
        var random = SeededGenerator(seed: 7)
        for _ in 0..<50 {
            var terminal = DrawnTerminal(columns: 12, rows: 3)
            var last: TerminalScreen?
            for _ in 0..<20 {
                var screen = TerminalScreen(.init(columns: 12, rows: 3))
                for row in 0..<3 {
                    let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                        alphabet.randomElement(using: &random)!
                    }
                    screen.put(String(text), at: .init(row: row, column: Int.random(in: 0...4, using: &random)))
                }
                terminal.draw(screen.output(after: last))
                last = screen
                for row in 0..<3 { #expect(terminal.text(row: row) == screen.text(row: row)) }
            }
        }
    }
}
