package import CBOR

extension Hello {
    /// The maximum length of a text in a hello other than the peer's name, in bytes. Texts appear in frame headers and on
    /// screens.
    private static let maximumText = 255
    /// The maximum number of names in one list.
    package static let maximumNames = 1 << 10
    /// The maximum capacity, and the maximum number of held scenes.
    private static let maximumScenes = 10_000
    /// The versions of the protocol that there can be: a frame has one byte for its version.
    private static let protocolVersions = 1...255
    /// The limits for decoding a hello: the items that full lists have together, with their names and the other fields.
    package static let limits = CBORLimits(maximumDepth: 8, maximumItems: 5 * maximumNames + 5 * maximumScenes + 64)

    /// The first limit that this hello exceeds, in words; `nil` when it exceeds none. The limits exist because the host
    /// stores these values and calculates with them.
    package var excess: String? {
        if let problem = BusName.problem(with: peer) { return "its name \(problem); \(BusName.rule)" }
        guard Self.protocolVersions.contains(versions.min), Self.protocolVersions.contains(versions.max),
            versions.min <= versions.max
        else {
            return "its versions of the protocol are \(versions.min) to \(versions.max); they are numbers from "
                + "\(Self.protocolVersions.lowerBound) to \(Self.protocolVersions.upperBound), the smaller one first"
        }
        for (text, what) in [(endpoint, "its endpoint"), (software, "its software's version")]
        where text.utf8.count > Self.maximumText {
            return "\(what) has \(text.utf8.count) bytes; at most \(Self.maximumText) are allowed"
        }
        let lists = [
            (handles, "messages", Self.maximumNames), (provides, "entries", Self.maximumNames),
            (services, "services", Self.maximumNames), (scenes, "scene configurations", Self.maximumNames),
            (held?.map(\.session) ?? [], "scenes held", Self.maximumScenes),
            (secrets ?? [], "secret fields", Self.maximumNames),
        ]
        for (names, what, maximum) in lists {
            if names.count > maximum {
                return "it names \(names.count) \(what); at most \(maximum) are allowed"
            }
            if let long = names.first(where: { $0.utf8.count > Self.maximumText }) {
                return "a name of its \(what) has \(long.utf8.count) bytes; at most \(Self.maximumText) are allowed"
            }
        }
        guard (0...Self.maximumScenes).contains(capacity) else {
            return "its capacity is \(capacity); at most \(Self.maximumScenes) scenes are allowed"
        }
        return nil
    }
}
