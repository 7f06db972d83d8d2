import CBOR
import OperatorKit
import SceneContent
import Testing

/// What keys do in the layer of a scene that takes input.
@Suite(.timeLimit(.minutes(5)))
struct SceneFormTests {
    static let search = FieldBlock(name: "search", label: "Search", value: "old")
    static let pin = FieldBlock(name: "pin", label: "PIN", kind: .secret)
    static let find = ActionBlock(name: "find", label: "Find", style: .main)
    static let close = ActionBlock(
        name: "close", label: "Close", style: .destructive, confirmation: "Close it for all?")
    static let rows = ListBlock([
        .init(key: "7", title: "Mei", action: "open:7"), .init(key: "8", title: "Ada"),
        .init(key: "9", title: "Eve", action: "open:9"),
    ])

    static func layers(
        key: String = "desk", tabs: [ContentTab] = [], back: ActionBlock? = nil,
        _ blocks: (key: String, node: ContentNode)...
    ) -> SceneLayers {
        SceneLayers([ContentLayer(key: key, title: key, tabs: tabs, back: back, blocks: blocks)])
    }

    /// A form with two fields, a list and two actions.
    static let desk = layers(
        ("search", search.node), ("pin", pin.node), ("rows", rows.node), ("find", find.node), ("close", close.node))

    var form = SceneForm()

    init() { form.show(Self.desk) }

    mutating func type(_ text: String) { for character in text { _ = form.handle(.text(String(character))) } }

    mutating func press(_ keys: TerminalKey...) -> SceneForm.Action? {
        var last: SceneForm.Action?
        for key in keys { last = form.handle(key) }
        return last
    }

    /// The submission to which a key leads.
    mutating func submission(_ key: TerminalKey) throws -> SceneSubmission {
        guard case .perform(let submission)? = form.handle(key) else {
            throw NoSubmission()
        }
        return submission
    }

    struct NoSubmission: Error {}

    @Test("What was typed is passed on once, without secrets, as long as the scene does not have it")
    mutating func typed() {
        #expect(form.takeTyped() == nil)
        type("er")
        _ = press(.tab)
        type("1234")
        let typed = form.takeTyped()
        #expect(typed?.layer == "desk")
        #expect(typed?.fields == ["search": "older"])
        #expect(form.takeTyped() == nil)
        var taken = Self.search
        taken.value = "older"
        form.show(Self.layers(("search", taken.node), ("pin", Self.pin.node), ("find", Self.find.node)))
        #expect(form.takeTyped() == nil)
        form.show(Self.layers(key: "other", ("search", Self.search.node)))
        #expect(form.takeTyped() == nil)
    }

    // MARK: - Focus

    @Test("Tab goes over fields, rows that can be selected and actions, and around; the arrows end at the ends")
    mutating func moving() {
        let parts: [TextLine.Part] = [
            .block("search"), .block("pin"), .row(block: "rows", key: "7"), .row(block: "rows", key: "9"),
            .block("find"),
            .block("close"),
        ]
        var seen = [form.focus]
        for _ in 1..<parts.count {
            #expect(press(.tab) == nil)
            seen.append(form.focus)
        }
        #expect(seen == parts)
        #expect(press(.down) == .scrollLines(1))
        #expect(form.focus == parts.last)
        _ = press(.tab)
        #expect(form.focus == parts.first)
        #expect(press(.up) == .scrollLines(-1))
        _ = press(.backTab)
        #expect(form.focus == parts.last)
    }

    @Test("Without anything to focus the arrows scroll, and an action that is not available has no focus")
    mutating func nothing() {
        form.show(
            Self.layers(
                key: "a", ("t", TextBlock("x").node), ("go", ActionBlock(name: "go", label: "Go", unavailable: "").node)
            ))
        #expect(form.focus == nil)
        #expect(press(.down) == .scrollLines(1))
        #expect(press(.tab) == nil)
        #expect(press(.enter) == nil)
        #expect(press(.pageDown) == .scrollPages(1))
        #expect(press(.end) == .scrollToEnd)
    }

    @Test("A part that is gone leaves no focus behind, so that a key on its way does not reach its neighbour")
    mutating func gone() {
        _ = press(.tab, .tab)
        #expect(form.focus == .row(block: "rows", key: "7"))
        form.show(
            Self.layers(
                ("search", Self.search.node), ("pin", Self.pin.node),
                ("rows", ListBlock([.init(key: "9", title: "Eve", action: "open:9")]).node)))
        #expect(form.focus == nil)
        #expect(press(.enter) == nil)
        _ = press(.down)
        #expect(form.focus == .row(block: "rows", key: "9"))
    }

    @Test("The focus stays with its row when rows move")
    mutating func moved() {
        _ = press(.tab, .tab)
        form.show(
            Self.layers(
                ("rows", ListBlock([Self.rows.rows[2], Self.rows.rows[0]]).node), ("search", Self.search.node)))
        #expect(form.focus == .row(block: "rows", key: "7"))
    }

