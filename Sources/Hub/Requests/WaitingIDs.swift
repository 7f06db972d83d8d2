import Bus

/// The ids of requests that wait for a peer which handles them: by what such a peer says of itself, so that one that attaches is
/// asked for what it handles only.
struct WaitingIDs {
    /// By the message's name, or by the service and a slash; sorted. Ids grow with time: a new one is nearly always the last.
    private var ids: [Substring: [UInt64]] = [:]

    private static func key(of name: String) -> Substring {
        name.firstIndex(of: "/").map { name[...$0] } ?? name[...]
    }

    /// What a peer handles, as these are kept by.
    static func keys(of hello: Hello) -> Set<Substring> {
        Set(hello.handles.map { $0[...] } + hello.services.map { "\($0)/"[...] })
    }

    var isEmpty: Bool { ids.isEmpty }

    mutating func insert(_ id: UInt64, _ name: String) {
        let key = Self.key(of: name)
        let place = place(of: id, key)
        guard !contains(id, at: place, key) else { return }
        ids[key, default: []].insert(id, at: place)
    }

    mutating func remove(_ id: UInt64, _ name: String) {
        guard !ids.isEmpty else { return }
        let key = Self.key(of: name)
        let place = place(of: id, key)
        guard contains(id, at: place, key) else { return }
        ids[key]?.remove(at: place)
        if ids[key]?.isEmpty == true { ids[key] = nil }
    }

    /// Those that a peer may handle, in their order.
    /// - Parameters:
    ///   - keys: what it handles.
    ///   - count: how many of each are looked at, at most.
    func ids(for keys: Set<Substring>, first count: Int = .max) -> [UInt64] {
        ids.filter { keys.contains($0.key) }.flatMap { $0.value.prefix(count) }.sorted()
    }

    private func contains(_ id: UInt64, at place: Int, _ key: Substring) -> Bool {
        guard let ids = ids[key], ids.indices.contains(place) else { return false }
        return ids[place] == id
    }

    /// Where an id stands among the others, or would stand.
    private func place(of id: UInt64, _ key: Substring) -> Int {
        guard let ids = ids[key], let last = ids.last else { return 0 }
        if last < id { return ids.count }
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
