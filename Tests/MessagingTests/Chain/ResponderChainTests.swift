import CBOR
import Messaging
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ResponderChainTests {
    @Test func `An unhandled request throws its name and the path that it climbed`() async throws {
        let (below, above) = (SilentResponder(), SilentResponder())
        above.place(below)
        let path = ["SilentResponder", "SilentResponder"]
        let error = await #expect(throws: MessageError.self) { try await below.chain.counterAdd(1, note: "") }
        #expect(error == MessageError(.unhandled, message: "counterAdd", path: path))
        #expect(
            error?.description == "no responder handles 'counterAdd'; it climbed " + path.joined(separator: " > "))
    }

    @Test func `A message goes to the lower of two responders that handle it`() async throws {
        let (lower, upper) = (CounterResponder(), CounterResponder())
        upper.place(lower)
        lower.chain.counterShow(page: "here")
        #expect(try await lower.coordinatingResponder.chain.counterAdd(1, note: "above") == 2)
        #expect(lower.log.lines == ["show here"])
        #expect(upper.log.lines == ["add 1 above"])
    }

    @Test func `A message that has the index of another one ends the process`() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let responder = CounterResponder()
            responder.chain.counterShow(page: "here")
            responder.chain.post(Forged())
        }
    }

    @Test func `A message whose index changes is handled each time`() {
        let (below, responder) = (SilentResponder(), CounterResponder())
        responder.place(below)
        for _ in 1...2 { below.chain.post(Renumbered()) }
        #expect(responder.log.lines == ["renumbered", "renumbered"])
    }

    @Test func `The handler's error reaches the sender`() async {
        let responder = CounterResponder()
        await #expect(throws: CounterOverflow(amount: 1000)) {
            try await responder.chain.counterAdd(1000, note: "too much")
        }
    }

    @Test func `A handler can pass on a changed message`() async throws {
        let (below, passing, top) = (SilentResponder(), PassingResponder(), CounterResponder())
        top.place(passing)
        passing.place(below)
        #expect(try await below.chain.counterAdd(4, note: "four") == 41)
        below.chain.counterShow(page: "total")
        #expect(top.log.lines == ["reset 0", "add 40 four!", "show total!"])
    }

    @Test func `A message that a handler does not implement climbs on`() async throws {
        let (part, top) = (ResettingResponder(), CounterResponder())
        top.place(part)
        #expect(try await part.chain.counterAdd(1, note: "one") == 2)
        try await part.chain.counterReset(to: 9)
        part.chain.counterShow(page: "total")
        #expect(part.log.lines == ["reset 9"])
        #expect(top.log.lines == ["add 1 one", "show total"])
        #expect(top.log.senders == ["ResettingResponder", "ResettingResponder"])
    }

    @Test func `A request that climbs past a partial handler reports the whole path when unhandled`() async throws {
        let (below, part) = (SilentResponder(), ResettingResponder())
        part.place(below)
        let error = await #expect(throws: MessageError.self) { try await below.chain.counterAdd(1, note: "") }
        #expect(error?.code == .unhandled)
        #expect(error?.path == ["SilentResponder", "ResettingResponder"])
    }

    @Test func `A request without a responder is unhandled`() async {
        let nobody: Responder? = nil
        await #expect(throws: MessageError(.unhandled, message: "counterReset")) {
            try await nobody.chain.counterReset(to: 1)
        }
    }

    @Test func `Unhandled posts are counted, and handled ones are not`() {
        let part = PartialLostResponder()
        let top = SilentResponder()
        top.place(part)
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

    @Test func `A forwarder at the end of the chain gets unhandled messages`() async throws {
        let (below, part) = (SilentResponder(), ResettingResponder())
        part.place(below)
        let forwarder = RecordingForwarder()
        let top = TestResponder()
        top.above = forwarder
        top.place(part)
        #expect(try await below.chain.within(.seconds(3)).counterAdd(1, note: "one") == 42)
        try await below.chain.counterReset(to: 7)
        below.chain.counterShow(page: "total")
        #expect(forwarder.messages == ["counterAdd", "counterShow"])
        #expect(forwarder.senders == ["SilentResponder", "SilentResponder"])
        #expect(forwarder.timeouts == [.seconds(3), nil])
        #expect(part.log.lines == ["reset 7"])
    }

    @Test func `A request times out when its handler takes too long, and the handler is cancelled`() async throws {
        let responder = EndlessResponder()
        let error = await #expect(throws: MessageError.self) {
            try await responder.chain.within(.milliseconds(20)).counterReset(to: 1)
        }
        #expect(error?.code == .timeout)
        #expect(error?.message == "counterReset")
        #expect(error?.mayHaveBeenHandled == true)
        for await _ in responder.ended { break }
        #expect(responder.timeout == .milliseconds(20))
    }

    @Test func `A request with a timeout delivers its reply or error and keeps its sender`() async throws {
        let responder = CounterResponder()
        let chain = responder.chain.within(.seconds(30))
        #expect(try await chain.counterAdd(1, note: "one") == 2)
        await #expect(throws: CounterOverflow(amount: 2000)) { try await chain.counterAdd(2000, note: "") }
        chain.counterShow(page: "total")
        #expect(responder.log.contexts.map { $0?.timeout } == [.seconds(30), .seconds(30), .seconds(30)])
        #expect(responder.log.senders == ["CounterResponder", "CounterResponder", "CounterResponder"])
        try await responder.chain.counterReset(to: 0)
        #expect(responder.log.contexts.last??.timeout == nil)
    }

    @Test func `Cancelling the sender cancels a handler that runs with a deadline`() async throws {
        let responder = EndlessResponder()
        let sender = Task { try await responder.chain.within(.seconds(50)).counterReset(to: 1) }
        for await _ in responder.begun { break }
        sender.cancel()
        for await _ in responder.ended { break }
        await #expect(throws: CancellationError.self) { try await sender.value }
    }
}

