import Testing

@testable import Bus

struct BusNameTests {
    @Test(arguments: [
        "default", "wall-1", "a", "7", "a.b", "lobby_2", "Küche", "上海", "हिन्दी", String(repeating: "x", count: 128),
    ])
    func `Letters and digits of any script are a name, with '-', '_' and '.' between them`(text: String) throws {
        #expect(try BusName(text).text == text)
    }

    @Test(
        arguments: [
            ("", "is empty"), (".", "begins with '.'"), ("..", "begins with '.'"), ("-v", "begins with '-'"),
            ("_x", "begins with '_'"), ("\u{301}a", "begins with U+0301"), ("a/b", "has '/'"), ("../bus", "begins"),
            ("a b", "has a space"), ("a\nb", "has U+000A"), ("a\u{0}", "has U+0000"), ("a:b", "has ':'"),
            ("wall\u{200B}", "has U+200B"), ("a\u{3164}", "has U+3164"), ("\u{202E}wall", "begins with U+202E"),
            ("a🙂", "has U+1F642"), ("host", "is reserved"), ("everyone", "is reserved"), ("*", "begins with '*'"),
            (String(repeating: "x", count: 129), "has 129 bytes"),
        ])
    func `The error for anything else says the rule and what is wrong`(text: String, problem: String) throws {
        let error = try #require(throws: BusName.Invalid.self) { try BusName(text) }
        #expect(error.description.contains(problem))
        #expect(error.description.hasSuffix(BusName.rule))
    }

    @Test func `The error shows no character that a terminal could interpret, and only the beginning of a long text`()
        throws
    {
        let error = try #require(throws: BusName.Invalid.self) {
            try BusName("a\u{1B}[31m\u{202E}" + String(repeating: "b", count: 5000))
        }
        #expect(!error.description.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
        #expect(error.description.utf8.count < 300)
    }

    @Test func `Two processes with the same id and process ID have different names, and each keeps its own`() throws {
        let id = try BusName("lobby")
        let name = BusName.unique(id, pid: 7, life: 1)
        #expect(name == BusName.unique(id, pid: 7, life: 1))
        #expect(name != BusName.unique(id, pid: 7, life: 2))
        #expect(BusName.unique(id, pid: 7) == BusName.unique(id, pid: 7))
        #expect(name.text.hasPrefix("lobby-7-"))
        #expect(name.text.utf8.count == "lobby-7-".utf8.count + 4)
        // It is a name, too.
        #expect(try BusName(name.text) == name)
    }

    @Test func `The name that is made of the longest id is still a name`() throws {
        let id = try BusName(String(repeating: "上", count: 42))
        let name = BusName.unique(id, pid: .max, life: .max)
        #expect(try BusName(name.text) == name)
    }
}
