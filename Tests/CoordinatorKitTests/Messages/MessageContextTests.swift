import Testing

@testable import CoordinatorKit

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct MessageContextTests {
    @Test func `a handler knows the message, its sender and the path above it`() async throws {
        let (sender, handler) = (SilentCoordinator(), CounterCoordinator())
        handler.startChild(sender)
        _ = try await sender.chain.counterAdd(1, note: "")
        let context = try #require(handler.log.contexts.first ?? nil)
        #expect(context.message == "counterAdd")
        #expect(context.senderResponder === sender)
        #expect(handler.log.senders == ["SilentCoordinator"])
        #expect(handler.log.paths == [["SilentCoordinator", "CounterCoordinator"]])
        #expect(handler.log.sessions == [nil])
    }

    @Test func `there is a context only while a message is handled`() async throws {
        let coordinator = CounterCoordinator()
        #expect(MessageContext.current == nil)
        coordinator.chain.counterShow(page: "")
        try await coordinator.chain.counterReset(to: 0)
        #expect(coordinator.log.contexts.map { $0?.message } == ["counterShow", "counterReset"])
        #expect(MessageContext.current == nil)
    }

    @Test func `what a handler passes on keeps its sender, what it sends itself does not`() async throws {
        let (below, passing, top) = (SilentCoordinator(), PassingCoordinator(), CounterCoordinator())
        top.startChild(passing)
        passing.startChild(below)
        _ = try await below.chain.within(.seconds(20)).counterAdd(4, note: "four")
        #expect(top.log.lines == ["reset 0", "add 40 four!"])
        #expect(top.log.senders == ["CounterCoordinator", "SilentCoordinator"])
        #expect(top.log.contexts.map { $0?.timeout } == [nil, .seconds(20)])
    }

    @Test func `an error of the bus that a handler got for another message may follow what it did before`() async throws
    {
        let (sender, handler) = (SilentCoordinator(), ThrowingCoordinator())
        handler.startChild(sender)
        for (error, isSure) in [
            (MessageError(.peerLost, message: "other"), false),
            (MessageError(.overloaded, message: "counterAdd"), false),
            (MessageError(.unhandled, message: "counterAdd"), true),
        ] {
            handler.error = error
            for chain in [sender.chain, sender.chain.within(.seconds(20))] {
                do {
                    _ = try await chain.counterAdd(1, note: "")
                    Issue.record("it was answered")
                } catch let thrown as MessageError {
                    #expect(thrown.code == error.code)
                    #expect(thrown.message == error.message)
                    #expect(thrown.mayHaveBeenHandled == !isSure)
                }
            }
        }
    }

    @Test func `what a handler passes on has the message's id, what it sends after that has one of its own`() {
        let id = MessageID(high: 1, low: 2)
        let remote = MessageContext.Remote(
            sender: "Link", session: nil, path: [], requestID: 7, trace: .newTrace(), token: 0, messageID: id)
        let context = MessageContext("pay", from: remote, timeout: nil, at: nil, scene: nil)
        MessageContext.$current.withValue(context) {
            @MainActor func sent(_ name: String) -> MessageID? {
                MessageContext(sending: name, delivery: .once, from: nil, scene: nil, timeout: nil).messageID
            }
            #expect(sent("look") != id)
            #expect(sent("pay") == id)
            #expect(sent("pay") != id)
        }
    }

    @Test func `a handler knows the session whose scene sent the message, also when it was passed on`() async throws {
        let delegate = CounterAppDelegate()
        let (application, first) = try shopScene(delegate: delegate)
        let second = try #require(
            try application.requestSceneSessionActivation(configuration: "Shop").sceneCoordinator as? ShopCoordinator)
        let passing = PassingCoordinator()
        second.startChild(passing)
        _ = try await first.chain.counterAdd(1, note: "first")
        passing.chain.counterShow(page: "second")
        _ = try await application.chain.counterAdd(1, note: "nobody's")
        #expect(delegate.log.lines == ["add 1 first", "show second!", "add 1 nobody's"])
        let sessions = application.openSessions.map(\.persistentIdentifier)
        #expect(Set(sessions).count == 2)
        #expect(delegate.log.sessions == [sessions[0], sessions[1], nil])
    }

    @Test func `a handler in the scene knows the session too`() async throws {
        let (application, coordinator) = try shopScene()
        let handler = CounterCoordinator()
        coordinator.startChild(handler)
        handler.chain.counterShow(page: "")
        #expect(handler.log.sessions == [application.openSessions[0].persistentIdentifier])
    }

    @Test func `a message from another process keeps what is known of it there`() async throws {
        let (passing, top) = (PassingCoordinator(), CounterCoordinator())
        top.startChild(passing)
        let remote = MessageContext.Remote(
            sender: "LoginScreen", session: "s1", path: ["LoginScreen", "Link"], requestID: 7, trace: .newTrace(),
            token: 3)
        try await withCheckedThrowingContinuation { continuation in
            _ = passing.chain.begin(
                CounterMessagesList.counterAdd(amount: 1, note: ""), from: remote, timeout: .seconds(4)
            ) { continuation.resume(with: $0.map { _ in }) }
        }
        #expect(top.log.senders == ["CounterCoordinator", "LoginScreen"])
        #expect(top.log.sessions == [nil, "s1"])
        #expect(top.log.paths.last == ["LoginScreen", "Link", "PassingCoordinator", "CounterCoordinator"])
        let passed = try #require(top.log.contexts.last ?? nil)
        #expect(passed.timeout == .seconds(4))
        #expect(passed.remote?.requestID == 7)
        #expect(passed.trace == remote.trace)
        #expect(passed.senderResponder == nil)
    }
}

/// The top of the chain, with its own answer to counter messages.
final class CounterAppDelegate: AppDelegate, CounterMessages {
    let log = CounterLog()
    func counterAdd(_ amount: Int, note: String) async throws -> Int { try log.add(amount, note) }
    func counterReset(to value: Int) async throws { log.write("reset \(value)") }
    func counterShow(page: String) { log.write("show \(page)") }
}

/// Throws what a test wants.
private final class ThrowingCoordinator: Coordinator<ViewController>, CounterMessages {
    var error = MessageError(.unhandled, message: "")
    init() { super.init(rootViewController: ViewController()) }

    func counterAdd(_ amount: Int, note: String) async throws -> Int { throw error }
    func counterReset(to value: Int) async throws { throw error }
    func counterShow(page: String) {}
}
