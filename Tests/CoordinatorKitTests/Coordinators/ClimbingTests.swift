import CBOR
import CoordinatorKit
import Messaging
import Testing

/// The way of a message past coordinators.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ClimbingTests {
    /// A coordinator that sends messages to another responder than its parent.
    private final class TurningCoordinator: Coordinator<ViewController> {
        var turned: Responder?
        init() { super.init(rootViewController: ViewController()) }
        override var coordinatingResponder: Responder? { turned ?? super.coordinatingResponder }
    }

    private final class ReleasedCoordinator: Coordinator<ViewController> {
        init() { super.init(rootViewController: ViewController()) }
    }
    private final class AskedCoordinator: Coordinator<ViewController> {
        init() { super.init(rootViewController: ViewController()) }
    }

    /// Builds a chain from the top down.
    private func connect(_ coordinators: [any Coordinating]) {
        for (upper, lower) in zip(coordinators, coordinators.dropFirst()) { lower.parent = upper }
    }

    @Test func `A message climbs past coordinators, also past one that sends it aside`() {
        let (top, turning, aside) = (CounterCoordinator(), TurningCoordinator(), CounterCoordinator())
        let (lower, lowest) = (SilentCoordinator(), SilentCoordinator())
        connect([top, SilentCoordinator(), turning, lower, lowest])
        lowest.chain.counterShow(page: "lost: its grandparent has gone")
        let upper = SilentCoordinator()
        connect([top, upper, turning])
        lowest.chain.counterShow(page: "up")
        turning.turned = aside
        lowest.chain.counterShow(page: "aside")
        turning.turned = nil
        lowest.chain.counterShow(page: "up again")
        #expect(top.log.lines == ["show up", "show up again"])
        #expect(aside.log.lines == ["show aside"])
    }

    @Test func `A message follows a parent that changes`() {
        let (first, second, child) = (CounterCoordinator(), CounterCoordinator(), SilentCoordinator())
        let grandchild = SilentCoordinator()
        connect([first, child, grandchild])
        grandchild.chain.counterShow(page: "1")
        child.parent = second
        grandchild.chain.counterShow(page: "2")
        child.parent = nil
        grandchild.chain.counterShow(page: "3")
        child.parent = first
        grandchild.chain.counterShow(page: "4")
        #expect(first.log.lines == ["show 1", "show 4"])
        #expect(second.log.lines == ["show 2"])
    }

    @Test func `A message ends at a parent that has gone, whoever else is left`() {
        let top = CounterCoordinator()
        var middle: SilentCoordinator? = SilentCoordinator()
        let children = (0..<5).map { _ in SilentCoordinator() }
        middle?.parent = top
        for child in children { child.parent = middle }
        children[0].chain.counterShow(page: "all there")
        children[2].parent = top
        middle = nil
        for child in children { child.chain.counterShow(page: "gone") }
        #expect(children.map { $0.parent == nil } == [true, true, false, true, true])
        children[4].parent = top
        children[4].chain.counterShow(page: "back")
        #expect(top.log.lines == ["show all there", "show gone", "show back"])
    }

    @Test func `Children that go in any order leave their siblings connected`() {
        let top = CounterCoordinator()
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
            var children: [SilentCoordinator?] = (0..<3).map { _ in SilentCoordinator() }
            for child in children { child?.parent = top }
            for index in order {
                children[index] = nil
                for child in children { child?.chain.counterShow(page: "") }
            }
        }
        #expect(top.log.lines.count == 4 * (2 + 1))
    }

    @Test func `A parent that another thread releases leaves no trace in its children`() async {
        let top = CounterCoordinator()
        for _ in 0..<20 {
            let child = SilentCoordinator()
            var release: Task<Void, Never>
            do {
                let middle = SilentCoordinator()
                middle.parent = top
                child.parent = middle
                release = Task.detached { [middle] in withExtendedLifetime(middle) {} }
            }
            await release.value
            // The task's closure is released when its value is known, or a moment later. Then the main actor removes the
            // parent from the chain.
            var handled = -1
            while child.parent != nil || handled != top.log.lines.count {
                handled = top.log.lines.count
                try? await Task.sleep(for: .milliseconds(1))
                child.chain.counterShow(page: "")
            }
            #expect(child.climbedPath == ["SilentCoordinator"])
        }
    }

    @Test func `A message that releases a coordinator when it is asked for its handler climbs on`() {
        let (top, child) = (CounterCoordinator(), SilentCoordinator())
        var middle: ReleasedCoordinator? = ReleasedCoordinator()
        middle?.parent = top
        child.parent = middle
        InquisitiveMessage.onAsked = { if $0 == ReleasedCoordinator.self { middle = nil } }
        defer { InquisitiveMessage.onAsked = { _ in } }
        child.chain.post(InquisitiveMessage())
        #expect(child.parent == nil)
        #expect(top.log.lines == ["inquisitive"])
        child.chain.post(InquisitiveMessage())
        #expect(top.log.lines == ["inquisitive"])
    }

    @Test func `A message that is sent again when it is asked for its handler is handled each time`() {
        let (top, middle, child) = (CounterCoordinator(), AskedCoordinator(), SilentCoordinator())
        connect([top, middle, child])
        var isFirst = true
        InquisitiveMessage.onAsked = {
            guard $0 == AskedCoordinator.self, isFirst else { return }
            isFirst = false
            child.chain.post(InquisitiveMessage())
        }
        defer { InquisitiveMessage.onAsked = { _ in } }
        child.chain.post(InquisitiveMessage())
        #expect(top.log.lines == ["inquisitive", "inquisitive"])
        #expect(!isFirst)
    }

    @Test func `Coordinators that are above themselves do not make a message climb for ever`() async {
        let (first, second) = (SilentCoordinator(), SilentCoordinator())
        connect([first, second, first])
        let error = await #expect(throws: MessageError.self) { try await first.chain.counterReset(to: 1) }
        #expect(error?.code == .unhandled)
        #expect(error?.detail.contains("its own ancestor") == true)
        second.parent = nil
    }
}

/// A message that is written without the macro, and runs code of its own when it is asked for its handler.
private struct InquisitiveMessage: ResponderPost {
    static let name = "inquisitive"
    static let index = MessageIndex.next()
    @MainActor static var onAsked: (Responder.Type) -> Void = { _ in }

    static func handler(for type: Responder.Type) -> PostHandler<InquisitiveMessage>? {
        onAsked(type)
        guard type == CounterCoordinator.self else { return nil }
        return PostHandler { responder, _ in responder.cast(to: CounterCoordinator.self).log.write("inquisitive") }
    }

    init() {}
    init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {}
    func writeItem(to writer: inout CBORWriter) throws { writer.writeNull() }
}
