import SceneContent
import Testing

@testable import ConsolePages

/// Where a reader is: the pages above each page, and the way one level up.
@Suite(.timeLimit(.minutes(5)))
struct WayTests {
    private static let frame = PageFrame(application: "Hotel", reader: "Mei", token: "t0k3n")

    private static func list(_ only: String?) -> ApplicationPage {
        ApplicationPage(
            host: [], tables: [ThingTable(.sessions, [], rows: [], placeholder: "")], query: ListQuery { _ in only })
    }

    private static let question = ClosePage("wall-x1", name: "entrance <1>", configuration: "Lobby")
    private static let leave = LeavePage([.init("browser-1", configuration: "Wall")], rest: "8 h")
    private static let scene = ScenePage(
        address: .scene("desk"), picture: ScenePicture(layers: .init(), state: "running", isLive: true), access: .use,
        revision: "1")

    /// Pages, and the addresses of those above them.
    private static var pages: [(html: String, above: [String])] {
        [
            (
                ThingPage("w-1", kind: "Worker", path: PagePath.worker("w-1"), part: .workers).html(in: frame),
                ["/", "/?only=workers"]
            ),
            (ThingPage("Entries", kind: "", path: PagePath.entries, part: .entries).html(in: frame), ["/"]),
            (
                ApplicationPage(host: [], tables: [], query: ListQuery { $0 == "only" ? "sessions" : nil }).html(
                    in: frame), ["/"]
            ),
            (
                scene.html(in: frame.below(.list(of: .sessions), .session("desk", name: nil))),
                ["/", "/?only=sessions", "/sessions/desk"]
            ),
            (question.html(in: frame), ["/", "/?only=sessions", "/sessions/wall-x1"]),
            (leave.html(in: frame), ["/"]), (MessagePage.notFound.html(in: frame), ["/"]),
        ]
    }

    @Test("each page says where it is, and has one way up, to the page above it", arguments: pages.indices)
    func way(index: Int) throws {
        let (html, above) = Self.pages[index]
        let scan = try MarkupScan(html)
        scan.expectHarmless()
        let start = try #require(scan.tags.firstIndex { $0.attributes["class"] == "way" })
        let way = scan.tags[(start + 1)...].prefix { ["a", "span"].contains($0.name) }
        #expect(way.compactMap { $0.attributes["href"] } == above)
        #expect(way.map { $0.attributes["aria-current"] != nil } == above.map { _ in false } + [true])
        let up = scan.tags.filter { $0.attributes["data-up"] != nil }
        #expect(up.map { $0.attributes["href"] } == [above.last])
        #expect(up.first?.attributes["aria-keyshortcuts"] == "Alt+ArrowUp")
    }

    @Test("the page of the application has nothing above it, and neither has the one to log in or a wall")
    func top() throws {
        let pages = [
            Self.list(nil).html(in: Self.frame),
            LoginPage(.notLoggedIn, command: "").html(in: PageFrame(application: "Hotel")),
            MessagePage.notFound.html(in: PageFrame(application: "Hotel", isWall: true)),
        ]
        for page in pages {
            #expect(try !MarkupScan(page).tags.contains { $0.attributes["data-up"] != nil })
        }
    }

    @Test("a page of what has a name has it in its title, also after the scene's title has changed")
    func place() {
        var frame = Self.frame
        frame.place = "entrance"
        let html = Self.scene.html(in: frame)
        #expect(html.contains("<title>entrance · Hotel</title>"))
        #expect(html.contains("data-application=\"entrance · Hotel\""))
    }

    @Test("who closes a session is asked before, by its name, and the answer is a form with the token")
    func close() throws {
        let scan = try MarkupScan(Self.question.html(in: Self.frame))
        scan.expectHarmless()
        #expect(scan.text.contains("Close entrance &lt;1&gt;?") && scan.text.contains("wall-x1"))
        #expect(scan.text.contains("cannot be undone"))
        let form = try #require(scan.tags("form").first { $0.attributes["action"] == "/sessions/wall-x1/close" })
        #expect(form.attributes["method"] == "post")
        // One is that of the header.
        #expect(
            scan.tags("input").filter { $0.attributes["name"] == "token" }.map { $0.attributes["value"] } == [
                "t0k3n", "t0k3n",
            ])
        #expect(scan.tags("a").contains { $0.attributes["href"] == "/sessions/wall-x1" })
    }

    @Test("who leaves sessions behind is told which, and what becomes of them")
    func leaving() throws {
        let scan = try MarkupScan(Self.leave.html(in: Self.frame))
        scan.expectHarmless()
        #expect(scan.text.contains("Wall") && scan.text.contains("browser-1") && scan.text.contains("closed after 8 h"))
        #expect(scan.tags("a").contains { $0.attributes["href"] == "/sessions/browser-1" })
        #expect(scan.tags("form").allSatisfy { $0.attributes["action"] == "/logout" })
        #expect(scan.tags("input").contains { $0.attributes["name"] == "confirmed" })
    }
}
