import Bus
import DequeModule

/// The messages that were handed on to a peer lately. It is a value, and its size is bounded.
///
/// What the peer sends because of one of them is an act of the one who acted with it, also after its reply. A peer with a key
/// has no part in a session by itself, but may pass on a post of a session that it was handed.
struct HandedMessages {
    /// A handler sends messages soon after it has begun, so that not many come in between.
    private static let maximumCount = 256

    private struct Message {
        let id: UInt64
        let isPost: Bool
        let name: String
        let session: String
        let actor: String
    }

    private var messages: Deque<Message> = []

    mutating func add(_ frame: borrowing Frame) {
        if messages.count == Self.maximumCount { messages.removeFirst() }
        messages.append(
            Message(
                id: frame.id, isPost: frame.kind == .post, name: frame.name, session: frame.session, actor: frame.actor)
        )
    }

    private subscript(id: UInt64) -> Message? { messages.last { $0.id == id } }

    /// The name of a message, and the text of its actor; `nil` if it is unknown or was too long ago.
    func origin(of id: UInt64) -> (name: String, actor: String)? { self[id].map { ($0.name, $0.actor) } }

    /// Returns whether a post passes on one that was handed on, in the name of the same session.
    func contains(passedOn post: borrowing Frame) -> Bool {
        guard let message = self[post.parent] else { return false }
        return message.isPost && message.name == post.name && message.session == post.session
    }
}
