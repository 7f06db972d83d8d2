import ConsoleModel
import Testing

/// The pages to which a login leads.
@Suite(.timeLimit(.minutes(1)))
struct PageTargetTests {
    @Test(
        "A page of the console can be led to, with what its address says",
        arguments: [
            "/", "/?only=sessions&q=a+b", "/open/Desk", "/open/Desk?ask=1", "/scenes/ab-1", "/sessions/a%2Fb",
            "/sessions/a/close", "/workers/w-1", "/entries",
        ])
    func pages(path: String) {
        #expect(PageTarget(path)?.path == path)
    }

    @Test(
        "Nothing else can be led to, and no other site",
        arguments: [
            "", "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "https://evil.example/",
            "http:evil.example", "javascript:alert(1)", "/\t/evil.example", " /", "/open/Desk\r\nSet-Cookie: a=b",
            "/open/\\evil", "/open/Desk#x", "/open/Desk;a", "/open/\"><script>", "/open/ü", "/nowhere",
            "/scenes/..//evil.example", "/login?token=1", "/logout", "/scenes/a/events", "/scenes/a/act", "/stay",
            "/wall/Lobby?device=1", "/script.js", "/open/\(String(repeating: "%41", count: 400))",
        ])
    func others(text: String) {
        #expect(PageTarget(text) == nil)
    }

    @Test("A browser asks for a page, or for nothing in particular")
    func asked() {
        func asked(_ target: String, _ method: String = "GET", accept: String = "") -> String? {
            PageTarget(askedBy: RequestHead(method: method, target: target, host: nil, accept: accept))?.path
        }
        #expect(asked("/open/Desk") == "/open/Desk" && asked("/?only=workers") == "/?only=workers")
        #expect(asked("/") == nil && asked("/stay") == nil && asked("/open/Desk", "POST") == nil)
        #expect(asked("/scenes/a", accept: "application/json") == nil)
    }
}
