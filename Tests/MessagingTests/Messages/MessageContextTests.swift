import CBOR
import Testing

@testable import Messaging

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct MessageContextTests {
    @Test func `A handler knows the message, its sender and the path that it climbed`() async throws {
        let (sender, handler) = (SilentResponder(), CounterResponder())
        handler.place(sender)
        _ = try await sender.chain.counterAdd(1, note: "")
        let context = try #require(handler.log.contexts.first ?? nil)
        #expect(context.message == "counterAdd")
        #expect(context.senderResponder === sender)
        #expect(handler.log.senders == ["SilentResponder"])
        #expect(handler.log.paths == [["SilentResponder", "CounterResponder"]])
        #expect(handler.log.sessions == [nil])
    }

    @Test func `There is a context only while a message is handled`() async throws {
        let responder = CounterResponder()
        #expect(MessageContext.current == nil)
        responder.chain.counterShow(page: "")
        try await responder.chain.counterReset(to: 0)
        #expect(responder.log.contexts.map { $0?.message } == ["counterShow", "counterReset"])
        #expect(MessageContext.current == nil)
    }

    @Test func `A message that is passed on keeps its sender, and a handler's new message does not`() async throws {
        let (below, passing, top) = (SilentResponder(), PassingResponder(), CounterResponder())
        top.place(passing)
        passing.place(below)
        _ = try await below.chain.within(.seconds(20)).counterAdd(4, note: "four")
        #expect(top.log.lines == ["reset 0", "add 40 four!"])
        #expect(top.log.senders == ["CounterResponder", "SilentResponder"])
        #expect(top.log.contexts.map { $0?.timeout } == [nil, .seconds(20)])
    }

    @Test func `A request may have been handled when its handler throws a bus error, except unhandled`() async throws {
        let (sender, handler) = (SilentResponder(), ThrowingResponder())
        handler.place(sender)
        for (error, isSure) in [
            (MessageError(.peerLost, message: "other"), false),
            (MessageError(.overloaded, message: "counterAdd"), false),
            (MessageError(.unhandled, message: "counterAdd"), true),
        ] {
            handler.error = error
            for chain in [sender.chain, sender.chain.within(.seconds(20))] {
                do {
                    _ = try await chain.counterAdd(1, note: "")
                    Issue.record("the request succeeded")
                } catch let thrown as MessageError {
                    #expect(thrown.code == error.code)
                    #expect(thrown.message == error.message)
                    #expect(thrown.mayHaveBeenHandled == !isSure)
                }
            }
        }
    }

    @Test func `The first message that is passed on keeps its ID, and others get their own`() {
        let id = MessageID(high: 1, low: 2)
        let remote = MessageContext.Remote(
            sender: "Link", session: nil, requestID: 7, trace: .newTrace(), token: 0, messageID: id)
        let context = MessageContext("pay", from: remote, timeout: nil, at: nil, session: nil)
        MessageContext.with(context) {
            @MainActor func sent(_ name: String) -> MessageID? {
                MessageContext(sending: name, delivery: .once, from: nil, session: nil, timeout: nil, id: nil).messageID
            }
            #expect(sent("look") != id)
            #expect(sent("pay") == id)
            #expect(sent("pay") != id)
        }
    }

    @Test func `A request has the ID that its sender has chosen, unless it is delivered at most once`() {
        let id = MessageID(high: 1, low: 2)
        @MainActor func sent(_ delivery: MessageDelivery) -> MessageID? {
            MessageContext(sending: "pay", delivery: delivery, from: nil, session: nil, timeout: nil, id: id).messageID
        }
        #expect(sent(.once) == id)
        #expect(sent(.idempotent) == id)
        #expect(sent(.atMostOnce) == nil)
    }

    @Test func `A handler knows the session of the sender, even when the message was passed on`() async throws {
        let top = CounterResponder()
        let (first, second) = (TestSession(sessionIdentifier: "s1"), TestSession(sessionIdentifier: "s2"))
        let (below, passing) = (SilentResponder(), PassingResponder())
        (below.above, first.above) = (first, top)
        (passing.above, second.above) = (second, top)
        _ = try await below.chain.counterAdd(1, note: "first")
        passing.chain.counterShow(page: "second")
        _ = try await top.chain.counterAdd(1, note: "nobody's")
        #expect(top.log.lines == ["add 1 first", "show second!", "add 1 nobody's"])
        #expect(top.log.sessions == ["s1", "s2", nil])
    }

    @Test func `A handler inside the session knows the session too`() {
        let (session, handler) = (TestSession(sessionIdentifier: "s1"), CounterResponder())
        handler.above = session
        handler.chain.counterShow(page: "")
        #expect(handler.log.sessions == ["s1"])
    }

    @Test func `A message from another process keeps its remote sender, session, path and request ID`() async throws {
        let (passing, top) = (PassingResponder(), CounterResponder())
        top.place(passing)
        let remote = MessageContext.Remote(
            sender: "LoginScreen", session: "s1", requestID: 7, trace: .newTrace(), token: 3)
        let (target, context) = try passing.chain.handler(
            of: CounterMessagesList.counterAdd.self, from: remote, timeout: .seconds(4))
        let payload = try CBOREncoder().encode(CounterMessagesList.counterAdd(amount: 1, note: ""))
        try await MessageContext.with(context) {
            try await target.handle(target.responder, IncomingRequest(payload[...], context: context))
        }
        #expect(top.log.senders == ["CounterResponder", "LoginScreen"])
        #expect(top.log.sessions == [nil, "s1"])
        #expect(top.log.paths.last == ["LoginScreen", "PassingResponder", "CounterResponder"])
        let passed = try #require(top.log.contexts.last ?? nil)
        #expect(passed.timeout == .seconds(4))
        #expect(passed.remote?.requestID == 7)
        #expect(passed.trace == remote.trace)
        #expect(passed.senderResponder == nil)
    }
}

private final class TestSession: SessionResponder {
    var above: Responder?
    override var next: Responder? { above }
}

/// Throws the error that a test sets.
private final class ThrowingResponder: TestResponder, CounterMessages {
    var error = MessageError(.unhandled, message: "")

    func counterAdd(_ amount: Int, note: String) async throws -> Int { throw error }
    func counterReset(to value: Int) async throws { throw error }
    func counterShow(page: String) {}
}
