import Messaging
import SceneContent
import Testing

/// What a terminal shows of a plain content.
@Suite(.timeLimit(.minutes(5)))
struct PlainTextTests {
    @Test("Every part is drawn as the block that it is, with empty lines between")
    func parts() {
        let content = ScreenContent(
            title: "Orders", texts: ["Two are open."],
            items: [
                .init(id: "7", title: "Tea", detail: "2 bags"), .init(id: "8", title: "Salt", action: "open:8"),
            ],
            fields: [.init(name: "query", label: "Search", value: "te")],
            actions: [.init(name: "new", label: "New order"), .init(name: "pay", label: "Pay", isEnabled: false)])
        let text = """
            Orders
            ======

            Two are open.

            - Tea  2 bags  [7]
            - Salt  [8]  (open:8)

            Search: te  (query)

            [new] New order
            [pay] Pay  (not available)
            """
        #expect(content.text() == text)
        #expect("\(content)" == text)
        #expect(SceneLayers([ContentLayer(key: "any", title: content.title, blocks: content.blocks)]).text() == text)
    }

    @Test("An empty content is an empty text")
    func empty() {
        #expect(ScreenContent().text() == "")
    }

    @Test("A width that is too small is raised to the least one", arguments: [-5, 0, 1])
    func narrow(width: Int) {
        #expect(ScreenContent(texts: ["one two three"]).text(width: width) == "one two\nthree")
    }

    @Test("Nothing in it acts on the terminal")
    func controls() {
        let evil = "a\u{1B}[2Jb\u{7}\u{9B}c"
        let content = ScreenContent(
            title: evil, texts: [evil], items: [.init(id: evil, title: evil, detail: "x\ny", action: evil)],
            fields: [.init(name: evil, value: evil)], actions: [.init(name: evil)])
        let controls = content.text().unicodeScalars.filter { $0.properties.generalCategory == .control && $0 != "\n" }
        #expect(controls.isEmpty)
    }

    @Test("The value of a secret is not in it")
    func secret() {
        let field = ScreenContent.Field(name: "password", label: "Password", value: "tr0ub4dor", isSecret: true)
        #expect(ScreenContent(fields: [field]).text() == "Password:   (password)")
    }
}
