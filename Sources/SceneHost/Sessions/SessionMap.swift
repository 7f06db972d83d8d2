import HashTreeCollections

/// The open sessions by their ids. A value.
///
/// It grows without moving what is there: a dictionary of 100,000 sessions takes a quarter of a second to grow, and that long nothing
/// else would be done.
struct SessionMap {
    private var tree: TreeDictionary<String, SessionTable.Session> = [:]

    var count: Int { tree.count }
    var isEmpty: Bool { tree.isEmpty }
    /// All of them, in no order.
    var values: some Sequence<SessionTable.Session> { tree.values }

    subscript(id: String) -> SessionTable.Session? {
        get { tree[id] }
        _modify { yield &tree[id] }
    }
}
