import SceneContent
import Testing

@testable import ConsolePages

/// The page of the application: its tables, what is searched for in them, and where they lead.
@Suite(.timeLimit(.minutes(5)))
struct ApplicationPageTests {
    private let frame = PageFrame(application: "Hotel", reader: "Mei", token: "t")

    private func table(_ part: ListQuery.Part = .sessions, _ names: [String]) -> ThingTable {
        ThingTable(
            part, [.init("name", "Name"), .init("number", "Number", isTrailing: true)],
            rows: names.enumerated().map { number, name in
                .init(name, [.init(.text(name), link: SceneAddress.scene(name).path), .init(.count(number))])
            }, placeholder: "Open a session.")
    }

    private func query(_ values: [String: String]) -> ListQuery { ListQuery { values[$0] } }

    private func names(_ table: ThingTable, _ values: [String: String], isWhole: Bool = true) -> [String] {
        table.selection(query(values), isWhole: isWhole).rows.map(\.key)
    }

    @Test("each session leads to its scene, and each configuration that may be opened has a link")
    func links() throws {
        var page = ApplicationPage(host: [], tables: [table(.sessions, ["desk/1", "lobby"])])
        page.own = ["Wall", "a/b?<c>"]
        let links = try MarkupScan(page.html(in: frame)).tags("a").compactMap { $0.attributes["href"] }
        for link in ["/", "/scenes/desk%2F1", "/scenes/lobby", "/open/Wall", "/open/a%2Fb%3F%3Cc%3E"] {
            #expect(links.contains(link))
        }
        page.own = []
        #expect(try !MarkupScan(page.html(in: frame)).text.contains("your own"))
    }

    @Test("an empty table says what to do next, and one in which nothing is found says that")
    func empty() throws {
        let nothing = ApplicationPage(host: [], tables: [table(.sessions, [])])
        #expect(try MarkupScan(nothing.html(in: frame)).text.contains("Open a session."))
        let search = ApplicationPage(
            host: [], tables: [table(.sessions, ["a"])], query: query(["q": "xyz", "only": "sessions"]))
        #expect(try MarkupScan(search.html(in: frame)).text.contains("xyz"))
    }

    @Test("rows are found by any of their cells, whatever the case, and sorted as numbers or as texts")
    func selection() {
        let table = table(.sessions, ["beta", "Alpha", "gamma"])
        #expect(names(table, [:]) == ["beta", "Alpha", "gamma"])
        #expect(names(table, ["q": "AL"]) == ["Alpha"])
        #expect(names(table, ["q": "2"]) == ["gamma"])
        #expect(names(table, ["sort": "name"]) == ["Alpha", "beta", "gamma"])
        #expect(names(table, ["sort": "-number"]) == ["gamma", "Alpha", "beta"])
        #expect(names(table, ["sort": "nothing"]) == ["beta", "Alpha", "gamma"])
    }

    @Test("names with numbers are sorted as people count, in any column, whatever the case")
    func naturalOrder() {
        let table = table(.workers, ["w-10", "W-9", "w-2", "w-1b", "w-1"])
        #expect(names(table, ["sort": "name"]) == ["w-1", "w-1b", "w-2", "W-9", "w-10"])
        #expect(names(table, ["sort": "-name"]) == ["w-10", "W-9", "w-2", "w-1b", "w-1"])
        let texts = [
            "", "1", "01", "2", "a", "A", "a1", "a1b", "a01", "10", String(repeating: "9", count: 400), "é2", "é10",
        ]
        let sorted = texts.sortedNaturally { $0 }
        // The order does not depend on the one before.
        #expect(texts.reversed().sortedNaturally { $0 } == sorted)
        #expect(sorted.prefix(5) == ["", "01", "1", "2", "10"])
        #expect(sorted.suffix(2) == ["é2", "é10"])
    }

