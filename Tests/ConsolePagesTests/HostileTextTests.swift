import SceneContent
import Testing

@testable import ConsolePages

@Suite(.timeLimit(.minutes(5)))
struct HostileTextTests {
    static let texts = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
        "javascript:alert(1)",
        "</textarea><script>alert(1)</script>", "</title><script>alert(1)</script>", "<!--", "]]>", "&lt;script&gt;",
        "\u{202E}gpj.exe", "\u{2066}\u{2067}", "a\u{0}b\u{1B}[2J\u{9B}31m\u{7F}", "line\nline\r\nline\u{2028}line",
        "data: x\n\nevent: end\ndata: \"x\"", "https://x/\" onclick=\"alert(1)", "style=\"position:fixed\"",
        "%3Cscript%3E%",
        String(repeating: "<", count: 200), "",
        String(
            String.UnicodeScalarView([0xFFFE, 0xFDD0, 0xFFF9, 0xE0001].compactMap { Unicode.Scalar($0 as UInt32) })),
    ]

    /// All blocks, with a text wherever there is one.
    static func blocks(with text: String) -> [(key: String, node: ContentNode)] {
        let points = [ChartBlock.Point(0, -.greatestFiniteMagnitude), .init(1, .greatestFiniteMagnitude)]
        var blocks: [ContentNode] = [
            SectionBlock(text).node, TextBlock(text).node, TextBlock(text, level: .error, size: .large).node,
            FactsBlock([.init(key: text, label: text, value: .text(text))]).node,
            ListBlock(
                [.init(key: text, title: text, detail: text, badge: text, action: text, level: .note)],
                placeholder: text
            ).node,
            ListBlock([], placeholder: text).node,
            TableBlock(
                [.init(text), .init(text, isTrailing: true)],
                rows: [.init(key: text, cells: [.text(text), .text(text)], action: text, levels: [.good, .error])],
                placeholder: text, total: 5
            ).node,
            MeterBlock(text, share: 0.5, low: 0.7, high: 0.2, detail: text, shows: .value).node,
            ChartBlock(text, series: [.init(key: text, label: text, points: points)]).node,
            image(text), image("A lamp " + text), image("A lamp", hash: text), image("A lamp", media: text),
            ActionBlock(name: "a" + text, label: text, style: .destructive, confirmation: text).node,
            ActionBlock(name: "a" + text, label: text, unavailable: text).node,
            .map(["type": "link", "label": .text(text), "address": .text(text)]),
            .map(["type": "link", "label": .text(text), "address": "https://example.org/?a=b&c='d'"]),
            .map(["type": .text(text), "text": .text(text)]), .map(["type": .text(text)]),
            .map(["type": "action", "name": .text("a" + text), "style": .text(text)]), .text(text), .list([]),
        ]
        for kind in FieldBlock.Kind.allCases {
            blocks.append(
                FieldBlock(
                    name: "n" + text, label: text, kind: kind, value: text, choices: [.init(text, label: text)],
                    hint: text, error: text, isRequired: true
                ).node)
        }
        return blocks.enumerated().map { ("\(text)\($0.offset)", $0.element) }
    }

    static func image(
        _ alternative: String, hash: String = String(repeating: "a", count: 64), media: String = "image/png"
    ) -> ContentNode {
        .map([
            "type": "image", "text": .text(alternative), "hash": .text(hash), "media": .text(media), "size": 70,
            "width": 8, "height": 4,
        ])
    }

    static func layers(with text: String) -> SceneLayers {
        let layer = ContentLayer(
            key: text, title: text, tabs: [.init(action: text, label: text, isSelected: true)],
            back: ActionBlock(name: "b" + text, label: text, confirmation: text), blocks: blocks(with: text))
        return SceneLayers([layer, ContentLayer(key: "sheet" + text, title: text, blocks: blocks(with: text))])
    }

    static func picture(with text: String) -> ScenePicture {
        ScenePicture(layers: layers(with: text), state: text, isLive: false, since: 1e300, problem: text)
    }

    static func frame(with text: String) -> PageFrame {
        PageFrame(application: text, reader: text, token: text)
    }

    @Test("whatever a scene shows, its page has no markup but the pages' own", arguments: texts, SceneAccess.allCases)
    func scenePage(text: String, access: SceneAccess) throws {
        let page = ScenePage(
            address: .scene(text), picture: Self.picture(with: text), access: access, revision: text,
            company: PageCompany([text]), notice: text, typed: ["n" + text: text])
        try MarkupScan(page.html(in: Self.frame(with: text))).expectHarmless()
    }

    @Test("whatever a scene shows, the changes of its page have no markup but the pages' own", arguments: texts)
    func patch(text: String) throws {
        let patch = ScenePatch(address: .scene(text), from: nil, to: Self.picture(with: text), access: .use)
        for operation in patch.operations {
            switch operation {
            case .state(let markup), .main(let markup): try MarkupScan(markup).expectHarmless()
            default: break
            }
        }
        let lines = patch.event(revision: text).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 5)
        #expect(lines.prefix(3).map { $0.prefix { $0 != ":" } } == ["event", "id", "data"])
    }

    @Test("all other pages escape what they are given", arguments: texts)
    func otherPages(text: String) throws {
        let table = ThingTable(
            .entries, [.init("key", "Entry")],
            rows: [.init(text, [.init(.text(text), link: PagePath.entry(text), level: .error, label: text)])],
            placeholder: text, remark: text)
        let query = ListQuery { ["q": text, "sort": text, "only": text, "page": text][$0] }
        let facts = [ThingFact("Owner", .text(text), link: PagePath.worker(text))]
        var own = ApplicationPage(host: facts, tables: [table], problem: text)
        own.own = [text]
        let thing = ThingPage(
            text, kind: "Entry", path: PagePath.entry(text), part: .entries, facts: facts, table: table, query: query,
            text: text, action: (text, SceneAddress.scene(text).path), problem: text)
        let action = ActionBlock(name: "a" + text, label: text, confirmation: text)
        let layer = try #require(Self.layers(with: text).top)
        let form = [("action", FormText.encode("a" + text))] + layer.fields.keys.map { (FormName.field($0).text, text) }
        let posted = try #require(PostedAction(form: form.map { (name: $0.0, value: $0.1) }))
        let frame = Self.frame(with: text)
        var login = LoginPage(.notLoggedIn, command: text)
        login.hasForm = true
        login.problem = text
        let pages = [
            ApplicationPage(host: facts, tables: [table], query: query).html(in: frame), own.html(in: frame),
            thing.html(in: frame),
            login.html(in: frame),
            MessagePage(title: text, text: text).html(in: frame), OpenPage(configuration: text).html(in: frame),
            LoginPage(.linkExpired, command: text).html(in: frame),
            ConfirmationPage(address: .scene(text), action: action, posted: posted, layer: layer).html(in: frame),
        ]
        for page in pages { try MarkupScan(page).expectHarmless() }
    }

    @Test("a text of a megabyte is cut in the page")
    func longText() {
        let text = String(repeating: "x", count: 1 << 20)
        let layer = ContentLayer(key: "a", title: text, blocks: [("b", TextBlock(text).node)])
        let picture = ScenePicture(layers: SceneLayers([layer]), state: "running", isLive: true)
        let page = ScenePage(address: .scene("s"), picture: picture, access: .view, revision: "1")
        #expect(page.html(in: PageFrame(application: "a")).utf8.count < 5 * ContentBounds.text)
    }

    @Test("keys that differ are different in the page, and come back from it", arguments: texts)
    func keys(text: String) {
        #expect(FormText.decode(FormText.encode(text)) == text)
        #expect(PageKey(text) != PageKey(text + "%"))
        #expect(PageKey(text).text.utf8.count < 200)
        #expect(FormName(FormName.field(text).text) == .field(text))
    }
}
