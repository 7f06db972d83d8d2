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
        let id = session.persistentIdentifier
        // Without links, the host still says whether the session is open.
        if options.links.isEmpty { _ = try await chain(of: session).hostSession(session: id) }
        for link in options.links {
            _ = try await chain(of: session).hostOpen(link: try CBORRaw(encoding: link), session: id)
        }
    }

    package func open(_ link: DeepLink) async throws {
        _ = try await application.chain.hostOpen(link: try CBORRaw(encoding: link), session: nil)
    }

    package func close(_ session: SceneSession) async throws {
        try await chain(of: session).hostCloseSession(session: session.persistentIdentifier)
    }

    /// The chain for a request about a session. The scene of the session sends it in the session's name, so that a scene
    /// that has lost its session to another worker can no longer close it.
    private func chain(of session: SceneSession) -> ResponderChain {
        (application.openSession(session.persistentIdentifier)?.scene ?? application).chain
    }

    package func failed(_ request: String, _ session: SceneSession?, _ error: any Error) {
        peer.logger.error(
            "a request of the application for a session failed",
            metadata: [
                "request": "\(request)", "session": "\(session?.persistentIdentifier ?? "")",
                "error": "\(String(foreign: error))",
            ])
    }
}
