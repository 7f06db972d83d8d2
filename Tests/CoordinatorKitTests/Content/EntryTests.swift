import CoordinatorKit
import SceneContent
import Testing

/// What is entered into the fields of a screen, and what an action has of it.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct EntryTests {
    private let window = Window()
    private let till = TillScreen()

    init() {
        window.rootViewController = till
        window.makeKeyAndVisible()
    }

    @Test(
        "A number may have spaces around it, and a comma before its decimals",
        arguments: [
            ("15.5", 15.5), ("15,50", 15.5), (" 15 ", 15), ("15,5\u{A0}", 15.5), ("-0,125", -0.125), ("1.234", 1.234),
            ("1234,567", 1234.567), ("12,3456", 12.3456), (",5", 0.5),
        ])
    func numbers(text: String, number: Double) async throws {
        try await window.perform(action: "save", fields: ["price": text, "count": " 3 "])
        #expect(till.saved == ["3 for \(number)"])
    }

    @Test(
        "An action is refused while a field has what is no number, or may be two of them",
        arguments: ["15,50 a", "1,234", "-12,345", "1.234,56", "1,234.56", "1,2,3", "1 234", "15,", "15.", "-"])
    func noNumbers(text: String) async {
        let error = ScreenActionError.wrongEntries(["Price: '\(text)' is not a number such as 1234.5"])
        await #expect(throws: error) { try await window.perform(action: "save", fields: ["price": text]) }
        await #expect(throws: error) { try await till.perform(action: "save", fields: ["price": text]) }
        #expect(till.saved.isEmpty && till.price == 12)
    }

    @Test("The refusal says it of each field, from top to bottom, but not what was entered into a private one")
    func sentences() async {
        let error = ScreenActionError.wrongEntries([
            "Price: nothing is entered, and it takes a number such as 1234.5",
            "Count: what was entered is not a whole number", "Size: 'XS' is not one of its choices",
            "Paid: 'perhaps' is not 'true' or 'false'", "Day: 'today' is not a day such as 2026-11-29",
            "Code: it has no four digits",
        ])
        await #expect(throws: error) {
            try await window.perform(
                action: "save",
                fields: [
                    "price": "", "count": "4.5", "size": "XS", "paid": "perhaps", "day": "today", "code": "123",
                    "note": "thanks",
                ])
        }
        #expect(till.saved.isEmpty)
        // What can be taken is stored, as it is while it is typed.
        #expect(till.note == "thanks")
    }

    @Test("A row is selected all the same, and stores what can be taken")
    func rows() async throws {
        try await window.perform(action: "row:1", fields: ["price": "x", "note": "thanks"])
        #expect(till.saved == ["row 1"])
        #expect(till.price == 12 && till.note == "thanks")
    }

    @Test("What is typed and not sent is stored if it can be taken, and nothing is refused")
    func typing() throws {
        let layer = try #require(window.layers.top?.key)
        #expect(window.fill(["price": "15,", "note": "thanks"], in: layer))
        #expect(till.price == 12 && till.note == "thanks")
        #expect(window.fill(["price": "15,5"], in: layer))
        #expect(till.price == 15.5)
    }

    @Test("What a field has already is not refused, whatever it is: nobody has entered it")
    func untouched() async throws {
        try await window.perform(action: "save", fields: ["size": "XL"])
        #expect(till.saved == ["1 for 12.0"])
    }

    @Test("An action has the values of all fields, of those that are not sent what the screen has")
    func allFields() async throws {
        till.count = 7
        try await window.perform(action: "list", fields: ["price": "15,50"])
        #expect(till.saved == ["15,50", "7", "XL", "", "2026-11-29", "", "", "0"])
    }

    @Test("Only what is sent is stored, and once")
    func onlySent() async throws {
        try await window.perform(action: "list", fields: ["note": "thanks"])
        #expect(till.tips.isEmpty && till.note == "thanks")
        try await window.perform(action: "list", fields: ["tip": "2"])
        #expect(till.tips == [2])
    }

    @Test("What is stored while a container waits is not overwritten by what the action came with")
    func waiting() async throws {
        let stack = WaitingStack(rootViewController: till)
        window.rootViewController = stack
        stack.meanwhile = { [till] in till.note = "newer" }
        for fields in [["count": "2"], ["note": "older"]] {
            try await window.perform(action: "list", fields: fields)
            #expect(till.note == "newer" && till.count == 2)
        }
    }

    @Test("A screen that is written as a plain content gets all fields, too")
    func plain() async throws {
        let form = FormScreen()
        window.rootViewController = form
        try await window.perform(action: "send", fields: ["name": "Mei"])
        #expect(form.sent == ["name": "Mei", "room": "12", "pin": ""])
    }
}

/// A container that waits before it passes an action on.
private final class WaitingStack: NavigationController {
    var meanwhile: () -> Void = {}

    override func perform(action: String, fields: [String: String]) async throws {
        meanwhile()
        try await super.perform(action: action, fields: fields)
    }
}

private final class FormScreen: ViewController {
    private(set) var sent: [String: String] = [:]

    override var content: ScreenContent {
        ScreenContent(
            fields: [
                .init(name: "name"), .init(name: "room", value: "12"), .init(name: "pin", isSecret: true),
            ], actions: [.init(name: "send")])
    }

    override func perform(action: String, fields: [String: String]) async throws { sent = fields }
}

private struct Dish: Identifiable {
    let id: Int
}

private struct Day: KeptValue {
    let kept: String

    init?(kept text: String) {
        guard text.utf8.count == 10 else { return nil }
        kept = text
    }

    init() { kept = "2026-11-29" }

    static var fieldKind: FieldBlock.Kind { .date }
}

/// A field of its own kind, which says itself what is wrong.
private struct CodeField: ScreenPart {
    struct Wrong: Error, CustomStringConvertible { let description = "it has no four digits" }

    func add(to parts: inout ScreenParts) {
        parts.add(FieldBlock(name: "code", label: "Code")) { text in
            if text.count != 4 { throw Wrong() }
        }
    }
}

private final class TillScreen: ViewController {
    @Kept var price = 12.0
    @Kept var count = 1
    /// It is none of the choices.
    @Kept var size = "XL"
    @Kept var paid = false
    @Kept fileprivate var day: Day = Day()
    @Kept var note = ""
    private(set) var saved: [String] = []
    /// What was stored as a tip.
    private(set) var tips: [Int] = []

    override var screen: Screen? {
        Screen("Till") {
            Field("Price", $price)
            Field("Count", $count, isPrivate: true)
            Choice("Size", $size, of: ["S", "M"])
            Toggle("Paid", $paid)
            Field("Day", $day)
            CodeField()
            Field("Note", $note)
            Field("Tip", FieldBinding(get: { [self] in tips.last ?? 0 }, set: { [self] in tips.append($0) }))
            Action("List") { [self] fields in
                saved = ["price", "count", "size", "paid", "day", "code", "note", "tip"].map { fields[$0] }
            }
            Action("Save") { [self] in saved.append("\(count) for \(price)") }
            List([Dish(id: 1)]) {
                Row("Dish \($0.id)")
            } onSelect: { [self] dish in
                saved.append("row \(dish.id)")
            }
        }
    }
}
