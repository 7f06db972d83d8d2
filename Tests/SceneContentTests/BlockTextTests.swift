import Messaging
import SceneContent
import Testing

/// What a terminal of a width shows of blocks.
@Suite(.timeLimit(.minutes(5)))
struct BlockTextTests {
    @Test("A section is a heading with a rule as long as its title")
    func section() {
        #expect(ContentBlock.section(SectionBlock("東京 now")).text() == "東京 now\n--------")
    }

    @Test("A text is wrapped at the width, says what it means, and keeps its line feeds and its spaces")
    func text() {
        #expect(
            ContentBlock.text(TextBlock("one two three\n  four", level: .warning)).text(width: 12)
                == "warning: one\ntwo three\n  four")
        #expect(ContentBlock.text(TextBlock("", level: nil)).text() == "")
    }

    @Test("A large text is the same text, and an unknown size is the normal one")
    func largeText() throws {
        let free = TextBlock("Free", level: .good, size: .large)
        #expect(ContentBlock(free.node) == .text(free))
        #expect(ContentBlock.text(free).text() == "good: Free")
        #expect(free.fields["size"] == "large" && TextBlock("Free").fields["size"] == nil)
        #expect(TextBlock(.map(["text": "Free", "size": "gigantic"]))?.size == .normal)
        let lines = ContentBlock.text(TextBlock("Free", size: .large)).lines(TextForm(width: 80), key: "a")
        #expect(lines.map(\.tone) == [.heading])
    }

    @Test("A word that is longer than a line is broken, also one of wide characters")
    func longWord() {
        #expect(ContentBlock.text(TextBlock("ab 0123456789abc d")).text(width: 10) == "ab\n0123456789\nabc d")
        #expect(ContentBlock.text(TextBlock("東京東京東京")).text(width: 10) == "東京東京東\n京")
    }

    @Test("The values of facts are aligned, and a long one is wrapped below its beginning")
    func facts() {
        let block = FactsBlock([
            .init(key: "a", label: "Host", value: "wall-1"), .init(key: "b", label: "温度", value: .number(21.5)),
            .init(key: "c", label: "Free", value: "one two three four"),
        ])
        #expect(
            ContentBlock.facts(block).text(width: 20)
                == "Host: wall-1\n温度: 21.50\nFree: one two three\n      four")
    }

    @Test("A row says its title, detail, badge and key, and the action that selects it")
    func list() {
        let block = ListBlock([
            .init(key: "7", title: "Mei", detail: "Room 12", badge: "new", action: "open"),
            .init(key: "8", title: "Ada"),
        ])
        #expect(ContentBlock.list(block).text() == "- Mei  Room 12  new  [7]  (open)\n- Ada  [8]")
        #expect(ContentBlock.list(ListBlock([], placeholder: "Nobody is here.")).text() == "Nobody is here.")
        #expect(ContentBlock.list(ListBlock([])).text() == "")
    }

    @Test("The level of a row is a word before it, and that of a cell a sign, which every kind of block keeps")
    func levels() {
        let list = ListBlock([.init(key: "7", title: "Mei", level: .warning), .init(key: "8", title: "Ada")])
        #expect(ContentBlock.list(list).text() == "- warning: Mei  [7]\n- Ada  [8]")
        #expect(ContentBlock(list.node) == .list(list))
        let table = TableBlock(
            [.init("Guest"), .init("Nights", isTrailing: true), .init("Note")],
            rows: [
                .init(key: "7", cells: ["Mei", .count(31), "late"], levels: [nil, .error]),
                .init(key: "8", cells: ["Ada", .count(3), "paid"], levels: [.note, nil, .good]),
                .init(key: "9", cells: ["Bob", .count(1), ""], levels: [nil, nil, nil]),
            ])
        #expect(
            ContentBlock.table(table).text() == """
                Guest  Nights  Note
                Mei      × 31  late    [7]
                i Ada       3  ✓ paid  [8]
                Bob         1          [9]
                """)
        #expect(ContentBlock(table.node) == .table(table))
        let lines = ContentBlock.table(table).lines(TextForm(width: 80), key: "a")
        #expect(lines.map(\.tone) == [.heading, .error, .good, .plain])
        #expect(table.rows[2].levels.isEmpty && table.node["rows"]?["9"]?["levels"] == nil)
    }

    @Test("A level that this version does not know is none, and those of cells that are not there are left out")
    func unknownLevels() {
        let node = ContentNode.map([
            "type": "table", "columns": .list([.map(["name": "a"]), .map(["name": "b"])]),
            "rows": .map(["1": .map(["cells": .list(["x"]), "levels": .list(["urgent", "good", "error"])])]),
            "order": .list(["1"]),
        ])
        guard case .table(let table) = ContentBlock(node) else {
            Issue.record("no table")
            return
        }
        #expect(table.rows.map(\.levels) == [[nil, .good]])
        #expect(table.rows[0].level(ofColumn: 1) == .good && table.rows[0].level(ofColumn: 2) == nil)
    }

    @Test("A table's cell is one line, also of a text of several lines; a list's row keeps them")
    func lineFeeds() {
        let table = TableBlock([.init("a"), .init("b")], rows: [.init(key: "1", cells: ["one\ntwo", "three"])])
        #expect(ContentBlock.table(table).text() == "a        b\none two  three  [1]")
        let list = ListBlock([.init(key: "1", title: "one\ntwo")])
        #expect(ContentBlock.list(list).text() == "- one\n  two  [1]")
    }

    private static let table = TableBlock(
        [.init("Guest"), .init("Nights", isTrailing: true)],
        rows: [
            .init(key: "7", cells: ["Mei 林", .count(12)], action: "open"), .init(key: "8", cells: ["Ada", .count(3)]),
        ], total: 9120)

    @Test("The columns of a table are aligned, each row has its key, and below it stands how much of it is shown")
    func table() {
        #expect(
            ContentBlock.table(Self.table).text()
                == "Guest   Nights\nMei 林      12  [7]  (open)\nAda          3  [8]\n2 of 9120")
    }

    @Test("The widest columns of a table are shortened to the width, and those without any room are counted")
    func narrowTable() {
        let long = TableBlock(
            [.init("Name"), .init("What it says"), .init("N")],
            rows: [.init(key: "1", cells: ["Ada", "a long text that does not fit", "7"])])
        #expect(
            ContentBlock.table(long).text(width: 20)
                == "Name  What …  N\nAda   a lon…  7  [1]")
        let many = TableBlock((0..<6).map { .init("c\($0)") }, rows: [])
        let text = ContentBlock.table(many).text(width: 18)
        #expect(text == "c0  c1  c2  c3\n2 more columns")
    }

    @Test("A meter is a bar with its share, and says when the share is beyond a mark")
    func meter() {
        #expect(ContentBlock.meter(MeterBlock("Memory", share: 0.41)).text() == "Memory [####------] 41.0 %")
        #expect(
            ContentBlock.meter(MeterBlock("Disk", share: 0.97, high: 0.9, detail: "97 of 100 GiB")).text()
                == "Disk [##########] 97.0 %, 97 of 100 GiB  (!)")
        #expect(ContentBlock.meter(MeterBlock("Disk", share: nil)).text() == "Disk [----------] –")
    }

    @Test("A meter whose value is its large figure says it before the share, if it has one")
    func meterOfValue() {
        let lifts = MeterBlock("Lifts", share: 1.0 / 3, high: 0.9, detail: "1 of 3", shows: .value)
        #expect(ContentBlock.meter(lifts).text() == "Lifts [###-------] 1 of 3, 33.3 %")
        #expect(lifts.text == "Lifts: 1 of 3, 33.3 %")
        #expect(ContentBlock(lifts.node) == .meter(lifts))
        #expect(MeterBlock("Lifts", share: 0.5, shows: .value).figures == ["50.0 %"])
        #expect(MeterBlock("Lifts", share: 0.5).fields["shows"] == nil)
        #expect(MeterBlock(.map(["label": "Lifts", "shows": "both"]))?.shows == .percentage)
    }

    private static func image(_ alternative: String) -> ContentBlock {
        ContentBlock(
            .map([
                "type": "image", "text": .text(alternative), "hash": .text(String(repeating: "a", count: 64)),
                "media": "image/png", "size": 1, "width": 1, "height": 1,
            ]))
    }

    @Test("A chart is a line for each series, with its course and its last, lowest and highest value")
    func chart() {
        let points = [1.0, 5, 3].enumerated().map { ChartBlock.Point(Double($0.offset), $0.element) }
        let chart = ChartBlock(
            "Load",
            series: [.init(key: "a", label: "1 min", points: points), .init(key: "b", label: "5 min", points: [])])
        #expect(ContentBlock.chart(chart).text() == "Load\n  1 min: ▁█▅  3  (1 to 5)\n  5 min: no values")
    }

    @Test("A field says its label, its value and its name, and below them what is wrong with the value")
    func field() {
        let field = FieldBlock(name: "user", label: "User", value: "ada", error: "taken", isRequired: true)
        #expect(ContentBlock.field(field).text() == "User: ada  (user, required)\n  error: taken")
        let choice = FieldBlock(
            name: "size", label: "Size", kind: .choice, value: "s", choices: [.init("s", label: "Small"), .init("l")])
        #expect(ContentBlock.field(choice).text() == "Size: Small  (size)\n  one of: s, l")
        #expect(
            ContentBlock.field(FieldBlock(name: "on", label: "On", kind: .toggle, value: "true")).text()
                == "On: yes  (on)")
        #expect(
            ContentBlock.field(FieldBlock(name: "note", label: "Note", kind: .lines, value: "a\nb")).text()
                == "Note:  (note)\n  a\n  b")
    }

    @Test("Nothing of a secret is shown, whatever its block says")
    func secret() {
        let node = ContentNode.map([
            "type": "field", "name": "password", "label": "Password", "kind": "secret", "value": "4711",
        ])
        #expect(ContentBlock(node).text() == "Password:   (password)")
    }

    @Test("An action says its name and label, and why it is not available")
    func action() {
        #expect(ContentBlock.action(ActionBlock(name: "go", label: "Go")).text() == "[go] Go")
        #expect(
            ContentBlock.action(ActionBlock(name: "go", label: "Go", unavailable: "no ticket")).text()
                == "[go] Go  (not available: no ticket)")
        #expect(
            ContentBlock.action(ActionBlock(name: "go", label: "Go", unavailable: "")).text()
                == "[go] Go  (not available)")
    }

    @Test("A link and a block of a later version are texts")
    func others() {
        #expect(ContentBlock.link(LinkBlock("Help", address: "https://a.example")).text() == "Help <https://a.example>")
        #expect(ContentBlock(.map(["type": "map", "text": "Two pins"])).text() == "Two pins")
    }

    @Test("Whatever block has them, control characters and those that turn the direction of text never come out")
    func harmless() {
        let evil = "a\u{1B}[2J\u{7}\u{9B}31m\u{202E}b\r\u{2066}\t\u{2028}c"
        let blocks: [ContentBlock] = [
            .section(SectionBlock(evil)), .text(TextBlock(evil, level: .error)),
            .facts(FactsBlock([.init(key: evil, label: evil, value: .text(evil))])),
            .list(ListBlock([.init(key: evil, title: evil, detail: evil, badge: evil, action: evil, level: .note)])),
            .list(ListBlock([], placeholder: evil)),
            .table(
                TableBlock([.init(evil)], rows: [.init(key: evil, cells: [.text(evil)], action: evil, levels: [.good])])
            ),
            .meter(MeterBlock(evil, share: 0.1, detail: evil)),
            .chart(ChartBlock(evil, series: [.init(key: evil, label: evil, points: [.init(0, 1)])])),
            Self.image(evil),
            .field(
                FieldBlock(
                    name: evil, label: evil, kind: .choice, value: evil, choices: [.init(evil)], hint: evil, error: evil
                )),
            .field(FieldBlock(name: evil, label: evil, value: evil)),
            .action(ActionBlock(name: evil, label: evil, unavailable: evil)), .link(LinkBlock(evil, address: evil)),
            .other(text: evil),
        ]
        let layers = SceneLayers([
            ContentLayer(key: "below", title: evil, blocks: []),
            ContentLayer(
                key: "a", title: evil, tabs: [.init(action: evil, label: evil, isSelected: true)],
                back: ActionBlock(name: evil, label: evil), blocks: []),
        ])
        for text in blocks.map({ $0.text(width: 30) }) + [layers.text(width: 30)] {
            #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isUnprintable }, "\(text.debugDescription)")
        }
    }

    @Test("No line is wider than the width", arguments: [10, 11, 24, 80, 200])
    func width(width: Int) {
        let text = "0123456789012345678901234567890 東京東京東京東京東京 👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧 e\u{301}e\u{301}"
        let blocks: [ContentBlock] = [
            .section(SectionBlock(text)), .text(TextBlock(text)),
            .facts(FactsBlock([.init(key: "a", label: text, value: .text(text))])),
            .list(ListBlock([.init(key: "a", title: text, detail: text, action: "b")])),
            .table(
                TableBlock(
                    [.init("a"), .init("b")],
                    rows: [.init(key: "a", cells: [.text(text), .text(text)], action: "b", levels: [nil, .error])])),
            .field(FieldBlock(name: "a", label: text, value: text, hint: text, error: text)),
            .action(ActionBlock(name: "a", label: text)), .meter(MeterBlock(text, share: 0.5)), Self.image(text),
            .chart(
                ChartBlock(
                    text, series: [.init(key: "a", label: text, points: (0..<99).map { .init(Double($0), Double($0)) })]
                )),
        ]
        for block in blocks {
            for line in block.text(width: width).split(separator: "\n") {
                #expect(String(line).displayWidth <= width, "\(line)")
            }
        }
    }

    @Test("A megabyte without a space is wrapped in time that grows with its length")
    func large() {
        let text = ContentBlock.text(TextBlock(String(repeating: "x", count: 1 << 20))).text(width: 80)
        #expect(text.utf8.count == 1 << 20 + (1 << 20) / 80)
    }
}
