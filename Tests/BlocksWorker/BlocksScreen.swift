import CoordinatorKit

/// Every block, with texts that surfaces have to get right: long ones, wide ones, and signs that mean something in a page.
final class BlocksScreen: ViewController {
    /// How often something has changed.
    @Kept var ticks = 0
    /// How many guests have come, which changes numbers and nothing else.
    @Kept var arrived = 0
    @Kept var done = "nothing"

    @Kept var guest = ""
    @Kept var nights = 3
    @Kept var notes = ""
    @Kept var meal: Meal = .soup
    @Kept var late = false
    @Kept var day: Day = Day(kept: "2026-11-29")
    @Kept var wish = ""
    @Kept var hour: Hour = Hour(kept: "14:30")

    /// A red PNG of 8 x 4 pixels.
    static let photo = ImageData([
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
        0x00, 0x08, 0x00, 0x00, 0x00, 0x04, 0x08, 0x02, 0x00, 0x00, 0x00, 0x3C, 0xAF, 0xE9, 0xA7, 0x00, 0x00, 0x00,
        0x11, 0x49, 0x44, 0x41, 0x54, 0x78, 0xDA, 0x63, 0x38, 0x21, 0x67, 0x83, 0x15, 0x31, 0x50, 0x4F, 0x02, 0x00,
        0x26, 0xCD, 0x24, 0x41, 0x3A, 0x97, 0x5D, 0xC2, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42,
        0x60, 0x82,
    ])

    override var screen: Screen? {
        Screen("Every block") {
            texts
            rows
            figures
            fields
            actions
        }
    }

    private var texts: Section {
        Section("Texts") {
            Text("A text with <b>signs</b> & 世界 🎩, and a second line:\nhere it is.")
            Text("A note.", level: .note)
            Text("It is good.", level: .good)
            Text("Take care.", level: .warning)
            Text("It failed.", level: .error)
            Text("A headline", level: .good, size: .large)
            Fact("Done", done)
            Fact("Ticks", .count(ticks))
            Fact("Memory", .size(3 << 30))
            Fact("Began", .time(1_764_426_600))
            WebLink("A map", address: "https://example.org/map?a=1&b=2")
            OwnPart()
        }
    }

    private var rows: Section {
        Section("Rows") {
            List(ticks.isMultiple(of: 2) ? Line.all : Line.all.reversed(), name: "line") { line in
                Row(
                    line.title, detail: "\(line.title) in detail", badge: "badge \(line.id)",
                    level: line.id == 2 ? .warning : nil)
            } onSelect: { [self] line in
                done = "line \(line.id)"
            }
            List([Line](), name: "none", placeholder: "Nobody is here.") { Row($0.title) }
            Table(Line.all, name: "cell", total: 9120) {
                Column("Word") { $0.title }
                Column("Long word") { _ in String(repeating: "unbroken", count: 12) }
                Column("Count") { .count($0.id * 1000 + self.ticks + self.arrived) }
                Column("Share") { .percent(Double($0.id) / 8) }
                Column("Fifth", level: { $0.id == 1 ? .error : .good }) { _ in "some text" }
                Column("Sixth") { _ in "some text" }
                Column("Seventh") { _ in "some text" }
                Column("Eighth") { _ in "the last cell" }
            } onSelect: { [self] line in
                done = "cell \(line.id)"
            }
            Text(String(repeating: "Donaudampfschifffahrt", count: 20))
        }
    }

    private var figures: Section {
        Section("Figures") {
            Meter("Rooms taken", 23 + arrived, of: 50, high: 0.9)
            Meter("Disk", 0.97, high: 0.9, detail: "97 GB of 100 GB")
            Meter("Wind", nil)
            Image(Self.photo, alternative: "A red <door> & nothing else")
            Image(Array("<svg onload='alert(1)'/>".utf8), alternative: "A drawing")
            Chart(
                "Guests", over: .number,
                series: [
                    .init(key: "a", label: "Adults", points: (0..<20).map { .init(Double($0), Double($0 * $0 % 17)) }),
                    .init(key: "b", label: "Children", points: (0..<20).map { .init(Double($0), Double($0 % 5)) }),
                ])
        }
    }

    private var fields: Section {
        Section("Fields") {
            Field("Guest", $guest, hint: "As in the passport", isRequired: true)
            Field("Nights", $nights, error: nights > 30 ? "30 nights at most" : "")
            Field("Notes", $notes, isLong: true)
            SecretField("Door code")
            Choice("Meal", $meal, of: Meal.allCases) { $0 == .soup ? "The soup" : "The cake" }
            Toggle("Late", $late)
            Field("Day", $day)
            Field("Hour", $hour)
            if ticks % 10 < 5 { Field("Wish", $wish) }
        }
    }

    private var actions: Section {
        Section("Actions") {
            Action("Book", style: .main) { [self] fields in
                let code = fields.secret("door-code").revealed
                done = [
                    guest, "\(nights)", notes.replacing("\n", with: "/"), "a code of \(code.count)", meal.rawValue,
                    late ? "late" : "early", day.kept, hour.kept,
                ].joined(separator: ", ")
            }
            Action("Tick") { [self] in ticks += 1 }
            Action("Arrive") { [self] in arrived += 1 }
            Action("Open a sheet", name: "sheet") { [self] in present(SheetScreen()) }
            Action("Delete", style: .destructive, confirm: "Delete it for ever?") { [self] in done = "deleted" }
            Action("Refuse") { throw Refused() }
            Action("Print", unavailable: "no printer") {}
        }
    }
}

private struct Refused: Error, CustomStringConvertible { let description = "It was refused for a reason." }

/// A row of the list and of the table.
struct Line: Identifiable {
    let id: Int
    let title: String

    static let all = [Line(id: 1, title: "first"), Line(id: 2, title: "second"), Line(id: 3, title: "third")]
}

enum Meal: String, KeptValue, CaseIterable { case soup, cake }

struct Day: KeptValue {
    let kept: String
    static var fieldKind: FieldBlock.Kind { .date }
}

struct Hour: KeptValue {
    let kept: String
    static var fieldKind: FieldBlock.Kind { .time }
}

/// A block that no surface knows, and that says in words what it is.
private struct OwnPart: ScreenPart {
    func add(to parts: inout ScreenParts) { parts.add(StarsBlock()) }
}

private struct StarsBlock: TypedBlock {
    static let type = "stars"
    var fields: [String: ContentNode] { ["stars": .text("4"), "text": .text("Four stars of five.")] }

    init() {}
    init?(_ node: ContentNode) {}
}
