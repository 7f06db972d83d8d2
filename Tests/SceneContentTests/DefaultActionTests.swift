import SceneContent
import Testing

/// What Enter in a field performs, on every surface.
@Suite(.timeLimit(.minutes(1)))
struct DefaultActionTests {
    private let field = FieldBlock(name: "a", label: "A").node
    private let plain = ActionBlock(name: "plain", label: "P").node
    private let other = ActionBlock(name: "other", label: "O").node
    private let main = ActionBlock(name: "main", label: "M", style: .main).node
    private let destructive = ActionBlock(name: "delete", label: "D", style: .destructive).node

    private func enter(_ nodes: ContentNode...) -> String? {
        ContentLayer(key: "a", title: "", blocks: nodes.enumerated().map { ("\($0.offset)", $0.element) })
            .defaultAction?.name
    }

    @Test("It is the action that most users want, wherever it stands")
    func mainAction() {
        #expect(enter(plain, field, destructive, plain, main) == "main")
        #expect(enter(main, field, plain) == "main")
    }

    @Test("Without one that is available it is the first one after a field, and never one that takes something away")
    func firstAction() {
        #expect(enter(plain, field, destructive, other) == "other")
        #expect(enter(field, other, plain, field) == "other")
        let off = ActionBlock(name: "off", label: "O", style: .main, unavailable: "it is closed").node
        #expect(enter(field, off, plain) == "plain")
        #expect(enter(plain, field, destructive) == nil)
        #expect(enter(plain) == nil)
    }
}
