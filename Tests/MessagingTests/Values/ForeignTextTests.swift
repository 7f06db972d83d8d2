import Messaging
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ForeignTextTests {
    @Test("Text without control characters is unchanged", arguments: ["", "wall-1", "Grüße, 東京", "👩‍👩‍👧 e\u{301}"])
    func plain(text: String) {
        #expect(String(foreign: text) == text)
    }

    @Test(
        "Control characters are written as escapes",
        arguments: [
            ("a\nb\r\n", "a\\nb\\r\\n"), ("a\tb", "a\\tb"), ("\u{1B}[2J", "\\u{1b}[2J"), ("\u{9B}1m", "\\u{9b}1m"),
            ("exe.\u{202E}txt", "exe.\\u{202e}txt"), ("a\u{2028}", "a\\u{2028}"),
        ])
    func escaped(text: String, shown: String) {
        #expect(String(foreign: text) == shown)
    }

    @Test("Long text is cut, and text of the maximum length is not")
    func cut() {
        let whole = String(repeating: "x", count: String.maximumForeignText)
        #expect(String(foreign: whole) == whole)
        #expect(String(foreign: whole + "y") == whole + "…")
        #expect(String(foreign: "abcdef", maximumLength: 3) == "abc…")
    }

    @Test("An error is written like a text")
    func errors() {
        let error: any Error = RemoteError(type: "E", message: "no\nway")
        #expect(String(foreign: error) == "no\\nway")
    }

    @Test(
        "Sequences that control a terminal are left out",
        arguments: [
            ("plain", "plain"), ("\u{1B}[31mred\u{1B}[0m text", "red text"), ("a\u{1B}[2Kb\u{9B}1;31mc", "abc"),
            ("\u{1B}]0;title\u{7}a\u{1B}]8;;x\u{1B}\\b", "ab"), ("\u{1B}(Ba\u{1B}7b", "ab"),
        ])
    func sequences(text: String, shown: String) {
        #expect(text.withoutTerminalSequences == shown)
    }

    @Test(
        "What only begins like a sequence hides nothing",
        arguments: ["\u{1B}", "a\u{1B}[", "\u{1B}[31", "\u{1B}]0;no end", "\u{1B}]0;x\u{1B}é", "\u{1B}[é"])
    func unfinishedSequences(text: String) {
        #expect(text.withoutTerminalSequences == text)
    }
}
