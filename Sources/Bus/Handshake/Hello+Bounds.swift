package import CBOR

extension Hello {
    /// The longest text of a hello, in bytes: a name stands in headers and on screens.
    private static let maximumText = 255
    /// The most names of one sort.
    private static let maximumNames = 1 << 10
    /// The most scenes at a time, and scenes held.
    private static let maximumScenes = 10_000
    /// A hello may hold no more items than its lists may have together, with their names and the other fields.
    package static let limits = CBORLimits(maximumDepth: 8, maximumItems: 4 * maximumNames + 5 * maximumScenes + 64)
    /// Names that the tap and the container's owners have for others.
    private static let reservedNames: Set<String> = ["host", "*"]

    /// What of it is beyond all measure; `nil` when nothing is. A host keeps what a peer says of itself, and calculates with it.
    package var excess: String? {
        if let wrong = wrongName { return wrong }
        for (text, what) in [(endpoint, "its endpoint"), (software, "its software's version")]
        where text.utf8.count > Self.maximumText {
            return "\(what) has \(text.utf8.count) bytes; at most \(Self.maximumText) are taken"
        }
        let lists = [
            (handles, "messages", Self.maximumNames), (provides, "entries", Self.maximumNames),
            (services, "services", Self.maximumNames), (scenes, "scene configurations", Self.maximumNames),
            (held?.map(\.session) ?? [], "scenes held", Self.maximumScenes),
        ]
        for (names, what, maximum) in lists {
            if names.count > maximum {
                return "it names \(names.count) \(what); at most \(maximum) are taken"
            }
            if let long = names.first(where: { $0.utf8.count > Self.maximumText }) {
                return "a name of its \(what) has \(long.utf8.count) bytes; at most \(Self.maximumText) are taken"
            }
        }
        guard (0...Self.maximumScenes).contains(capacity) else {
            return "its capacity is \(capacity); at most \(Self.maximumScenes) scenes are taken"
        }
        return nil
    }

    /// Why its name cannot be a peer's: names stand in tables, logs and other peers' frames, and tell who did what.
    private var wrongName: String? {
        guard !peer.isEmpty else { return "it has no name; give it one" }
        guard peer.utf8.count <= Self.maximumText else {
            return "its name has \(peer.utf8.count) bytes; at most \(Self.maximumText) are taken"
        }
        guard !Self.reservedNames.contains(peer) else { return "'\(peer)' is not a peer's name; choose another" }
        let isPlain = peer.unicodeScalars.allSatisfy {
            !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint
                && ![.control, .format, .surrogate, .privateUse, .unassigned].contains($0.properties.generalCategory)
        }
        guard isPlain else { return "its name has white space or characters that are not shown; leave them out" }
        return nil
    }
}
