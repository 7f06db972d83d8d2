import CBOR

/// The messages that this process can decode and send up its chain, by their names on the wire.
@MainActor
package final class MessageRegistry {
    /// Finds the responder of a chain that handles a request.
    /// - Throws: ``MessageError`` if there is none.
    package typealias FindHandler =
        @MainActor (_ chain: ResponderChain, _ remote: consuming MessageContext.Remote, _ timeout: Duration?)
        throws(MessageError)
        -> (target: IncomingRequest.Target, context: MessageContext)
    /// Decodes a post and sends it up the chain.
    package typealias ReceivePost =
        @MainActor (_ payload: ArraySlice<UInt8>, _ chain: ResponderChain, _ remote: MessageContext.Remote) throws ->
        Void

    private struct Known {
        let type: any ResponderMessage.Type
        let findHandler: FindHandler?
        let receivePost: ReceivePost?
    }

    private var known: [String: Known] = [:]
    /// The last message that was looked up at each place. Many messages in a row often have the same name, and comparing
    /// two names costs far less than computing a name's hash.
    private var last: [(name: String, known: Known)?] = []

    package init() {}

    package var names: [String] { known.keys.sorted() }

    /// Adds the messages of a list.
    /// - Precondition: No other list has a message of the same name, because a message is identified by its name on the
    ///   wire.
    package func add(_ list: any ResponderMessageList.Type) {
        for type in list.messages {
            if let other = known[type.name] {
                precondition(
                    other.type == type,
                    "the message '\(type.name)' is declared by \(other.type) and by \(type): rename one of them")
                continue
            }
            known[type.name] =
                switch type.kind {
                case .request(let request):
                    Known(type: type, findHandler: Self.findHandler(request), receivePost: nil)
                case .post(let post):
                    Known(type: type, findHandler: nil, receivePost: Self.receive(post))
                }
        }
    }

    /// - Parameter place: A small number. Names that are looked up at different places do not slow each other down.
    /// - Returns: The function that finds the handler of requests of that name; `nil` if this process does not know the
    ///   message.
    package func request(_ name: String, at place: Int = 0) -> FindHandler? { find(name, place)?.findHandler }

    /// - Parameter place: As for ``request(_:at:)``.
    /// - Returns: The function that receives posts of that name; `nil` if this process does not know the message.
    package func post(_ name: String, at place: Int = 0) -> ReceivePost? { find(name, place)?.receivePost }

    /// Whether this process knows a message of that name, and as what; `nil` if it does not.
    package func kind(of name: String) -> MessageKind? { known[name]?.type.kind }

    /// The fields of a message that are secrets; none of a message that this process does not know.
    package func secretFields(of name: String) -> [SecretField] { known[name]?.type.secretFields ?? [] }

    private func find(_ name: String, _ place: Int) -> Known? {
        if place < last.count, let last = last[place], last.name == name { return last.known }
        guard let found = known[name] else { return nil }
        if place >= last.count { last += Array(repeating: nil, count: place + 1 - last.count) }
        last[place] = (name, found)
        return found
    }

    private static func findHandler<M: ResponderRequest>(_ type: M.Type) -> FindHandler {
        { chain, remote, timeout throws(MessageError) in
            try chain.handler(of: type, from: remote, timeout: timeout)
        }
    }

    private static func receive<M: ResponderPost>(_ type: M.Type) -> ReceivePost {
        { payload, chain, remote in chain.post(try M(payload: payload), from: remote) }
    }
}

extension ResponderMessage {
    /// Decodes a message.
    /// - Throws: ``MessageError`` with `malformed`, which names the field.
    init(payload: ArraySlice<UInt8>) throws(MessageError) {
        do {
            self = try CBORDecoder().decode(Self.self, from: payload)
        } catch {
            throw MessageError(.malformed, message: Self.name, detail: String(explaining: error))
        }
    }
}
