import Synchronization

/// One kind of message: a value that climbs the responder chain, in one process or across many.
///
/// Declare a protocol with ``ResponderMessages()`` instead of conforming by hand.
public protocol ResponderMessage: Codable, Sendable {
    /// ``RequestHandler`` or ``PostHandler``.
    associatedtype Handler: AnyObject
    /// The message's name on the wire: stable across versions, the same in every language.
    static var name: String { get }
    /// The message's place in the tables of this process; differs from process to process.
    static var index: Int { get }
    /// What the bus does when it cannot know whether the message was handled.
    static var delivery: MessageDelivery { get }
    /// How a class of responders handles this message; `nil` when it does not.
    @MainActor static func handler(for type: Responder.Type) -> Handler?
}

extension ResponderMessage {
    /// Sent at most once, unless the message is declared otherwise.
    public static var delivery: MessageDelivery { .atMostOnce }
}

/// A message with a reply.
public protocol ResponderRequest: ResponderMessage where Handler == RequestHandler<Self> {
    /// What its handler returns; ``NoReply`` when that is nothing.
    associatedtype Reply: Codable & Sendable
}

/// A message without a reply.
public protocol ResponderPost: ResponderMessage where Handler == PostHandler<Self> {}

/// The messages that one `@ResponderMessages` protocol declares.
public protocol ResponderMessageList {
    /// The messages as types, in the order of their declaration.
    static var messages: [any ResponderMessage.Type] { get }
}

/// The reply of a request that returns nothing: it says only that the handler came to its end.
public struct NoReply: Codable, Hashable, Sendable {
    public init() {}
}

/// How one class of responders handles one request.
@MainActor
public final class RequestHandler<M: ResponderRequest> {
    let handle: @MainActor (Responder, M) async throws -> M.Reply

    public init(_ handle: @escaping @MainActor (Responder, M) async throws -> M.Reply) {
        self.handle = handle
    }
}

/// How one class of responders handles one post.
@MainActor
public final class PostHandler<M: ResponderPost> {
    let handle: @MainActor (Responder, M) -> Void

    public init(_ handle: @escaping @MainActor (Responder, M) -> Void) {
        self.handle = handle
    }
}

/// Numbers messages in the order in which this process first meets them.
public enum MessageIndex {
    private static let count = Atomic<Int>(0)

    /// The next number: taken once for each message, by what ``ResponderMessages()`` makes.
    public static func next() -> Int {
        count.wrappingAdd(1, ordering: .relaxed).oldValue
    }
}
