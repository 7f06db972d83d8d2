import Bus
import CBOR
package import CoordinatorKit
import Logging
import Messaging

/// The requests of the host's own application and its delegate. They wait until the host has read its store.
extension AppHost: SessionRunner {
    package func open(_ session: SceneSession, configuration: String?, options: ConnectionOptions) async throws {
        try await sessions().open(session, configuration: configuration, options: options)
    }

    package func activate(_ session: SceneSession, options: ConnectionOptions) async throws {
        let (sessions, id) = (try await sessions(), session.persistentIdentifier)
        await sessions.whenOpened(id)
        _ = try sessions.session(id)
        for link in options.links {
            let message = SceneMessagesList.sceneOpen(session: id, link: try SessionBook.carried(link))
            _ = try await runningLife.control.send(
                message, to: id, SessionTable.Moment.open, within: configuration.placementTimeout)
        }
    }

    package func close(_ session: SceneSession) async throws {
        try await sessions().close(session.persistentIdentifier)
    }

    package func open(_ link: DeepLink) async throws {
        _ = try await sessions()
        _ = try await runningLife.control.hostOpen(link: try SessionBook.carried(link), session: nil)
    }

    package func failed(_ request: String, _ session: SceneSession?, _ error: any Error) {
        logger.error(
            "a request of the application for a session failed",
            metadata: [
                "request": "\(request)", "session": "\(session?.persistentIdentifier ?? "")",
                "error": "\(String(foreign: error))",
            ])
    }

    private func sessions() async throws -> SessionBook {
        switch phase {
        case .starting: try await withCheckedThrowingContinuation { waiting.append($0) }
        case .running, .ended: break
        }
        return try runningLife.sessions
    }

    /// - Throws: ``HostError`` if the host has ended.
    private var runningLife: HostLife {
        get throws {
            guard phase == .running, let life else { throw HostError(.failed, "the host has ended") }
            return life
        }
    }
}
