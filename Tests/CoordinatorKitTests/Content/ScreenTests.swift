import CoordinatorKit
import SceneContent
import Testing

/// What a screen of typed parts shows, and what its actions do.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ScreenTests {
    private let window = Window()
    private let desk = DeskScreen()

    init() {
        window.rootViewController = desk
        window.makeKeyAndVisible()
    }

    @Test("The parts become blocks with keys of their own, in their order")
    func blocks() {
        let layer = window.layers.top
        #expect(layer?.title == "Arrivals")
        #expect(
            layer?.blocks.map(\.key) == [
                "section.0", "field.search", "field.onlyToday", "field.floor", "facts.0", "meter.0", "table.0",
                "text.0", "action.close-the-desk", "action.reset", "action.reset-2",
            ])
        guard case .facts(let facts)? = layer?.blocks[4].block else {
            Issue.record("no facts")
            return
        }
        #expect(facts.facts.map(\.value.text) == ["40.0 %", "12"])
    }

    @Test("An action stores the fields, and then runs with them")
    func action() async throws {
        try await window.perform(
            action: "close-the-desk", fields: ["search": "Mei", "onlyToday": "", "floor": "upper", "pin": "1234"])
        #expect(desk.search == "Mei")
        #expect(!desk.onlyToday)
        #expect(desk.floor == .upper)
        #expect(desk.closedWith == "1234")
        #expect(window.layers.top?.fields["search"]?.value == "Mei")
    }

    @Test("A row is selected by its key, and one that is gone is refused")
    func rows() async throws {
        try await window.perform(action: "guest:2")
        #expect(desk.selected == "Ada")
        await #expect(throws: ScreenActionError.self) { try await window.perform(action: "guest:9") }
        #expect(desk.content.items.map(\.title) == ["Mei", "Ada"])
    }

    @Test("What is kept is in the restoration state, but for the first value")
    func kept() {
        #expect(desk.restorationState.isEmpty)
        desk.search = "Mei"
        desk.onlyToday = false
        #expect(desk.restorationState == ["search": "Mei", "onlyToday": ""])
        let next = DeskScreen()
        next.restorationState = desk.restorationState
        #expect(next.search == "Mei" && !next.onlyToday)
        desk.search = ""
        #expect(desk.restorationState == ["onlyToday": ""])
    }

    @Test("An action that is not available is refused, and says why")
    func unavailable() async {
        desk.isClosed = true
        await #expect(throws: ScreenActionError.self) { try await window.perform(action: "close-the-desk") }
        guard case .action(let action)? = window.layers.top?.blocks[8].block else {
            Issue.record("no action")
            return
        }
        #expect(action.unavailable == "it is closed")
    }

    @Test(
        "The images of all layers come with them; what is no image, or has no alternative text, is a text that says so")
    func images() {
        let album = AlbumScreen()
        window.rootViewController = album
        album.present(AlbumScreen())
        let (layers, images) = window.layersWithImages
        #expect(layers == window.layers)
        #expect(images == [AlbumScreen.photo.hash: AlbumScreen.photo])
        for layer in layers.layers {
            #expect(layer.blocks.prefix(3).map(\.key) == ["image.0", "image.1", "image.2"])
            #expect(
                layer.blocks.first?.block == ImageBlock(AlbumScreen.photo, alternative: "A door").map { .image($0) })
            for (_, block) in layer.blocks.dropFirst().prefix(2) {
                guard case .text(let text) = block else {
                    Issue.record("\(block) is no text")
                    continue
                }
                #expect(text.level == .error && text.text.hasPrefix("An image is not shown: "))
            }
        }
        #expect(album.content.texts.first == "A door")
    }

    @Test("A screen that is presented is a layer of its own, which can be closed; the one below stays")
    func sheet() async throws {
        let sheet = ViewController()
        sheet.title = "Sheet"
        desk.present(sheet)
        #expect(window.layers.layers.map(\.title) == ["Arrivals", "Sheet"])
        #expect(window.layers.top?.blocks.map(\.key) == ["action.dismiss"])
        try await window.perform(action: "dismiss")
        #expect(window.layers.layers.map(\.title) == ["Arrivals"])
    }

    @Test("Containers show the screen in them, with tabs and a way back")
    func containers() async throws {
        let tabs = TabBarController(viewControllers: [desk, ViewController()])
        let stack = NavigationController(rootViewController: ViewController())
        window.rootViewController = stack
        stack.pushViewController(tabs)
        let layer = try #require(window.layers.top)
        #expect(layer.title == "Arrivals")
        #expect(layer.tabs.map(\.isSelected) == [true, false])
        #expect(layer.back?.name == "back")
        try await window.perform(action: "guest:1")
        #expect(desk.selected == "Mei")
        try await window.perform(action: "tab:1")
        #expect(tabs.selectedIndex == 1)
        #expect(window.layers.top?.key != layer.key)
    }

    @Test("What an override of the content adds in a container is shown, too")
    func overridden() {
        window.rootViewController = AddingStack(rootViewController: desk)
        #expect(window.layers.top?.blocks.last?.key == "action.more")
    }

    @Test("Tabs within tabs are all shown, and each can be selected")
    func nestedTabs() async throws {
        let inner = TabBarController(viewControllers: [desk, ViewController()])
        let outer = TabBarController(viewControllers: [
            ViewController(), ViewController(), NavigationController(rootViewController: inner),
        ])
        window.rootViewController = outer
        outer.selectedIndex = 2
        #expect(window.layers.top?.tabs.map(\.action) == ["tab:0", "tab:1", "tab:2"])
        try await window.perform(action: "tab:1")
        #expect(inner.selectedIndex == 1)
        try await window.perform(action: "tab:2")
        #expect(outer.selectedIndex == 2)
    }

    @Test("A screen whose actions keep their controller does not keep it for ever")
    func released() {
        weak var gone: DeskScreen?
        do {
            let screen = DeskScreen()
            gone = screen
            window.rootViewController = screen
            _ = (window.content, window.layers)
            window.rootViewController = desk
        }
        #expect(gone == nil)
    }

    @Test("Rows of two lists and two fields of one name stay apart")
    func names() async throws {
        let screen = TwinScreen()
        window.rootViewController = screen
        #expect(window.content.items.map(\.action) == ["row:1", "row-2:1"])
        try await window.perform(action: "row-2:1", fields: ["text": "a", "text-2": "b"])
        #expect(screen.selected == "second")
        #expect(screen.first == "a" && screen.second == "b")
        // The first list has its name also without rows: a click that is on its way must not hit it when it gets some.
        screen.isFirstEmpty = true
        #expect(window.content.items.map(\.action) == ["row-2:1"])
    }

    @Test("What is typed is stored before an action sends it, unless the scene shows another layer")
    func fill() throws {
        let key = try #require(window.layers.top?.key)
        #expect(window.fill(["search": "Me", "floor": "attic", "nothing": "x"], in: key))
        #expect(desk.search == "Me")
        #expect(desk.floor == .ground)
        #expect(window.layers.top?.fields["search"]?.value == "Me")
        desk.present(ViewController())
        #expect(!window.fill(["search": "Mei"], in: key))
        #expect(desk.search == "Me")
    }

    @Test("The fields of a container's own parts go with the actions of the screen in it")
    func containerFields() async throws {
        let container = SearchingStack(rootViewController: desk)
        window.rootViewController = container
        try await window.perform(action: "close-the-desk", fields: ["query": "Mei", "pin": "1"])
        #expect(container.query == "Mei")
        #expect(desk.closedWith == "1")
    }

    @Test("Who leaves a screen stores nothing", arguments: ["back", "tab:0", "dismiss"])
    func leaving(action: String) async throws {
        let stack = NavigationController(rootViewController: ViewController())
        stack.pushViewController(desk)
        let tabs = TabBarController(viewControllers: [ViewController(), stack])
        tabs.selectedIndex = 1
        window.rootViewController = ViewController()
        window.rootViewController?.present(tabs)
        #expect(desk.search == "")
        try await window.perform(action: action, fields: ["search": "Mei"])
        #expect(desk.search == "")
    }

    @Test("A plain content is shown as blocks")
    func plain() {
        let controller = PlainScreen()
        window.rootViewController = controller
        #expect(
            window.layers.top?.blocks.map(\.key) == ["text.0", "list", "field.name", "action.save", "action.erase"])
        #expect(window.content == controller.content)
    }

    @Test("Another page has another layer, so that nothing typed goes from one to the other")
    func pages() {
        enum Number: Page { case one, two }
        desk.page = Number.one
        let first = window.layers.top?.key
        desk.page = Number.two
        #expect(window.layers.top?.key != first)
    }
}

