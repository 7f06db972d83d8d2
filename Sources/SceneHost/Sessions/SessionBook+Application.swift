import CBOR
import CoordinatorKit
import Bus
import Messaging

/// The requests of the host's own application and its delegate.
extension SessionBook {
    func open(_ session: SceneSession, configuration: String?, options: ConnectionOptions) async throws {
        _ = try await open(
            session.persistentIdentifier, configuration: configuration, role: session.role.rawValue,
            links: try options.links.map { try Self.carried($0) })
    }

    /// Encodes a link for a worker.
    /// - Throws: `CBORError` for a link that no worker could read.
    static func carried(_ link: DeepLink) throws -> CBORRaw {
        let item = try CBORRaw(encoding: link)
        try CarriedItem.link.check(item)
        return item
    }
}
