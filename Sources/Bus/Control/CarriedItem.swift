package import CBOR

/// What the host carries between operators, workers and the store without reading it: the states of scenes, and links.
///
/// Both end in the payload of `sceneConnect`, which a worker reads with the usual limits. One that did not leave room for the rest of
/// that message would reach no worker, and its session would never have a scene again: it is refused where it comes in.
package enum CarriedItem: Sendable {
    case state, link

    /// What a link may take of the items of `sceneConnect`, and what the message itself takes.
    private static let linkItems = 90_000
    private static let messageItems = 10_000
    /// The bytes of its frame besides the state and the links.
    private static let messageSize = 16 << 10
    /// The bytes that a state and links may have together.
    private static let maximumSize = Frame.maximumMade - messageSize
    /// The bytes that a session's role and the name of its configuration may have together.
    package static let maximumNames = messageSize - (4 << 10)

    private var limits: CBORLimits {
        let usual = CBORLimits.default
        switch self {
        // It stands in the message's map.
        case .state:
            return CBORLimits(
                maximumDepth: usual.maximumDepth - 1, maximumBytes: Self.maximumSize,
                maximumItems: usual.maximumItems - Self.linkItems - Self.messageItems)
        // It stands in the list of links.
        case .link:
            return CBORLimits(
                maximumDepth: usual.maximumDepth - 2, maximumBytes: Frame.maximumSize / 2, maximumItems: Self.linkItems)
        }
    }

    /// Checks that a worker will be able to read the message in which the item stands.
    /// - Throws: `CBORError` that names the limit.
    package func check(_ item: CBORRaw) throws(CBORError) {
        _ = try CBORRaw(item.bytes, limits: limits)
    }

    /// Whether a session with these names leaves the message the room that a state and a link have been promised.
    package static func canCarry(role: String, configuration: String) -> Bool {
        role.utf8.count + configuration.utf8.count <= maximumNames
    }

    /// The links that the message has room for beside a state, in their order.
    package static func links(_ links: [CBORRaw], beside state: CBORRaw?) -> [CBORRaw] {
        var left = maximumSize - (state?.bytes.count ?? 0)
        return links.filter { link in
            guard link.bytes.count <= left else { return false }
            left -= link.bytes.count
            return true
        }
    }
}