    @Test("what nobody can use takes the place of nothing, unless its reader sorts")
    func ranks() {
        let waiting = (1...40).map { "a\($0)" }
        var table = table(.sessions, waiting + ["open", "desk"])
        for index in waiting.indices { table.rows[index].rank = 2 }
        #expect(names(table, [:], isWhole: false).prefix(3) == ["open", "desk", "a1"])
        #expect(names(table, [:]).count == 42)
        #expect(names(table, ["sort": "name"]).first == "a1")
        #expect(names(table, ["q": "a"]).first == "a1")
        #expect(names(table, ["q": "nothing has this"]) == [])
    }

    @Test("a session is called by its name where it has one, and found by its identifier, too")
    func naming() throws {
        var table = table(.sessions, ["wall-x1", "desk"])
        table.rows[0].cells[1].label = "wall-x1: running"
        table = table.naming(["wall-x1": "entrance (wall)", "other": "Other"])
        let scan = try MarkupScan(ApplicationPage(host: [], tables: [table]).html(in: frame))
        #expect(scan.text.contains("entrance (wall)") && !scan.text.contains("wall-x1"))
        #expect(scan.tags("a").contains { $0.attributes["href"] == "/scenes/wall-x1" })
        #expect(table.rows[0].cells[1].label == "entrance (wall): running")
        #expect(names(table, ["q": "X1"]) == ["wall-x1"] && names(table, ["q": "Entrance"]) == ["wall-x1"])
        #expect(names(table, ["sort": "name"]) == ["desk", "wall-x1"])
    }

    @Test("a table of ten thousand rows has pages, of which each has its address, and the last one is not passed")
    func pages() throws {
        let table = table(.sessions, (0..<10_000).map { "s\($0)" })
        #expect(names(table, [:], isWhole: false).count == ThingTable.beginning)
        #expect(names(table, [:]).count == 200)
        #expect(names(table, ["page": "50"]).last == "s9999")
        #expect(names(table, ["page": "51"]).last == "s9999")
        #expect(names(table, ["page": "999999999999999999999"]).first == "s0")
        let page = ApplicationPage(
            host: [], tables: [table], query: query(["q": "s", "sort": "-name", "only": "sessions", "page": "2"]))
        let scan = try MarkupScan(page.html(in: frame))
        let links = scan.tags("a").compactMap { $0.attributes["href"] }
        // An ampersand is written as a reference.
        #expect(links.contains("/?q=s&amp;sort=-name&amp;only=sessions"))
        #expect(links.contains("/?q=s&amp;sort=-name&amp;only=sessions&amp;page=3"))
        #expect(scan.tags("tr").count == 201)
        #expect(scan.tags("th").first?.attributes["aria-sort"] == "descending")
        #expect(page.html(in: frame).utf8.count < 100_000)
    }

    @Test("a long text that is searched for is cut, and stays in the address and in the form")
    func longQuery() throws {
        let query = query(["q": String(repeating: "x", count: 100_000), "sort": String(repeating: "s", count: 1000)])
        #expect(query.text.utf8.count <= ListQuery.maximumText && query.sort == nil)
        #expect(query.address("/").utf8.count < 1000)
        let page = ApplicationPage(host: [], tables: [table(.sessions, ["a"])], query: query)
        let scan = try MarkupScan(page.html(in: frame))
        #expect(scan.tags("input").contains { $0.attributes["value"] == query.text })
        #expect(scan.tags("form").contains { $0.attributes["role"] == "search" && $0.attributes["method"] == nil })
    }

    @Test("a column's name sorts ascending, then descending, then not at all")
    func sorting() {
        var query = ListQuery()
        query.page = 4
        var orders: [String?] = []
        for _ in 0..<3 {
            query = query.sorting(by: "name")
            orders.append(query.sortText)
        }
        #expect(orders == ["name", "-name", nil] && query.page == 1)
    }

