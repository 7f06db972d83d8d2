import CoordinatorKit
import Testing

/// The chain through views, view controllers and coordinators.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ScreenChainTests {
    /// A view in a controller's view, its controller, the controller's coordinator and that coordinator's parent. One
    /// of them handles messages.
    @MainActor private struct Ranks {
        let responders: [Responder]
        let log: CounterLog?

        init(handling rank: Int?) {
            let view = rank == 0 ? CounterView() : View()
            let controller = rank == 1 ? CounterViewController() : ViewController()
            let child: Coordinator<ViewController> = rank == 2 ? CounterCoordinator() : SilentCoordinator()
            let parent: Coordinator<ViewController> = rank == 3 ? CounterCoordinator() : SilentCoordinator()
            responders = [view, controller, child, parent]
            controller.view.addSubview(view)
            controller.parentCoordinator = child
            parent.startChild(child)
            log =
                (view as? CounterView)?.log ?? (controller as? CounterViewController)?.log
                ?? (child as? CounterCoordinator)?.log ?? (parent as? CounterCoordinator)?.log
        }
    }

    @Test(arguments: 0..<4, 0..<4)
    func `The first handler at or above the sender gets the message`(sender: Int, handler: Int) async throws {
        let ranks = Ranks(handling: handler)
        let log = try #require(ranks.log)
        let chain = ranks.responders[sender].chain
        if handler >= sender {
            #expect(try await chain.counterAdd(4, note: "four") == 5)
            try await chain.counterReset(to: 2)
            chain.counterShow(page: "total")
            #expect(log.lines == ["add 4 four", "reset 2", "show total"])
        } else {
            await #expect(throws: MessageError.self) { try await chain.counterAdd(4, note: "four") }
            #expect(log.lines == [])
        }
    }

    @Test func `An unhandled request throws its name and the path that it climbed`() async throws {
        let ranks = Ranks(handling: nil)
        let path = ["View", "View", "ViewController", "SilentCoordinator", "SilentCoordinator"]
        let error = await #expect(throws: MessageError.self) {
            try await ranks.responders[0].chain.counterAdd(1, note: "")
        }
        #expect(error == MessageError(.unhandled, message: "counterAdd", path: path))
        #expect(
            error?.description == "no responder handles 'counterAdd'; it climbed " + path.joined(separator: " > "))
    }
}
