import Bus

/// The ids of requests that wait for a peer that handles them.
///
/// They are grouped by what a peer declares in its hello, so that for a newly attached peer only the requests that it
/// handles are visited.
struct WaitingIDs {
    /// The ids by the message's name, or by the service and a slash; sorted. Ids grow with time, so a new one is nearly
    /// always the last.
    private var ids: [Substring: [UInt64]] = [:]

    private static func key(of name: String) -> Substring {
        name.firstIndex(of: "/").map { name[...$0] } ?? name[...]
    }

    /// Returns the keys of the messages that a peer handles and of the services that it offers.
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

    /// How many requests are looked at in addition to those for which a peer has room. If all were looked at with each
    /// reply, the cost would grow with the number of waiting requests.
    private static let spare = 256

    /// Returns the ids of the first requests that a peer may handle, in order: more than it has room for, because it may
    /// not get some of them, such as its own.
    /// - Parameters:
    ///   - keys: the keys of what the peer handles.
    ///   - room: the number of requests for which the peer has room.
    func candidates(for keys: Set<Substring>, room: Int) -> [UInt64] {
        ids(for: keys, first: room + min(Self.spare, .max - room))
    }

    /// Returns the ids of the requests that a peer may handle, in order.
    /// - Parameters:
    ///   - keys: the keys of what the peer handles.
    ///   - count: the maximum number of ids for each key.
    func ids(for keys: Set<Substring>, first count: Int = .max) -> [UInt64] {
        ids.filter { keys.contains($0.key) }.flatMap { $0.value.prefix(count) }.sorted()
    }

    private func contains(_ id: UInt64, at place: Int, _ key: Substring) -> Bool {
        guard let ids = ids[key], ids.indices.contains(place) else { return false }
        return ids[place] == id
    }

    /// Returns the index of an id among the others, or the index at which it would be inserted.
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
