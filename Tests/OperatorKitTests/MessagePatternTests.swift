import OperatorKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MessagePatternTests {
    @Test(
        "A pattern matches the whole name, with a shell's wildcards",
        arguments: [
            ("account*", "accountLogin", true), ("account*", "myaccount", false), ("*Login", "accountLogin", true),
            ("a*n", "accountLogin", true), ("a*x*n", "accountLogin", false), ("accountLogin", "accountLogin", true),
            ("account", "accountLogin", false), ("*", "", true), ("*", "post", true), ("", "post", false),
            ("po?t", "post", true), ("account", "account\0evil", false), ("account*", "account\0evil", true),
            ("aba*aba", "aba", false), ("host[SW]*", "hostSessions", true),
        ])
    func matches(pattern: String, name: String, isMatch: Bool) {
        #expect(MessagePattern(pattern).matches(name) == isMatch)
    }
}
