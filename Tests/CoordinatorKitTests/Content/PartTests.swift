import CoordinatorKit
import SceneContent
import Testing

/// How the parts of a screen say what their blocks are.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct PartTests {
    private let blocks: [ContentBlock]

    init() {
        let window = Window()
        window.rootViewController = SignScreen()
        window.makeKeyAndVisible()
        blocks = window.layers.top?.blocks.map(\.block) ?? []
    }

    @Test("A text can be a headline, with or without a level")
    func headlines() {
        #expect(
            blocks.prefix(2) == [
                .text(TextBlock("Free", level: .good, size: .large)), .text(TextBlock("Room 4", size: .large)),
            ])
    }

    @Test("A row and the cells of a column can have a level, of texts and of quantities")
    func levels() {
        let lists = blocks.compactMap { block in if case .list(let list) = block { list } else { nil } }
        #expect(lists.first?.rows.map(\.level) == [.warning, nil])
        let tables = blocks.compactMap { block in if case .table(let table) = block { table } else { nil } }
        #expect(tables.first?.rows.map(\.levels) == [[nil, .error, .note], []])
        #expect(tables.first?.columns.map(\.isTrailing) == [false, true, false])
    }

    @Test("A meter can show its value as the large figure")
    func meters() {
        let meters = blocks.compactMap { block in if case .meter(let meter) = block { meter } else { nil } }
        #expect(meters.map(\.figures) == [["1 of 3", "33.3 %"], ["50.0 %", "half"]])
    }

    @Test("A secret can be required, and has no value")
    func requiredSecret() {
        let fields = blocks.compactMap { block in if case .field(let field) = block { field } else { nil } }
        #expect(fields.map(\.isRequired) == [true, false])
        #expect(fields.allSatisfy { $0.kind == .secret && $0.value.isEmpty })
    }
}

private struct Room: Identifiable {
    let id: Int
    let name: String
    let isLate: Bool

    static let all = [Room(id: 1, name: "Sea", isLate: true), Room(id: 2, name: "Hill", isLate: false)]
}

private final class SignScreen: ViewController {
    override var screen: Screen? {
        Screen("Sign") {
            Text("Free", level: .good, size: .large)
            Text("Room 4", size: .large)
            List(Room.all) { Row($0.name, level: $0.isLate ? .warning : nil) }
            Table(Room.all) {
                Column("Room") { $0.name }
                Column("Number", level: { $0.isLate ? .error : nil }) { .count($0.id) }
                Column("State", level: { $0.isLate ? .note : nil }) { $0.isLate ? "late" : "" }
            }
            Meter("Lifts", 1, of: 3, shows: .value)
            Meter("Wind", 0.5, detail: "half")
            SecretField("Code", isRequired: true)
            SecretField("PIN")
        }
    }
}
