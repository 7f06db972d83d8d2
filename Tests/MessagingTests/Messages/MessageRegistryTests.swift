import CBOR
import Messaging
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct MessageRegistryTests {
    private let registry = MessageRegistry()
    private let handler = CounterResponder()

    init() {
        registry.add(CounterMessagesList.self)
        registry.add(LostMessagesList.self)
        registry.add(CounterMessagesList.self)
    }

    private let remote = MessageContext.Remote(
        sender: "Far", session: "s1", requestID: 1, trace: .none, token: 1)

    private func request(_ name: String, _ payload: CBORValue) async throws -> CBORValue {
        let receive = try #require(registry.request(name))
        return try await reply(from: receive, at: handler.chain, to: payload.encoded())
    }

    /// Sends a request to its handler and waits for its reply.
    private func reply(
        from findHandler: MessageRegistry.FindHandler, at chain: ResponderChain, to payload: [UInt8]
    ) async throws -> CBORValue {
        let (target, context) = try findHandler(chain, remote, nil)
        let request = RecordedRequest(payload[...], context: context)
        do {
            try await MessageContext.with(context) { try await target.handle(target.responder, request) }
        } catch {
            throw request.failure(error, at: target)
        }
        return try #require(request.reply)
    }

    @Test func `Messages are registered by name, as requests or as posts`() {
        #expect(registry.names == ["counterAdd", "counterReset", "counterShow", "lostForever", "lostFound"])
        #expect(registry.request("counterAdd") != nil)
        #expect(registry.post("counterAdd") == nil)
        #expect(registry.request("counterShow") == nil)
        #expect(registry.post("counterShow") != nil)
        #expect(registry.request("counterSubtract") == nil)
    }

    @Test func `A request is decoded and sent, and its reply is encoded`() async throws {
        #expect(try await request("counterAdd", ["amount": 6, "note": "six", "of": "a later version"]) == 7)
        #expect(try await request("counterReset", ["to": 3]) == [:])
        #expect(handler.log.lines == ["add 6 six", "reset 3"])
        #expect(handler.log.senders == ["Far", "Far"])
        #expect(handler.log.sessions == ["s1", "s1"])
    }

    @Test func `A post is decoded and sent`() throws {
        let receive = try #require(registry.post("counterShow"))
        try receive((["page": "total"] as CBORValue).encoded()[...], handler.chain, remote)
        #expect(handler.log.lines == ["show total"])
        #expect(handler.log.senders == ["Far"])
        #expect(throws: MessageError.self) {
            try receive(([:] as CBORValue).encoded()[...], handler.chain, remote)
        }
    }

    @Test(
        arguments: [
            (["note": "six"], "the field 'amount' is missing"),
            (["amount": "six", "note": "six"], "the field 'amount' is not a whole number"),
            (["amount": 6, "note": nil], "the field 'note' is null where a text is needed"),
            (["amount": .unsigned(.max), "note": ""], "the field 'amount' is wrong: "),
        ] as [([String: CBORValue], String)])
    func `A payload that does not fit is refused with the field`(fields: [String: CBORValue], reason: String) async {
        let payload = CBORValue.map(CBORMap(fields.map { CBORMap.Pair(key: .string($0.key), value: $0.value) }))
        let error = await #expect(throws: MessageError.self) { try await request("counterAdd", payload) }
        #expect(error?.code == .malformed)
        #expect(error?.message == "counterAdd")
        #expect(error?.detail.hasPrefix(reason) == true, "\(error?.detail ?? "no error")")
        #expect(handler.log.lines == [])
    }

    @Test(arguments: [[], [0xff], [0xa1, 0x66]] as [[UInt8]])
    func `Bytes that are not a message are refused`(bytes: [UInt8]) async throws {
        let receive = try #require(registry.request("counterAdd"))
        let error = await #expect(throws: MessageError.self) {
            try await reply(from: receive, at: handler.chain, to: bytes)
        }
        #expect(error?.code == .malformed)
        #expect(error?.detail.isEmpty == false)
    }

    @Test func `A handler's own failure on the bus tells the remote caller that its request may have been handled`()
        async throws
    {
        final class Relay: TestResponder, CounterMessages {
            func counterAdd(_ amount: Int, note: String) async throws -> Int {
                throw MessageError(.overloaded, message: "another", detail: "its own request")
            }
        }
        let relay = Relay()
        let receive = try #require(registry.request("counterAdd"))
        let payload = ["amount": 1, "note": ""] as CBORValue
        let error = await #expect(throws: MessageError.self) {
            try await reply(from: receive, at: relay.chain, to: payload.encoded())
        }
        #expect(error?.code == .overloaded)
        #expect(error?.mayHaveBeenHandled == true)
    }
}

/// Keeps its reply.
private final class RecordedRequest: IncomingRequest {
    private(set) var reply: CBORValue?

    override func reply<M: ResponderRequest>(_ reply: M.Reply, to message: M.Type) {
        self.reply = try? CBORValue(encoding: reply)
    }
}
