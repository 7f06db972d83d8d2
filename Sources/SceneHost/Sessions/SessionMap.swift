import HashTreeCollections

/// The open sessions by their ids. A value.
///
/// It grows without moving what is there: a dictionary of 100,000 sessions takes a quarter of a second to grow, and that long nothing
/// else would be done.
struct SessionMap<Session> {
    private var tree: TreeDictionary<String, Session> = [:]

    var count: Int { tree.count }
    var isEmpty: Bool { tree.isEmpty }
    /// All of them, in no order.
    var values: some Sequence<Session> { tree.values }

    subscript(id: String) -> Session? {
        get { tree[id] }
        _modify { yield &tree[id] }
    }
}

extension SessionMap: Sendable where Session: Sendable {}
