import Bus

/// The ids of requests that wait for a peer that handles them.
///
/// They are grouped by everything that decides which peer is the next to handle a request: by what a peer declares in
/// its hello, and by the sender. So only the first request of a group is looked at to know whether a peer gets it, and
/// however many requests of a sender a peer does not get, they hide none of others.
struct WaitingIDs {
    /// From where the requests of a group come.
    private struct Source: Hashable {
        /// The link of the sender; 0 for this process.
        let sender: UInt64
        /// Whether a peer has passed the requests on, so that they climb on above it.
        let isPassedOn: Bool
    }

    /// The ids of each group, sorted, by the message's name, or by the service and a slash. Ids grow with time, so a new
    /// one is nearly always the last.
    private var groups: [Substring: [Source: [UInt64]]] = [:]
    /// The group of each id.
    private var places: [UInt64: (key: Substring, source: Source)] = [:]

    private static func key(of name: String) -> Substring {
        name.firstIndex(of: "/").map { name[...$0] } ?? name[...]
    }

    /// Returns the keys of the messages that a peer handles and of the services that it offers.
    static func keys(of hello: Hello) -> Set<Substring> {
        Set(hello.handles.map { $0[...] } + hello.services.map { "\($0)/"[...] })
    }

    var isEmpty: Bool { places.isEmpty }

    /// - Parameters:
    ///   - sender: the link of the request's sender; 0 for this process.
    ///   - isPassedOn: whether the sender passes the message on.
    mutating func insert(_ id: UInt64, _ name: String, from sender: UInt64, isPassedOn: Bool) {
        guard places[id] == nil else { return }
        let key = Self.key(of: name)
        let source = Source(sender: sender, isPassedOn: isPassedOn)
        places[id] = (key, source)
        var ids = groups[key, default: [:]].removeValue(forKey: source) ?? []
        ids.insert(id, at: Self.place(of: id, in: ids))
        groups[key, default: [:]][source] = ids
    }

    mutating func remove(_ id: UInt64) {
        guard !places.isEmpty, let (key, source) = places.removeValue(forKey: id),
            var ids = groups[key]?.removeValue(forKey: source)
        else { return }
        let place = Self.place(of: id, in: ids)
        if place < ids.count, ids[place] == id { ids.remove(at: place) }
        if !ids.isEmpty { groups[key]?[source] = ids }
        if groups[key]?.isEmpty == true { groups[key] = nil }
    }

    /// Returns the ids of the requests that a peer may handle, in order.
    /// - Parameter keys: the keys of what the peer handles.
    func ids(for keys: Set<Substring>) -> [UInt64] {
        groups.filter { keys.contains($0.key) }.flatMap { $0.value.values.joined() }.sorted()
    }

    /// Returns the requests that a peer gets next. Their senders take turns.
    /// - Parameters:
    ///   - keys: the keys of what the peer handles.
    ///   - sender: the sender whose turn was last at this peer.
    ///   - isNext: returns whether the peer is the one that would get a request. It is asked once for each group.
    func turns(
        for keys: Set<Substring>, after sender: UInt64, where isNext: (UInt64) -> Bool
    ) -> WaitingTurns {
        var turns = WaitingTurns(after: sender)
        for (key, sources) in groups where keys.contains(key) {
            for (source, ids) in sources {
                if let first = ids.first, isNext(first) { turns.add(ids[...], of: source.sender) }
            }
        }
        turns.begin()
        return turns
    }

    /// Returns the index of an id among the others, or the index at which it would be inserted.
    private static func place(of id: UInt64, in ids: [UInt64]) -> Int {
        guard let last = ids.last else { return 0 }
        if last < id { return ids.count }
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
