import CBOR
import CoordinatorKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ResponderChainTests {
    /// A view in a controller's view, the controller, its coordinator and that one's parent; one of them handles messages.
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
    func `whoever sends, the first that handles it at or above answers`(sender: Int, handler: Int) async throws {
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

    @Test func `the lower of two that handle a message gets it`() async throws {
        let (lower, upper) = (CounterCoordinator(), CounterCoordinator())
        upper.startChild(lower)
        lower.chain.counterShow(page: "here")
        #expect(try await lower.coordinatingResponder.chain.counterAdd(1, note: "above") == 2)
        #expect(lower.log.lines == ["show here"])
        #expect(upper.log.lines == ["add 1 above"])
    }

    @Test func `the handler's own error reaches the sender`() async {
        let coordinator = CounterCoordinator()
        await #expect(throws: CounterOverflow(amount: 1000)) {
            try await coordinator.chain.counterAdd(1000, note: "too much")
        }
    }

    @Test func `a handler can pass a message on, changed`() async throws {
        let (below, passing, top) = (SilentCoordinator(), PassingCoordinator(), CounterCoordinator())
        top.startChild(passing)
        passing.startChild(below)
        #expect(try await below.chain.counterAdd(4, note: "four") == 41)
        below.chain.counterShow(page: "total")
        #expect(top.log.lines == ["reset 0", "add 40 four!", "show total!"])
    }

    @Test func `what a handler leaves out of a protocol climbs on`() async throws {
        let (part, top) = (ResettingCoordinator(), CounterCoordinator())
        top.startChild(part)
        #expect(try await part.chain.counterAdd(1, note: "one") == 2)
        try await part.chain.counterReset(to: 9)
        part.chain.counterShow(page: "total")
        #expect(part.log.lines == ["reset 9"])
        #expect(top.log.lines == ["add 1 one", "show total"])
        #expect(top.log.senders == ["ResettingCoordinator", "ResettingCoordinator"])
    }

    @Test func `an unhandled request throws its name and the path that it climbed`() async throws {
        let ranks = Ranks(handling: nil)
        let path = ["View", "View", "ViewController", "SilentCoordinator", "SilentCoordinator"]
        let error = await #expect(throws: MessageError.self) {
            try await ranks.responders[0].chain.counterAdd(1, note: "")
        }
        #expect(error == MessageError(.unhandled, message: "counterAdd", path: path))
        #expect(
            error?.description == "no responder handles 'counterAdd'; it climbed " + path.joined(separator: " > "))
    }

    @Test func `a request that is left to climb on and then unhandled tells the whole path`() async throws {
        let (below, part) = (SilentCoordinator(), ResettingCoordinator())
        part.startChild(below)
        let error = await #expect(throws: MessageError.self) { try await below.chain.counterAdd(1, note: "") }
        #expect(error?.code == .unhandled)
        #expect(error?.path == ["SilentCoordinator", "ResettingCoordinator"])
    }

    @Test func `a request from nobody is unhandled`() async {
        let nobody: Responder? = nil
        await #expect(throws: MessageError(.unhandled, message: "counterReset")) {
            try await nobody.chain.counterReset(to: 1)
        }
    }

    @Test func `unhandled posts are counted, handled ones are not`() {
        let part = PartialLostCoordinator()
        let top = SilentCoordinator()
        top.startChild(part)
        let before = UnhandledPosts.shared.counts
        part.chain.lostFound()
        part.chain.lostForever()
        top.chain.lostFound()
        top.chain.lostFound()
        let nobody: Responder? = nil
        nobody.chain.lostFound()
        let counts = UnhandledPosts.shared.counts
        #expect(part.found == 1)
        #expect(counts["lostFound", default: 0] - before["lostFound", default: 0] == 3)
        #expect(counts["lostForever", default: 0] - before["lostForever", default: 0] == 1)
    }

    @Test func `at the end of the chain a forwarder takes what nobody handled`() async throws {
        let (below, part) = (SilentCoordinator(), ResettingCoordinator())
        part.startChild(below)
        let forwarder = RecordingForwarder()
        let top = ResponderCoordinator()
        top.above = forwarder
        top.startChild(part)
        #expect(try await below.chain.within(.seconds(3)).counterAdd(1, note: "one") == 42)
        try await below.chain.counterReset(to: 7)
        below.chain.counterShow(page: "total")
        #expect(forwarder.messages == ["counterAdd", "counterShow"])
        #expect(forwarder.senders == ["SilentCoordinator", "SilentCoordinator"])
        #expect(forwarder.timeouts == [.seconds(3), nil])
        #expect(part.log.lines == ["reset 7"])
    }

    @Test func `a request within a time ends when its handler takes longer, and the handler is cancelled`() async throws
    {
        let coordinator = EndlessCoordinator()
        let error = await #expect(throws: MessageError.self) {
            try await coordinator.chain.within(.milliseconds(20)).counterReset(to: 1)
        }
        #expect(error?.code == .timeout)
        #expect(error?.message == "counterReset")
        for await _ in coordinator.ended { break }
        #expect(coordinator.timeout == .milliseconds(20))
    }

    @Test func `a request within a time returns the reply, throws the error and knows its sender`() async throws {
        let coordinator = CounterCoordinator()
        let chain = coordinator.chain.within(.seconds(30))
        #expect(try await chain.counterAdd(1, note: "one") == 2)
        await #expect(throws: CounterOverflow(amount: 2000)) { try await chain.counterAdd(2000, note: "") }
        chain.counterShow(page: "total")
        #expect(coordinator.log.contexts.map { $0?.timeout } == [.seconds(30), .seconds(30), .seconds(30)])
        #expect(coordinator.log.senders == ["CounterCoordinator", "CounterCoordinator", "CounterCoordinator"])
        try await coordinator.chain.counterReset(to: 0)
        #expect(coordinator.log.contexts.last??.timeout == nil)
    }

    @Test func `cancelling the sender cancels a handler that it waits for with a deadline`() async throws {
        let coordinator = EndlessCoordinator()
        let sender = Task { try await coordinator.chain.within(.seconds(50)).counterReset(to: 1) }
        for await _ in coordinator.begun { break }
        sender.cancel()
        for await _ in coordinator.ended { break }
        await #expect(throws: CancellationError.self) { try await sender.value }
    }
}