private enum Floor: String, KeptValue, CaseIterable { case ground, upper }

private struct Arrival: Identifiable {
    let id: Int
    let name: String
}

private final class DeskScreen: ViewController {
    @Kept var search = ""
    @Kept var onlyToday = true
    @Kept fileprivate var floor: Floor = .ground
    var isClosed = false
    private(set) var closedWith: String?
    private(set) var selected: String?

    private let guests = [Arrival(id: 1, name: "Mei"), Arrival(id: 2, name: "Ada")]

    override var screen: Screen? {
        Screen("Arrivals") {
            Section("Today") {
                Field("Search", $search)
                Toggle("Today only", $onlyToday)
                Choice("Floor", $floor, of: Floor.allCases)
            }
            Fact("Rooms taken", .percent(0.4))
            Fact("Guests", .count(12))
            Meter("Rooms", 4, of: 10)
            Table(guests, name: "guest") {
                Column("Guest") { $0.name }
                Column("Number") { .count($0.id) }
            } onSelect: { [self] guest in
                selected = guest.name
            }
            for text in ["Breakfast from six"] { Text(text) }
            Action("Close the desk", style: .destructive, unavailable: isClosed ? "it is closed" : nil) {
                [self] fields in closedWith = fields.secret("pin").revealed
            }
            Action("Reset") { [self] in search = "" }
            Action("Reset") { [self] in onlyToday = true }
        }
    }
}

