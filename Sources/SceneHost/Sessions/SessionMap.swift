import HashTreeCollections

/// The open sessions by their ids.
///
/// It grows without moving its elements. A dictionary of 100,000 sessions takes a quarter of a second to grow, which
/// would block the loop.
struct SessionMap<Session> {
    private var tree: TreeDictionary<String, Session> = [:]

    var count: Int { tree.count }
    var isEmpty: Bool { tree.isEmpty }
    /// All sessions, in no particular order.
    var values: some Sequence<Session> { tree.values }

    subscript(id: String) -> Session? {
        get { tree[id] }
        _modify { yield &tree[id] }
    }
}

extension SessionMap: Sendable where Session: Sendable {}
