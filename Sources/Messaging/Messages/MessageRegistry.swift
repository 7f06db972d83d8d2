import CBOR

/// The messages that this process can decode and send up its chain, by their names on the wire.
@MainActor
package struct MessageRegistry {
    /// Decodes a request and sends it up the chain.
    /// - Returns: The task that runs the handler, so that it can be cancelled; `nil` if no responder handles the
    ///   request.
    package typealias Receive =
        @MainActor (
            _ payload: ArraySlice<UInt8>, _ chain: ResponderChain, _ remote: MessageContext.Remote,
            _ timeout: Duration?,
            _ finish: @escaping ResponderChain.Finish
        ) throws -> Task<Void, Never>?
    /// Decodes a post and sends it up the chain.
    package typealias ReceivePost =
        @MainActor (_ payload: ArraySlice<UInt8>, _ chain: ResponderChain, _ remote: MessageContext.Remote) throws ->
        Void

    private struct Known {
        let type: any ResponderMessage.Type
        let receive: Receive?
        let receivePost: ReceivePost?
    }

    private var known: [String: Known] = [:]

    package init() {}

    package var names: [String] { known.keys.sorted() }

    /// Adds the messages of a list.
    /// - Precondition: No other list has a message of the same name, because a message is identified by its name on the
    ///   wire.
    package mutating func add(_ list: any ResponderMessageList.Type) {
        for type in list.messages {
            if let other = known[type.name] {
                precondition(
                    other.type == type,
                    "the message '\(type.name)' is declared by \(other.type) and by \(type): rename one of them")
                continue
            }
            if let request = type as? any ResponderRequest.Type {
                known[type.name] = Known(type: type, receive: Self.receive(request), receivePost: nil)
            } else if let post = type as? any ResponderPost.Type {
                known[type.name] = Known(type: type, receive: nil, receivePost: Self.receive(post))
            }
        }
    }

    /// - Returns: The function that receives requests of that name; `nil` if this process does not know the message.
    package func request(_ name: String) -> Receive? { known[name]?.receive }

    /// - Returns: The function that receives posts of that name; `nil` if this process does not know the message.
    package func post(_ name: String) -> ReceivePost? { known[name]?.receivePost }

    private static func receive<M: ResponderRequest>(_ type: M.Type) -> Receive {
        { payload, chain, remote, timeout, finish in
            chain.begin(try decode(type, from: payload), from: remote, timeout: timeout, finish: finish)
        }
    }

    private static func receive<M: ResponderPost>(_ type: M.Type) -> ReceivePost {
        { payload, chain, remote in chain.post(try decode(type, from: payload), from: remote) }
    }

    private static func decode<M: ResponderMessage>(_ type: M.Type, from payload: ArraySlice<UInt8>) throws -> M {
        do {
            return try CBORDecoder().decode(type, from: payload)
        } catch {
            throw MessageError(.malformed, message: M.name, detail: String(explaining: error))
        }
    }
}
