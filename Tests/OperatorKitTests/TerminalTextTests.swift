import OperatorKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TerminalTextTests {
    @Test(
        "Text without control characters is unchanged",
        arguments: ["", "wall-1", "Grüße, 東京", "👩‍👩‍👧 e\u{301}", "a b", "\u{200B}\u{AD}"])
    func plain(text: String) {
        #expect(text.printable == text)
    }

    @Test(
        "Each control character is replaced by one replacement character",
        arguments: [
            ("\u{1B}[2Jgone", "\u{FFFD}[2Jgone"), ("a\r\nb", "a\u{FFFD}\u{FFFD}b"), ("a\tb\u{7}", "a\u{FFFD}b\u{FFFD}"),
            ("\u{9B}31m", "\u{FFFD}31m"), ("\u{0}\u{7F}", "\u{FFFD}\u{FFFD}"),
            ("a\u{2028}b\u{2029}", "a\u{FFFD}b\u{FFFD}"),
            ("exe.\u{202E}txt", "exe.\u{FFFD}txt"), ("\u{2066}x\u{2069}", "\u{FFFD}x\u{FFFD}"),
        ])
    func replaced(text: String, shown: String) {
        #expect(text.printable == shown)
    }

    @Test("Each of several lines is cleaned, and the line breaks stay")
    func lines() {
        #expect("one\u{1B}\n\ntwo\n".printableLines == "one\u{FFFD}\n\ntwo\n")
    }

    @Test(
        "A line of output keeps its tabs, and loses colours and what was written over",
        arguments: [
            ("a\tb", "a\tb"), ("\u{1B}[31mred\u{1B}[0m", "red"), ("10 %\r20 %", "20 %"), ("10 %\r", "10 %"),
            ("bell\u{7}", "bell\u{FFFD}"), ("\u{1B}]0;no end", "\u{FFFD}]0;no end"), ("", ""),
        ])
    func output(text: String, shown: String) {
        #expect(text.printableOutput == shown)
    }

    @Test("In JSON, control characters become escapes and nothing is lost")
    func json() {
        #expect("{\"a\":\"exe.\u{202E}txt\u{9B}\u{2028}\"}".printableJSON == #"{"a":"exe.\u202etxt\u009b\u2028"}"#)
        #expect("{\"a\":\"Grüße, 東京\"}".printableJSON == "{\"a\":\"Grüße, 東京\"}")
    }
}
