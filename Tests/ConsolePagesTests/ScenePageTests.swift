import SceneContent
import Testing

@testable import ConsolePages

@Suite(.timeLimit(.minutes(5)))
struct ScenePageTests {
    private static let frame = PageFrame(application: "Hotel", reader: "Mei", token: "t0k3n")

    private static func layer(_ blocks: [ContentNode], key: String = "screen") -> ContentLayer {
        ContentLayer(
            key: key, title: "Desk", tabs: [.init(action: "rooms", label: "Rooms", isSelected: false)],
            back: ActionBlock(name: "back", label: "Arrivals"),
            blocks: blocks.enumerated().map { ("b\($0.offset)", $0.element) })
    }

    private static let everything = [
        FieldBlock(name: "guest", label: "Guest", value: "Mei").node,
        FieldBlock(name: "pin", label: "PIN", kind: .secret).node,
        FieldBlock(name: "room", label: "Room", kind: .choice, value: "204", choices: [.init("204", label: "Sea side")])
            .node,
        ListBlock([.init(key: "a", title: "Row", action: "open")]).node,
        TableBlock([.init("Name")], rows: [.init(key: "a", cells: ["Cell"], action: "open")]).node,
        ActionBlock(name: "go", label: "Check in").node,
        ActionBlock(name: "delete", label: "Delete", style: .destructive, confirmation: "Delete it?").node,
        ActionBlock(name: "print", label: "Print", unavailable: "no printer").node,
    ]

    private func scan(
        _ layers: [ContentLayer], access: SceneAccess = .use, notice: String? = nil, typed: [String: String] = [:],
        frame: PageFrame = frame
    ) throws -> MarkupScan {
        let picture = ScenePicture(layers: SceneLayers(layers), state: "running", isLive: true)
        return try MarkupScan(
            ScenePage(
                address: .scene("desk 1"), picture: picture, access: access, revision: "4.17", notice: notice,
                typed: typed, identifier: "a1"
            ).html(in: frame))
    }

