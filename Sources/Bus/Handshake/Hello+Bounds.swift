extension Hello {
    /// The longest text of a hello, in bytes: a name stands in headers and on screens.
    private static let maximumText = 255
    /// The most names of one sort, scenes held, and scenes at a time.
    private static let maximumCount = 1 << 16

    /// What of it is beyond all measure; `nil` when nothing is. A host keeps what a peer says of itself, and calculates with it.
    package var excess: String? {
        for (text, what) in [(peer, "its name"), (endpoint, "its endpoint"), (software, "its software's version")]
        where text.utf8.count > Self.maximumText {
            return "\(what) has \(text.utf8.count) bytes; at most \(Self.maximumText) are taken"
        }
        let lists = [
            (handles, "messages"), (provides, "entries"), (services, "services"), (scenes, "scene configurations"),
            (held?.map(\.session) ?? [], "scenes held"),
        ]
        for (names, what) in lists {
            if names.count > Self.maximumCount {
                return "it names \(names.count) \(what); at most \(Self.maximumCount) are taken"
            }
            if let long = names.first(where: { $0.utf8.count > Self.maximumText }) {
                return "a name of its \(what) has \(long.utf8.count) bytes; at most \(Self.maximumText) are taken"
            }
        }
        guard (0...Self.maximumCount).contains(capacity) else {
            return "its capacity is \(capacity); at most \(Self.maximumCount) scenes are taken"
        }
        return nil
    }
}
