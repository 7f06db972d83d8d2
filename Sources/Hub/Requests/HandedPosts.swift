import DequeModule

/// The posts of sessions that were handed on to a peer lately. It is a value, and its size is bounded.
///
/// A peer with a key has no part in a session by itself. It may pass on what it was handed.
struct HandedPosts {
    /// A peer passes a post on when it handles it, so that not many come in between.
    private static let maximumCount = 1024

    private struct Post: Hashable {
        let name: String
        let session: String
    }

    private var order: Deque<Post> = []
    private var counts: [Post: Int] = [:]

    mutating func add(_ name: String, _ session: String) {
        let post = Post(name: name, session: session)
        order.append(post)
        counts[post, default: 0] += 1
        guard order.count > Self.maximumCount, let oldest = order.popFirst() else { return }
        counts[oldest]? -= 1
        if counts[oldest] == 0 { counts[oldest] = nil }
    }

    func contains(_ name: String, _ session: String) -> Bool { counts[Post(name: name, session: session)] != nil }
}