    @Test("Another layer has the focus on its first part")
    mutating func other() {
        _ = press(.tab, .tab)
        form.show(Self.layers(key: "sheet", ("ok", ActionBlock(name: "ok", label: "OK").node)))
        #expect(form.focus == .block("ok"))
    }

    // MARK: - Acting

    @Test("Enter on an action sends what was typed, and the secrets apart from the others")
    mutating func action() throws {
        type("er")
        _ = press(.tab)
        type("4711")
        _ = press(.tab, .tab, .tab)
        let submission = try submission(.enter)
        #expect(submission.action == "find")
        #expect(submission.fields == ["search": "older"])
        #expect(submission.secrets == ["pin": Secret("4711")])
    }

    @Test("Enter in a field performs the same as in a browser, or else goes on")
    mutating func enterInField() throws {
        #expect(try submission(.enter).action == "find")
        var other = SceneForm()
        other.show(
            Self.layers(
                ("before", ActionBlock(name: "before", label: "Before").node), ("search", Self.search.node),
                ("close", Self.close.node), ("a", ActionBlock(name: "a", label: "A").node),
                ("b", ActionBlock(name: "b", label: "B").node)))
        _ = other.handle(.down)
        guard case .perform(let first)? = other.handle(.enter) else { throw NoSubmission() }
        #expect(first.action == "a")
        other.show(Self.layers(key: "b", ("search", Self.search.node), ("close", Self.close.node)))
        #expect(other.handle(.enter) == nil)
        #expect(other.focus == .block("close"))
    }

    @Test("Enter on a row performs its action, without the secrets")
    mutating func row() throws {
        type("er")
        _ = press(.tab)
        type("4711")
        _ = press(.down)
        let submission = try submission(.enter)
        #expect(submission.action == "open:7")
        #expect(submission.fields == ["search": "older"])
        #expect(submission.secrets == [:])
        form.finish(submission, error: nil)
        // The row is no answer to what was typed.
        #expect(form.value(of: Self.search) == "older")
    }

    @Test("A tab is selected by its action, and Escape performs the way back if there is one")
    mutating func tabAndBack() throws {
        #expect(press(.escape) == nil)
        form.show(
            Self.layers(
                key: "two",
                tabs: [
                    .init(action: "tab0", label: "A", isSelected: true),
                    .init(action: "tab1", label: "B", isSelected: false),
                ],
                back: ActionBlock(name: "back", label: "Back")))
        _ = press(.tab)
        let tab = try submission(.enter)
        #expect(tab.action == "tab1")
        form.finish(tab, error: nil)
        #expect(try submission(.escape).action == "back")
    }

    @Test("An action with a question waits for y, and n or Escape take it back")
    mutating func question() throws {
        _ = press(.backTab)
        #expect(press(.enter) == nil)
        #expect(form.status?.text == "Close it for all? (y/n)")
        #expect(press(.text("x"), .tab, .enter) == nil)
        #expect(form.status?.text == "Close it for all? (y/n)")
        #expect(press(.text("n")) == nil)
        #expect(form.status == nil)
        #expect(press(.enter, .escape) == nil)
        #expect(form.status == nil)
        _ = press(.enter)
        #expect(try submission(.text("y")).action == "close")
    }

    @Test("A question ends when its action is not offered any more")
    mutating func withdrawn() {
        _ = press(.backTab, .enter)
        form.show(Self.layers(("search", Self.search.node)))
        #expect(form.status?.text == "'Close' is not offered any more")
        #expect(press(.text("y")) == nil)
        #expect(form.status == nil)
    }

    @Test("While an action is on its way the form says so, and takes no other one")
    mutating func onItsWay() throws {
        let first = try submission(.enter)
        #expect(form.status?.text == "'Find' is on its way…")
        #expect(press(.enter) == nil)
        #expect(form.status?.text == "'Find' is still on its way")
        _ = press(.tab)
        #expect(form.status?.text == "'Find' is on its way…")
        form.finish(first, error: nil)
        #expect(form.status == nil)
        #expect(try submission(.enter).action == "find")
    }

    @Test("An error is said until the next key, and what was typed stays")
    mutating func error() throws {
        type("er")
        form.finish(try submission(.enter), error: "no such guest")
        #expect(form.status?.text == "no such guest")
        #expect(form.status?.isError == true)
        #expect(form.value(of: Self.search) == "older")
        _ = press(.left)
        #expect(form.status == nil)
    }

    @Test("Ctrl-C always leaves, and q does outside of fields")
    mutating func leaving() {
        #expect(press(.text("q")) == nil)
        #expect(form.value(of: Self.search) == "oldq")
        #expect(press(.control("c")) == .leave)
        _ = press(.tab, .tab)
        #expect(press(.text("q")) == .leave)
        _ = press(.backTab, .backTab, .backTab, .enter)
        #expect(press(.control("c")) == .leave)
    }
}
