import Logging
import Hub
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

    func activate(_ session: SceneSession, options: ConnectionOptions) async throws {
        let id = session.persistentIdentifier
        await whenOpened(id)
        _ = try self.session(id)
        for link in options.links {
            let place = try await withCheckedThrowingContinuation { continuation in
                whenRunning(id, order: nextInputOrder(), within: configuration.placementTimeout) {
                    continuation.resume(with: $0)
                }
            }
            let message = SceneMessagesList.sceneOpen(session: id, link: try Self.carried(link))
            _ = try await hub.router.send(
                message, to: place.worker, session: id, token: place.token, timeout: configuration.placementTimeout)
        }
    }

    /// Encodes a link for a worker.
    /// - Throws: `CBORError` for a link that no worker could read.
    static func carried(_ link: DeepLink) throws -> CBORRaw {
        let item = try CBORRaw(encoding: link)
        try CarriedItem.link.check(item)
        return item
    }
}
