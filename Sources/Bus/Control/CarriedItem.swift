package import CBOR

/// Data that the host carries between operators, workers and the store without decoding it: scene states and links.
///
/// Both become part of the payload of `sceneConnect`, which a worker decodes with the default limits. If a state or a
/// link left too little room for the rest of that message, no worker could decode it, and its session would never get a
/// scene again. The host therefore rejects such an item when it arrives.
package enum CarriedItem: Sendable {
    case state, link

    /// The numbers of CBOR items in `sceneConnect` that are reserved for the links and for the message's own fields.
    private static let linkItems = 90_000
    private static let messageItems = 10_000
    /// The bytes of the frame that are reserved for everything but the state and the links.
    private static let messageSize = 16 << 10
    /// The maximum size of a state and the links together, in bytes.
    private static let maximumSize = Frame.maximumMade - messageSize
    /// The maximum length of a session's role and the name of its configuration together, in bytes.
    package static let maximumNames = messageSize - (4 << 10)

    private var limits: CBORLimits {
        let usual = CBORLimits.default
        switch self {
        // A state is a value in the message's map.
        case .state:
            return CBORLimits(
                maximumDepth: usual.maximumDepth - 1, maximumBytes: Self.maximumSize,
                maximumItems: usual.maximumItems - Self.linkItems - Self.messageItems)
        // A link is an element of an array in the message's map.
        case .link:
            return CBORLimits(
                maximumDepth: usual.maximumDepth - 2, maximumBytes: Frame.maximumSize / 2, maximumItems: Self.linkItems)
        }
    }

    /// Checks that a worker will be able to decode the message that contains the item.
    /// - Throws: `CBORError` that names the exceeded limit.
    package func check(_ item: CBORRaw) throws(CBORError) {
        _ = try CBORRaw(item.bytes, limits: limits)
    }

    /// Returns whether a session with these names leaves the room that is guaranteed to a state and a link.
    package static func canCarry(role: String, configuration: String) -> Bool {
        role.utf8.count + configuration.utf8.count <= maximumNames
    }

    /// Returns the links that fit into the message beside a state, in their original order.
    package static func links(_ links: [CBORRaw], beside state: CBORRaw?) -> [CBORRaw] {
        var left = maximumSize - (state?.bytes.count ?? 0)
        return links.filter { link in
            guard link.bytes.count <= left else { return false }
            left -= link.bytes.count
            return true
        }
    }
}