@ResponderMessages protocol LostMessages {
    func lostFound()
    func lostForever()
}

extension ResponderChain: LostMessages {}

private final class PartialLostResponder: TestResponder, LostMessages {
    var found = 0
    func lostFound() { found += 1 }
}

/// Stands in for a scene worker's link to its host.
private final class RecordingForwarder: ForwardingResponder {
    private(set) var messages: [String] = []
    private(set) var senders: [String] = []
    private(set) var timeouts: [Duration?] = []

    private func record(_ context: MessageContext) {
        messages.append(context.message)
        senders.append(context.sender)
        timeouts.append(context.timeout)
    }

    override func send<M: ResponderRequest>(_ message: M, context: MessageContext) async throws -> M.Reply {
        record(context)
        return try M.reply(from: try CBOREncoder().encode(42)[...])
    }

    override func forward<M: ResponderPost>(_ message: M, context: MessageContext) { record(context) }
}

/// Handles a request until it is cancelled.
private final class EndlessResponder: TestResponder, CounterMessages {
    let (begun, begin) = AsyncStream.makeStream(of: Bool.self)
    let (ended, end) = AsyncStream.makeStream(of: Bool.self)
    private(set) var timeout: Duration?

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

/// A message that does not get its index from the macro.
private struct Forged: ResponderPost {
    static let name = "forged"
    static var index: Int { CounterMessagesList.counterShow.index }

    static func handler(for type: Responder.Type) -> PostHandler<Forged>? { nil }

    init() {}
    init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {}
    func writeItem(to writer: inout CBORWriter) throws { writer.writeNull() }
}

/// A message with another index each time.
private struct Renumbered: ResponderPost {
    static let name = "renumbered"
    static var index: Int { MessageIndex.next() }

    static func handler(for type: Responder.Type) -> PostHandler<Renumbered>? {
        guard type == CounterResponder.self else { return nil }
        return PostHandler { responder, _ in responder.cast(to: CounterResponder.self).log.write("renumbered") }
    }

    init() {}
    init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {}
    func writeItem(to writer: inout CBORWriter) throws { writer.writeNull() }
}
