import Foundation
import HostileTexts
import SceneContent
import Testing

@testable import ConsolePages

@Suite(.timeLimit(.minutes(5)))
struct HostileTextTests {
    /// All blocks, with a text wherever there is one, and some that are in no form of the protocol.
    static func blocks(with text: String) -> [(key: String, node: ContentNode)] {
        var blocks = HostileTexts.blocks(with: text).map { $0.node }
        blocks += HostileTexts.actions(with: text).map { $0.node }
        blocks += HostileTexts.fields(with: text).map { $0.node }
        blocks += [
            image(text), image("A lamp " + text), image("A lamp", hash: text), image("A lamp", media: text),
            .map(["type": "link", "label": .text(text), "address": .text(text)]),
            .map(["type": .text(text), "text": .text(text)]), .map(["type": .text(text)]),
            .map(["type": "action", "name": .text("a" + text), "style": .text(text)]), .text(text), .list([]),
        ]
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

    /// Rates for which no scale is made, with gaps.
    private static let traffic = TrafficPicture(
        points: [
            .init(span: 1, received: .greatestFiniteMagnitude, sent: 1e300, lost: 0.04),
            .init(span: 2, received: 0, sent: -1, lost: 1e12), .init(span: 7, received: 3, sent: 99.96, lost: 0),
        ], last: 8)

    @Test(
        "whatever a scene shows, its page has no markup but the pages' own", arguments: HostileTexts.all,
        SceneAccess.allCases)
    func scenePage(text: String, access: SceneAccess) throws {
        let page = ScenePage(
            address: .scene(text), picture: Self.picture(with: text), access: access, revision: text,
            company: PageCompany([text]), notice: text, typed: ["n" + text: text])
        try MarkupScan(page.html(in: Self.frame(with: text))).expectHarmless()
    }

    @Test(
        "whatever a scene shows, the changes of its page have no markup but the pages' own", arguments: HostileTexts.all
    )
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

    @Test("all other pages escape what they are given", arguments: HostileTexts.all)
    func otherPages(text: String) throws {
        let table = ThingTable(
            .entries, [.init("key", "Entry")],
            rows: [.init(text, [.init(.text(text), link: PagePath.entry(text), level: .error, label: text)])],
            placeholder: text, remark: text)
        let problems = ThingTable(.problems, table.columns, rows: table.rows, placeholder: text)
        let query = ListQuery { ["q": text, "sort": text, "only": text, "page": text][$0] }
        let facts = [ThingFact("Owner", .text(text), link: PagePath.worker(text))]
        var application = ApplicationPage(host: facts, tables: [table], problem: text)
        application.own = [text]
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
        let own = OwnPage(table, query: query, open: [text], problem: text)
        let pages = [
            ApplicationPage(host: facts, tables: [problems, table], traffic: Self.traffic).html(in: frame),
            ApplicationPage(host: facts, tables: [table], query: query).html(in: frame),
            application.html(in: frame), own.html(in: frame), thing.html(in: frame),
            login.html(in: frame),
            MessagePage(title: text, text: text).html(in: frame), OpenPage(configuration: text).html(in: frame),
            ClosePage(text, name: text, configuration: text).html(in: frame),
            ClosePage(text, name: nil, configuration: text).html(in: frame),
            LeavePage([.init(text, configuration: text)], rest: text).html(in: frame),
            LoginPage(.linkExpired, command: text).html(in: frame),
            ConfirmationPage(address: .scene(text), action: action, posted: posted, layer: layer).html(in: frame),
        ]
        for page in pages { try MarkupScan(page).expectHarmless() }
    }

    @Test(
        "who looks at a scene, and why there is no more of it, is one text in the page's stream",
        arguments: HostileTexts.all)
    func events(text: String) throws {
        let texts = [
            "company": PageCompany([text, text], more: 3).event, "end": PageEvent.end(text),
            "leave": PageEvent.leave(text),
        ]
        for (name, event) in texts {
            let lines = event.split(separator: "\n", omittingEmptySubsequences: false)
            try #require(lines.count == 4 && lines[0] == "event: \(name)" && lines[1].hasPrefix("data: "), "\(event)")
            #expect(lines[2].isEmpty && lines[3].isEmpty)
            let told = try JSONDecoder().decode(String.self, from: Data(lines[1].dropFirst("data: ".count).utf8))
            // The script writes the others as texts.
            if name == "company" { try MarkupScan(told).expectHarmless() } else { #expect(told == text) }
        }
    }

    @Test("a text of a megabyte is cut in the page")
    func longText() {
        let text = String(repeating: "x", count: 1 << 20)
        let layer = ContentLayer(key: "a", title: text, blocks: [("b", TextBlock(text).node)])
        let picture = ScenePicture(layers: SceneLayers([layer]), state: "running", isLive: true)
        let page = ScenePage(address: .scene("s"), picture: picture, access: .view, revision: "1")
        #expect(page.html(in: PageFrame(application: "a")).utf8.count < 5 * ContentBounds.text)
    }

    @Test("keys that differ are different in the page, and come back from it", arguments: HostileTexts.all)
    func keys(text: String) {
        #expect(FormText.decode(FormText.encode(text)) == text)
        #expect(PageKey(text) != PageKey(text + "%"))
        #expect(PageKey(text).text.utf8.count < 200)
        #expect(FormName(FormName.field(text).text) == .field(text))
    }
}
