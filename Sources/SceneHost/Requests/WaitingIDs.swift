import Bus

/// The ids of requests that wait for a peer which handles them: by what such a peer says of itself, so that one that attaches is
/// asked for what it handles only.
struct WaitingIDs {
    /// By the message's name, or by the service and a slash.
    private var ids: [Substring: Set<UInt64>] = [:]

    var isEmpty: Bool { ids.isEmpty }

    private static func key(of name: String) -> Substring {
        name.firstIndex(of: "/").map { name[...$0] } ?? name[...]
    }

    mutating func insert(_ id: UInt64, _ name: String) { ids[Self.key(of: name), default: []].insert(id) }

    mutating func remove(_ id: UInt64, _ name: String) {
        guard !ids.isEmpty else { return }
        let key = Self.key(of: name)
        ids[key]?.remove(id)
        if ids[key]?.isEmpty == true { ids[key] = nil }
    }

    /// Those that a peer may handle, in their order: ids grow with time.
    func ids(for hello: Hello) -> [UInt64] {
        guard !ids.isEmpty else { return [] }
        let keys = Set(hello.handles.map { $0[...] } + hello.services.map { "\($0)/"[...] })
        return keys.flatMap { ids[$0] ?? [] }.sorted()
    }
}
