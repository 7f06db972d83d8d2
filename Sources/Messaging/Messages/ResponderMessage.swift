public import CBOR
import Synchronization

/// A message: a value that climbs the responder chain, in one process or across several.
///
/// Declare a protocol with ``ResponderMessages()`` instead of conforming to this protocol directly.
public protocol ResponderMessage: CBORItem, Sendable {
    /// ``RequestHandler`` or ``PostHandler``.
    associatedtype Handler: AnyObject
    /// The message's name on the wire. It is stable across versions and the same in every language.
    static var name: String { get }
    /// The message's index in the tables of this process. It differs from process to process.
    static var index: Int { get }
    /// What the bus does when it cannot know whether the message was handled.
    static var delivery: MessageDelivery { get }
    /// The fields that are secrets.
    static var secretFields: [SecretField] { get }
    /// The handler of this message for a class of responders; `nil` if the class does not handle it.
    @MainActor static func handler(for type: Responder.Type) -> Handler?
    /// Whether it is a request or a post. A cast would search all conformances of the process for each message, when a
    /// process starts.
    static var kind: MessageKind { get }
}

/// Whether a message is a request or a post.
public enum MessageKind {
    case request(any ResponderRequest.Type)
    case post(any ResponderPost.Type)
}

extension ResponderMessage {
    /// At most once, unless the message is declared otherwise.
    public static var delivery: MessageDelivery { .atMostOnce }

    /// None, unless the message has some.
    public static var secretFields: [SecretField] { [] }
}

/// A message with a reply.
public protocol ResponderRequest: ResponderMessage where Handler == RequestHandler<Self, Reply> {
    /// The type that the handler returns; ``NoReply`` if it returns nothing.
    associatedtype Reply: Codable & Sendable
    /// Writes a reply as one CBOR item, with the same bytes as `CBOREncoder`.
    static func writeReply(_ reply: Reply, to writer: inout CBORWriter) throws
    /// Reads a reply that ``writeReply(_:to:)`` has written.
    static func readReply(from reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) -> Reply
}

extension ResponderRequest {
    public static var kind: MessageKind { .request(Self.self) }
}

/// A message without a reply.
public protocol ResponderPost: ResponderMessage where Handler == PostHandler<Self> {}

extension ResponderPost {
    public static var kind: MessageKind { .post(Self.self) }
}

/// The messages that one `@ResponderMessages` protocol declares.
public protocol ResponderMessageList {
    /// The types of the messages, in the order of their declaration.
    static var messages: [any ResponderMessage.Type] { get }
}

/// The reply of a request that returns nothing. It only means that the handler has returned.
public struct NoReply: CBORItem, Hashable, Sendable {
    public init() {}

    public func writeItem(to writer: inout CBORWriter) { writer.writeMapHead(count: 0) }

    public init(fromItem reader: inout CBORItemReader) throws(CBORItemReader.OtherForm) {
        try reader.endFields(try reader.readFields())
    }
}

extension Responder {
    /// This responder as one of its class, for the code that ``ResponderMessages()`` generates. A handler is called only
    /// with responders of the class that it was made for.
    public final func cast<R: Responder>(to type: R.Type) -> R {
        guard let responder = self as? R else { preconditionFailure("'\(className)' is not a '\(R.self)'") }
        return responder
    }
}

/// The handler of one request for one class of responders.
// Its parameters have no constraints. With one, the runtime would search all conformances of the process for each message.
@MainActor
public final class RequestHandler<M, Reply> {
    /// Handles a request of this process.
    let handle: @MainActor (Responder, M) async throws -> Reply
    /// Handles a request of another process.
    let receive: IncomingRequest.Handle

    /// - Parameters:
    ///   - handle: Handles a request of this process.
    ///   - receive: Decodes a request of another process, handles it and sets its reply.
    // Two bodies, because a generic one around the other would cost a request of another process 1,500 instructions.
    public init(
        _ handle: @escaping @MainActor (Responder, M) async throws -> Reply, receive: @escaping IncomingRequest.Handle
    ) {
        self.handle = handle
        self.receive = receive
    }
}

/// The handler of one post for one class of responders.
@MainActor
public final class PostHandler<M> {
    let handle: @MainActor (Responder, M) -> Void

    public init(_ handle: @escaping @MainActor (Responder, M) -> Void) {
        self.handle = handle
    }
}

/// Numbers messages in the order in which this process first uses them.
public enum MessageIndex {
    private static let count = Atomic<Int>(0)

    /// Returns the next number. The code that ``ResponderMessages()`` generates calls this once for each message.
    public static func next() -> Int {
        count.wrappingAdd(1, ordering: .relaxed).oldValue
    }
}

/// Checks the types of a message's values for the code that ``ResponderMessages()`` generates.
public enum MessageValue {
    /// Does nothing: the type can go to another process.
    // Not `Sendable`, too: a type whose conformances are isolated to the main actor, as by a target's default isolation,
    // is fine here. The message itself is `Sendable`.
    public static func check<Value: Codable>(_ type: Value.Type) {}

    /// An error for a type that cannot go to another process.
    @available(
        *, unavailable,
        message: """
            the parameters and the reply of a message go to other processes, so that their types are Codable & Sendable; \
            keep an object that stays in its process in an '@Entry(.local)', and send its key
            """
    )
    public static func check<Value>(_ type: Value.Type) {}
}

/// What the code that ``ResponderMessages()`` generates finds about a type that conforms to the protocol of messages.
public struct ConformsToMessages {
    public init() {}

    /// Does nothing: ``ResponderChain`` or ``ServiceReference`` conforms, so the messages can be sent.
    public func conformToSend() {}

    /// An error for an `extension Responder: AccountMessages {}`. The compiler accepts that conformance, and then calls
    /// no method of a subclass: every responder handles the messages, by passing them on.
    @available(
        *, unavailable,
        message: """
            'extension Responder: <messages> {}' lets every responder handle the messages, and the methods of its \
            subclasses are never called. Write 'extension ResponderChain: <messages> {}' to send them, and conform the \
            class that handles them
            """
    )
    public func conformsAccidentally() {}
}

/// What the code that ``ResponderMessages()`` generates finds about a type that does not conform to the protocol of
/// messages.
public struct DoesNotConformToMessages {
    public init() {}

    /// An error for messages that nobody can send.
    @available(
        *, unavailable,
        message: "write 'extension ResponderChain: <messages> {}' after the protocol, so that its messages can be sent"
    )
    public func conformToSend() {}

    /// Does nothing: ``Responder`` itself must not conform.
    public func conformsAccidentally() {}
}