@ResponderMessages protocol LostMessages {
    func lostFound()
    func lostForever()
}

extension ResponderChain: LostMessages {}

private final class PartialLostCoordinator: Coordinator<ViewController>, LostMessages {
    var found = 0
    init() { super.init(rootViewController: ViewController()) }
    func lostFound() { found += 1 }
}

/// Stands where a scene worker's link to its host does.
private final class RecordingForwarder: ForwardingResponder {
    private(set) var messages: [String] = []
    private(set) var senders: [String] = []
    private(set) var timeouts: [Duration?] = []

    private func record(_ context: MessageContext) {
        messages.append(context.message)
        senders.append(context.sender)
        timeouts.append(context.timeout)
    }

    override func forward<M: ResponderRequest>(_ message: M, context: MessageContext) async throws -> M.Reply {
        record(context)
        return try CBORDecoder().decode(M.Reply.self, from: CBOREncoder().encode(42))
    }

    override func forward<M: ResponderPost>(_ message: M, context: MessageContext) { record(context) }
}

/// Handles a request until it is cancelled.
private final class EndlessCoordinator: Coordinator<ViewController>, CounterMessages {
    let (begun, begin) = AsyncStream.makeStream(of: Bool.self)
    let (ended, end) = AsyncStream.makeStream(of: Bool.self)
    private(set) var timeout: Duration?

    init() { super.init(rootViewController: ViewController()) }

    func counterReset(to value: Int) async throws {
        timeout = MessageContext.current?.timeout
        begin.yield(true)
        let (silence, keptOpen) = AsyncStream.makeStream(of: Bool.self)
        for await _ in silence {}
        keptOpen.finish()
        end.yield(true)
        throw CancellationError()
    }
}
