import SceneContent
import Testing

@testable import ConsolePages

@Suite(.timeLimit(.minutes(5)))
struct PostedActionTests {
    private let layer = ContentLayer(
        key: "lay%er", title: "",
        blocks: [
            ("1", FieldBlock(name: "na me", label: "Name").node),
            ("2", FieldBlock(name: "pin", label: "PIN", kind: .secret).node),
            ("3", FieldBlock(name: "room", label: "Room", kind: .choice, choices: [.init("a%b")]).node),
            ("4", FieldBlock(name: "notes", label: "Notes", kind: .lines).node),
            ("5", FieldBlock(name: "vip", label: "VIP", kind: .toggle).node),
        ])

    @Test("what a page posts is read as it was typed, secrets apart")
    func fields() throws {
        let posted = try #require(
            PostedAction(form: [
                ("token", "t"), ("layer", "lay%25er"), ("action", "check%20in"), ("field.na%20me", "Mei %41"),
                ("field.pin", "1234"), ("field.room", "a%25b"), ("field.notes", "one\r\ntwo"), ("field.other", "x"),
                ("unknown", "x"),
            ]))
        #expect(posted.action == "check in" && posted.layer == "lay%er" && !posted.isConfirmed)
        let (plain, secrets) = posted.fields(of: layer, isWhole: true)
        #expect(plain == ["na me": "Mei %41", "room": "a%b", "notes": "one\ntwo"])
        #expect(secrets == ["pin": "1234"])
    }

    @Test("of a form that the script has posted, the other fields are not sent: the scene may have something newer")
    func posted() throws {
        let layer = ContentLayer(
            key: "desk", title: "",
            blocks: [
                ("1", FieldBlock(name: "name", label: "Name", value: "Mei").node),
                ("2", FieldBlock(name: "pin", label: "PIN", kind: .secret).node),
                ("3", FieldBlock(name: "vip", label: "VIP", kind: .toggle, value: "true").node),
                ("4", FieldBlock(name: "late", label: "Late", kind: .toggle, value: "true").node),
            ])
        let posted = try #require(PostedAction(form: [("action", "go"), ("field.vip", "")]))
        let (plain, secrets) = posted.fields(of: layer, isWhole: false)
        #expect(plain == ["vip": ""])
        #expect(secrets.isEmpty)
        // It was typed, and another one may have typed something else meanwhile.
        let same = try #require(PostedAction(form: [("action", "go"), ("field.name", "Mei")]))
        #expect(same.fields(of: layer, isWhole: false).plain == ["name": "Mei"])
    }

    @Test("of a form that a browser has posted itself, what is as the page was drawn is not sent")
    func whole() throws {
        let fields = [
            FieldBlock(name: "name", label: "Name", value: "Mei\r\nLi\u{1B}"),
            FieldBlock(name: "notes", label: "Notes", kind: .lines, value: "\r\none\r\ntwo\u{2028}three\u{202E}"),
            FieldBlock(name: "size", label: "Size", kind: .choice, value: "XL", choices: [.init("S"), .init("M")]),
            FieldBlock(name: "room", label: "Room", kind: .choice, value: "b", choices: [.init("a"), .init("b")]),
            FieldBlock(name: "day", label: "Day", kind: .date, value: "soon"),
            FieldBlock(name: "vip", label: "VIP", kind: .toggle, value: "true"),
            FieldBlock(name: "late", label: "Late", kind: .toggle, value: "false"),
            FieldBlock(name: "early", label: "Early", kind: .toggle, value: "true"),
            FieldBlock(name: "new", label: "New", value: "since the page was drawn"),
        ]
        let layer = ContentLayer(key: "desk", title: "", blocks: fields.map { ($0.name, $0.node) })
        func plain(_ posted: (name: String, value: String)...) throws -> [String: String] {
            try #require(PostedAction(form: [("action", "go")] + posted)).fields(of: layer, isWhole: true).plain
        }
        let untouched = try plain(
            ("field.name", "Mei  Li\u{FFFD}"), ("field.notes", "\r\none\r\ntwo\r\nthree\u{FFFD}"), ("field.size", ""),
            ("field.room", "b"), ("field.day", ""), ("field.vip", "true"), ("field.early", "true"))
        #expect(untouched.isEmpty)
        let changed = try plain(
            ("field.name", ""), ("field.notes", "one"), ("field.size", "S"), ("field.room", "a"),
            ("field.day", "2026-11-29"), ("field.vip", "true"), ("field.late", "true"))
        #expect(
            changed == [
                "name": "", "notes": "one", "size": "S", "room": "a", "day": "2026-11-29", "late": "true", "early": "",
            ])
    }

    @Test("the way back and the tabs take no fields with them", arguments: [true, false])
    func bar(isWhole: Bool) throws {
        let layer = ContentLayer(
            key: "desk", title: "", tabs: [.init(action: "rooms", label: "Rooms", isSelected: false)],
            back: ActionBlock(name: "back", label: "Back"),
            blocks: [("1", FieldBlock(name: "name", label: "Name", value: "Mei").node)])
        for action in ["back", "rooms"] {
            let posted = try #require(PostedAction(form: [("action", action), ("field.name", "x")]))
            let (plain, secrets) = posted.fields(of: layer, isWhole: isWhole)
            #expect(plain.isEmpty && secrets.isEmpty)
        }
    }

    @Test("what was typed and not sent is read without what is private, and without what was not posted")
    func typed() {
        let layer = ContentLayer(
            key: "desk", title: "",
            blocks: [
                ("1", FieldBlock(name: "name", label: "Name").node),
                ("2", FieldBlock(name: "pin", label: "PIN", kind: .secret).node),
                ("3", FieldBlock(name: "diary", label: "Diary", isPrivate: true).node),
                ("4", FieldBlock(name: "vip", label: "VIP", kind: .toggle).node),
                ("5", FieldBlock(name: "room", label: "Room").node),
            ])
        let posted = PostedFields(form: [
            ("token", "t"), ("layer", "desk"), ("field.name", "Mei"), ("field.pin", "1234"), ("field.diary", "x"),
            ("field.vip", ""), ("field.other", "x"),
        ])
        #expect(posted.layer == "desk")
        #expect(posted.typed(in: layer) == ["name": "Mei", "vip": ""])
    }

    @Test("a form that names no action is none", arguments: ["", "%", "%4", "%GG", "%FF"])
    func noAction(name: String) {
        #expect(PostedAction(form: [("action", name)]) == nil)
        #expect(PostedAction(form: []) == nil)
    }

    @Test("a question is asked again without what was typed into secret fields")
    func confirmation() throws {
        let posted = try #require(
            PostedAction(form: [("action", "go"), ("field.pin", "1234"), ("field.na%20me", "Mei")]))
        let action = ActionBlock(name: "go", label: "Go", confirmation: "Sure?")
        let page = ConfirmationPage(address: .scene("s"), action: action, posted: posted, layer: layer)
            .html(in: PageFrame(application: "a"))
        #expect(page.contains("Sure?") && page.contains("Mei") && !page.contains("1234"))
        #expect(page.contains("name=\"confirmed\" value=\"1\""))
    }

    @Test("what a page posts says which act it is, also after a question")
    func identifier() throws {
        let posted = try #require(PostedAction(form: [("action", "go"), ("identifier", "a1")]))
        #expect(posted.identifier == "a1")
        #expect(try #require(PostedAction(form: [("action", "go")])).identifier == "")
        let page = ConfirmationPage(
            address: .scene("s"), action: ActionBlock(name: "go", label: "Go", confirmation: "Sure?"), posted: posted,
            layer: layer
        ).html(in: PageFrame(application: "a"))
        #expect(page.contains("name=\"identifier\" value=\"a1\""))
    }

    @Test("an answer says why an action was refused, whether it may have been performed, and whether to post it again")
    func answers() {
        #expect(
            ActionAnswer.unanswered(reason: "away").json == "{\"accepted\":false,\"again\":true,\"reason\":\"away\"}")
        #expect(ActionAnswer.unsure(reason: "lost").json == "{\"accepted\":false,\"unsure\":true,\"reason\":\"lost\"}")
        #expect(ActionAnswer.accepted.json == "{\"accepted\":true}")
        #expect(ActionAnswer.refused(reason: "a \"b\"").json == "{\"accepted\":false,\"reason\":\"a \\\"b\\\"\"}")
    }
}
