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

    private var limits: CBORLimits {
        let usual = CBORLimits.default
        switch self {
        // It stands in the message's map.
        case .state:
            return CBORLimits(
                maximumDepth: usual.maximumDepth - 1,
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
}