    @Test("problems are shown before all else, and none takes no room")
    func problems() throws {
        let well = ApplicationPage(host: [], tables: [table(.problems, []), table(.sessions, ["a"])])
        #expect(try !MarkupScan(well.html(in: frame)).tags("section").contains { $0.attributes["id"] == "problems" })
        let ill = ApplicationPage(host: [], tables: [table(.problems, ["full"]), table(.sessions, ["a"])])
        let sections = try MarkupScan(ill.html(in: frame)).tags("section").compactMap { $0.attributes["id"] }
        #expect(sections == ["host", "problems", "messages", "sessions"])
    }

    @Test("a long value is shown as a whole, up to a bound")
    func value() {
        func page(_ length: Int) -> String {
            ThingPage(
                "key", kind: "Entry", path: PagePath.entry("key"), part: .entries,
                text: String(repeating: "x", count: length)
            ).html(in: frame)
        }
        #expect(page(100_000).contains(String(repeating: "x", count: 100_000)))
        #expect(!page(100_000).contains("scenebus deps get"))
        #expect(page(1 << 20).utf8.count < 300_000)
        #expect(page(1 << 20).contains("scenebus deps get"))
    }

    @Test("what a reader should know of a thing is no error, and what cannot be undone asks on a page of its own")
    func remarkAndEnding() throws {
        var page = ThingPage("cpu", kind: "Entry", path: PagePath.entry("cpu"), part: .entries)
        page.remark = "Its owner is gone."
        page.ending = ("Close…", PagePath.close("a/b"))
        let scan = try MarkupScan(page.html(in: frame))
        let remark = try #require(scan.tags("p").first { $0.attributes["class"] == "problem" })
        #expect(remark.attributes["data-level"] == "warning" && remark.attributes["role"] == nil)
        #expect(scan.tags("a").contains { $0.attributes["href"] == "/sessions/a%2Fb/close" })
    }

    @Test("a drawing has a gap where nothing is known, and a scale that is round")
    func traffic() throws {
        let points = [1, 2, 3, 7, 8].map { TrafficPicture.Point(span: $0, received: 3, sent: 4, lost: 0) }
        let page = ApplicationPage(
            host: [], tables: [table(.problems, [])], traffic: TrafficPicture(points: points, last: 8))
        let scan = try MarkupScan(page.html(in: frame))
        #expect(scan.tags("path").count == 4)
        #expect(!scan.text.contains("Dropped or refused"))
        #expect([0, 1, 1.5, 4, 5.1, 99, 101].map(HTMLWriter.roundTop) == [1, 1, 2, 5, 10, 100, 200])
        #expect(scan.text.contains("in the last hour") && scan.text.contains("60 min ago") && scan.text.contains("now"))
        let none = ApplicationPage(host: [], tables: [table(.problems, [])])
        #expect(try MarkupScan(none.html(in: frame)).text.contains("not known yet"))
    }

    @Test("who has nothing but sessions of their own gets their list, and nothing to search in others")
    func own() throws {
        var query = ListQuery()
        (query.text, query.only, query.sort) = ("w-1", .workers, "state")
        let table = ThingTable(
            .sessions, [.init("name", "Name"), .init("state", "State")],
            rows: [.init("s", [.init("my <desk>", link: "/scenes/s"), .init("Ready")])], placeholder: "nothing")
        let page = OwnPage(table, query: query, open: ["The Desk"], problem: nil)
        let scan = try MarkupScan(page.html(in: PageFrame(application: "Hotel", reader: "Mei", token: "t")))
        scan.expectHarmless()
        let links = scan.tags("a").compactMap { $0.attributes["href"] }
        #expect(links.contains("/scenes/s") && links.contains("/open/The%20Desk"))
        #expect(links.allSatisfy { !$0.contains("only=") && !$0.contains("q=") }, "\(links)")
        #expect(!scan.tags("input").contains { $0.attributes["type"] == "search" })
        #expect(scan.tags("main").allSatisfy { $0.attributes["data-reload"] != nil })
        var none = page
        none.table.rows = []
        #expect(try MarkupScan(none.html(in: PageFrame(application: "Hotel"))).text.contains("nothing"))
    }
}