private final class TwinScreen: ViewController {
    @Kept var first = ""
    @Kept var second = ""
    private(set) var selected: String?
    var isFirstEmpty = false

    override var screen: Screen? {
        Screen("Twins") {
            List(isFirstEmpty ? [] : [Arrival(id: 1, name: "Mei")]) {
                Row($0.name)
            } onSelect: { [self] _ in
                selected = "first"
            }
            List([Arrival(id: 1, name: "Ada")]) {
                Row($0.name)
            } onSelect: { [self] _ in
                selected = "second"
            }
            Field("Text", $first, name: "text")
            Field("Text", $second, name: "text")
        }
    }
}

private final class SearchingStack: NavigationController {
    @Kept var query = ""

    override var screen: Screen? { Screen { Field("Search everywhere", $query) } }
}

private final class AddingStack: NavigationController {
    override var content: ScreenContent {
        var content = super.content
        content.actions.append(ScreenContent.Action(name: "more"))
        return content
    }
}

private final class PlainScreen: ViewController {
    override var content: ScreenContent {
        ScreenContent(
            title: "Plain", texts: ["one"], items: [.init(id: "a", title: "Item")], fields: [.init(name: "name")],
            actions: [.init(name: "save"), .init(name: "erase", isEnabled: false)])
    }
}

private final class AlbumScreen: ViewController {
    static let photo = ImageData(Array("GIF89a".utf8) + [8, 0, 4, 0])

    override var screen: Screen? {
        Screen("Album") {
            Image(Self.photo, alternative: "A door")
            Image(Array("<svg/>".utf8), alternative: "A drawing")
            Image(Self.photo, alternative: " ")
        }
    }
}
