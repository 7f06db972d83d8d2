import PluginKit
import Logging
import Bus
import CBOR
package import CoordinatorKit
import Messaging

/// The requests of a worker's application for sessions, which belong to the host.
extension SceneWorker: SessionRunner {
    package func open(_ session: SceneSession, configuration: String?, options: ConnectionOptions) async throws {
        _ = try await application.chain.hostOpenSession(
            configuration: configuration, role: session.role.rawValue,
            link: try options.links.first.map { try CBORRaw(encoding: $0) }, session: session.persistentIdentifier)
        let others = ConnectionOptions(links: Array(options.links.dropFirst()))
        try await activate(session, options: others)
    }

    package func activate(_ session: SceneSession, options: ConnectionOptions) async throws {
        for link in options.links {
            _ = try await application.chain.hostOpen(
                link: try CBORRaw(encoding: link), session: session.persistentIdentifier)
        }
    }

    package func close(_ session: SceneSession) async throws {
        try await application.chain.hostCloseSession(session: session.persistentIdentifier)
    }

    package func failed(_ request: String, _ session: SceneSession, _ error: any Error) {
        peer.logger.error(
            "a request of the application for a session failed",
            metadata: [
                "request": "\(request)", "session": "\(session.persistentIdentifier)", "error": "\(error)",
            ])
    }
}