    @Test("each action is a button of a form that posts it with the token")
    func forms() throws {
        let page = try scan([Self.layer(Self.everything)])
        let forms = page.tags("form").filter { $0.attributes["action"] == "/scenes/desk%201/act" }
        #expect(forms.count == 2)
        #expect(forms.allSatisfy { $0.attributes["method"] == "post" })
        let tokens = page.tags("input").filter { $0.attributes["name"] == "token" }
        #expect(tokens.count == 3 && tokens.allSatisfy { $0.attributes["value"] == "t0k3n" })
        let identifiers = page.tags("input").filter { $0.attributes["name"] == "identifier" }
        #expect(identifiers.count == 2 && identifiers.allSatisfy { $0.attributes["value"] == "a1" })
        let actions = page.tags("button").filter { $0.attributes["name"] == "action" }
        #expect(
            Set(actions.compactMap { $0.attributes["value"] }) == ["back", "rooms", "go", "open", "delete", "print"])
        #expect(actions.contains { $0.attributes["data-confirm"] == "Delete it?" })
        #expect(actions.first { $0.attributes["value"] == "print" }?.attributes["disabled"] != nil)
    }

    @Test(
        "an image is loaded from below the page's address, with its size and what is in it",
        arguments: SceneAccess.allCases
    )
    func image(access: SceneAccess) throws {
        let image = HostileTextTests.image("A <lamp>")
        let address = "/scenes/desk%201/images/\(String(repeating: "a", count: 64))"
        let tags = try scan([Self.layer([image])], access: access).tags("img")
        #expect(
            tags.map(\.attributes) == [["src": address, "alt": "A &lt;lamp&gt;", "width": "8", "height": "4"]])
        let other = HostileTextTests.image("A <lamp>", hash: String(repeating: "b", count: 64))
        func picture(_ image: ContentNode) -> ScenePicture {
            ScenePicture(layers: SceneLayers([Self.layer([image])]), state: "running", isLive: true)
        }
        let patch = ScenePatch(address: .wall("Lobby"), from: picture(image), to: picture(other), access: access)
        #expect(patch.operations.count == 1)
        #expect(patch.json.contains("/wall/Lobby/images/\(String(repeating: "b", count: 64))"))
    }

    @Test("a large text says so, beside what it means")
    func largeText() throws {
        let page = try scan([
            Self.layer([TextBlock("Free", level: .good, size: .large).node, TextBlock("Room 4").node])
        ])
        let texts = page.tags("p").filter { $0.attributes["class"] == "block text" }
        #expect(texts.map { $0.attributes["data-size"] } == ["large", nil])
        #expect(texts.map { $0.attributes["data-level"] } == ["good", nil])
    }

    @Test("a row and a cell say what they mean, also to who sees no colour", arguments: SceneAccess.allCases)
    func levels(access: SceneAccess) throws {
        let blocks = [
            ListBlock([.init(key: "a", title: "Row", action: "open", level: .warning), .init(key: "b", title: "Other")])
                .node,
            TableBlock(
                [.init("Name"), .init("State")],
                rows: [.init(key: "a", cells: ["Cell", "late"], action: "open", levels: [nil, .error])]
            ).node,
        ]
        let page = try scan([Self.layer(blocks)], access: access)
        #expect(
            page.tags("li").filter { $0.attributes["data-key"] != nil }.map { $0.attributes["data-level"] } == [
                "warning", nil,
            ])
        #expect(page.tags("td").map { $0.attributes["data-level"] } == [nil, "error"])
        #expect(page.text.contains("Warning: Row") && page.text.contains("Error: late"))
    }

    @Test("a meter says its large figure in its line, and below the bar the other one and what its marks are")
    func meter() throws {
        func page(_ meter: MeterBlock) throws -> MarkupScan { try scan([Self.layer([meter.node])], access: .view) }
        let lifts = try page(MeterBlock("Lifts", share: 0.5, low: 0.1, high: 0.9, detail: "1 of 2", shows: .value))
        #expect(lifts.text.contains("Lifts1 of 250.0 % · low below 10.0 % · high above 90.0 %"), "\(lifts.text)")
        #expect(lifts.tags("div").compactMap { $0.attributes["aria-valuetext"] } == ["1 of 2"])
        let rooms = try page(MeterBlock("Rooms", share: 1, high: 0.9, detail: "9 of 9"))
        #expect(rooms.text.contains("Rooms100.0 %High · 9 of 9 · high above 90.0 %"), "\(rooms.text)")
        // A mark at an end is not drawn, and not explained.
        let bare = try page(MeterBlock("Disk", share: 0.5, low: 0, high: 1))
        #expect(bare.text.contains("Disk50.0 %") && !bare.text.contains("above"), "\(bare.text)")
    }

    @Test("who may only see the scene gets no field and no button, and what the fields have")
    func viewer() throws {
        let page = try scan([Self.layer(Self.everything)], access: .view)
        #expect(page.tags("button").count == 1, "to log out")
        #expect(page.tags("select").isEmpty && page.tags("textarea").isEmpty)
        #expect(page.tags("input").allSatisfy { $0.attributes["type"] == "hidden" })
        #expect(page.text.contains("Mei") && page.text.contains("Sea side") && page.text.contains("Row"))
    }

    @Test(
        "a toggle is on as it is on other surfaces", arguments: ["true": true, "on": true, "false": false, "": false])
    func toggles(value: String, isOn: Bool) throws {
        let layer = Self.layer([FieldBlock(name: "vip", label: "VIP", kind: .toggle, value: value).node])
        let box = try #require(try scan([layer]).tags("input").first { $0.attributes["type"] == "checkbox" })
        #expect((box.attributes["checked"] != nil) == isOn)
        #expect(try scan([layer], access: .view).text.contains(isOn ? "VIPyes" : "VIPno"))
    }

    @Test("Enter in a field performs what most users want, and never what takes something away")
    func defaultButton() throws {
        func enter(_ blocks: [ContentNode]) throws -> MarkupScan.Tag? {
            try scan([Self.layer(blocks)]).tags("button").first { $0.attributes["class"] == "default" }
        }
        let field = FieldBlock(name: "a", label: "A").node
        let plain = ActionBlock(name: "plain", label: "P").node
        let main = ActionBlock(name: "main", label: "M", style: .main).node
        let destructive = ActionBlock(name: "delete", label: "D", style: .destructive).node
        #expect(try enter([plain, field, destructive, plain, main])?.attributes["value"] == "main")
        #expect(try enter([field, destructive, plain])?.attributes["value"] == "plain")
        #expect(try enter([plain, field, destructive])?.attributes["disabled"] != nil)
    }

    @Test("a sheet is a dialog, and what is below it takes no input")
    func sheet() throws {
        let page = try scan([Self.layer([]), Self.layer([], key: "sheet")])
        let sections = page.tags("section")
        #expect(sections.map { $0.attributes["inert"] != nil } == [true, false])
        #expect(sections.map { $0.attributes["role"] } == [nil, "dialog"])
        #expect(sections.map { $0.attributes["data-key"] } == ["screen", "sheet"])
    }

    @Test("a page says which fields stay in it until an action, and no field is kept by the browser")
    func privateFields() throws {
        let page = try scan([
            Self.layer([
                FieldBlock(name: "name", label: "Name").node, FieldBlock(name: "pin", label: "PIN", kind: .secret).node,
                FieldBlock(name: "diary", label: "Diary", kind: .lines, isPrivate: true).node,
                FieldBlock(name: "vip", label: "VIP", kind: .toggle).node,
                FieldBlock(name: "room", label: "Room", kind: .choice, choices: [.init("1")]).node,
            ])
        ])
        let fields = ["input", "textarea", "select"].flatMap { page.tags($0) }
            .filter { $0.attributes["name"]?.hasPrefix("field.") == true }
        #expect(fields.count == 5 && fields.allSatisfy { $0.attributes["autocomplete"] == "off" })
        let stay = fields.filter { $0.attributes["data-private"] != nil }.compactMap { $0.attributes["name"] }
        #expect(stay == ["field.pin", "field.diary"])
    }

    @Test("a refused action is said, and what was typed stays but for secrets")
    func refused() throws {
        let page = try scan(
            [Self.layer(Self.everything)], notice: "The room is taken", typed: ["guest": "Åsa", "pin": "1234"])
        #expect(page.text.contains("The room is taken"))
        let values = page.tags("input").compactMap { $0.attributes["value"] }
        #expect(values.contains("Åsa") && !values.contains("1234"))
    }

    @Test("a page loads itself again without a script, unless something can be typed into it")
    func reload() throws {
        func reloads(_ blocks: [ContentNode]) throws -> Bool {
            try scan([Self.layer(blocks)]).tags("meta").contains { $0.attributes["http-equiv"] == "refresh" }
        }
        #expect(try reloads([TextBlock("Hello").node]))
        #expect(try !reloads(Self.everything))
        let viewed = try scan([Self.layer(Self.everything)], access: .view)
        #expect(viewed.tags("meta").contains { $0.attributes["http-equiv"] == "refresh" })
    }

    @Test("a scene that has shown nothing says so, and what is not live is said to be older")
    func missing() throws {
        #expect(try scan([]).text.contains("has not shown anything yet"))
        let picture = ScenePicture(
            layers: SceneLayers([Self.layer([])]), state: "cut off", isLive: false, since: 0, problem: "no worker")
        let page = ScenePage(address: .scene("s"), picture: picture, access: .use, revision: "1").html(in: Self.frame)
        #expect(page.contains("what you see is older") && page.contains("no worker"))
        #expect(page.contains("<time datetime=\"1970-01-01T00:00:00Z\">"))
    }

    @Test(
        "a scene that does not run says what is waited for and what to do, but not before a wall",
        arguments: [nil, "waiting", "connecting", "moving", "resuming", "cut off", "withdrawing"] as [String?])
    func words(state: String?) throws {
        let words = SessionWords(state)
        let advice = try #require(words.advice)
        #expect(words.text != state && words.text.contains(" "))
        let picture = ScenePicture(
            layers: SceneLayers([]), state: words.text, isLive: false, since: 0, problem: nil, advice: advice)
        func text(_ address: SceneAddress) throws -> String {
            try MarkupScan(
                ScenePage(address: address, picture: picture, access: .use, revision: "1").html(in: Self.frame)
            ).text.replacing("&#39;", with: "'")
        }
        #expect(try text(.scene("s")).contains(words.text) && text(.scene("s")).contains(advice))
        #expect(try text(.wall("s")).contains(words.text) && !text(.wall("s")).contains(advice))
    }

    @Test("a state that is not known is said as it is, and a scene that runs needs no advice")
    func otherWords() {
        #expect(SessionWords("running") == SessionWords("running") && SessionWords("running").text == "Ready")
        #expect(SessionWords("running").advice == nil && SessionWords("being packed").text == "being packed")
    }

    @Test("who else looks is one line above the scene, which is there for nobody, too, and not on a wall")
    func company() throws {
        let picture = ScenePicture(layers: SceneLayers([Self.layer([])]), state: "running", isLive: true)
        func page(_ company: PageCompany, isWall: Bool = false) -> String {
            ScenePage(address: .scene("s"), picture: picture, access: .use, revision: "1", company: company)
                .html(in: PageFrame(application: "Hotel", isWall: isWall))
        }
        let some = page(PageCompany(["Ada", "front <desk>"], more: 3))
        #expect(
            some.contains(
                "<p id=\"company\">Also here: <bdi>Ada</bdi>, <bdi>front &lt;desk&gt;</bdi>, 3 more</p>"), "\(some)")
        #expect(page(PageCompany()).contains("<p id=\"company\"></p>"))
        #expect(page(PageCompany([], more: 2)).contains("<p id=\"company\">Also here: 2 more</p>"))
        #expect(!page(PageCompany(["Ada"]), isWall: true).contains("Ada"))
        #expect(PageCompany(["Ada\n"]).event.hasPrefix("event: company\ndata: \""))
        #expect(PageCompany(["Ada\n"]).event.split(separator: "\n").count == 2)
    }

    @Test("a page on a wall has no header, and its stream and its forms are at its own address")
    func wall() throws {
        let layer = Self.layer(Self.everything)
        let picture = ScenePicture(layers: SceneLayers([layer]), state: "running", isLive: true)
        func scan(_ access: SceneAccess) throws -> MarkupScan {
            let page = ScenePage(address: .wall("Lobby 1"), picture: picture, access: access, revision: "1")
            return try MarkupScan(page.html(in: PageFrame(application: "Hotel", token: "t", isWall: true)))
        }
        for access in SceneAccess.allCases {
            let page = try scan(access)
            #expect(page.tags("header").isEmpty)
            #expect(page.tags("html").allSatisfy { $0.attributes["class"] == "wall" })
            #expect(page.tags("main").compactMap { $0.attributes["data-events"] } == ["/wall/Lobby%201/events"])
        }
        let actions = try scan(.use).tags("form").compactMap { $0.attributes["action"] }
        #expect(!actions.isEmpty && actions.allSatisfy { $0 == "/wall/Lobby%201/act" })
        #expect(try scan(.view).tags("form").isEmpty && scan(.view).tags("button").isEmpty)
    }

    @Test("a wall says how the scene is only while it does not run", arguments: [true, false])
    func wallState(isLive: Bool) throws {
        let picture = ScenePicture(
            layers: SceneLayers([Self.layer([])]), state: "how it is", isLive: isLive, since: 1, problem: "broken")
        func text(_ address: SceneAddress) throws -> String {
            let page = ScenePage(address: address, picture: picture, access: .view, revision: "1")
            return try MarkupScan(page.html(in: PageFrame(application: "Hotel"))).text
        }
        #expect(try text(.wall("Lobby")).contains("how it is") == !isLive)
        #expect(try text(.wall("Lobby")).contains("broken") && text(.scene("s")).contains("how it is"))
        // It comes and goes with a change, too.
        var other = picture
        other.isLive.toggle()
        let change = ScenePatch(address: .wall("Lobby"), from: other, to: picture, access: .view).json
        #expect(change.contains("how it is") == !isLive && change.contains("\"state\""))
    }

    @Test("a change is drawn for the address at which it is shown")
    func addresses() {
        let picture = ScenePicture(
            layers: SceneLayers([Self.layer(Self.everything)]), state: "running", isLive: true)
        let wall = ScenePatch(address: .wall("Lobby"), from: nil, to: picture, access: .use)
        #expect(wall.json.contains("/wall/Lobby/act") && !wall.json.contains("/scenes/"))
    }
}
