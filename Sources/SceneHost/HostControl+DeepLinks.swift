import CoordinatorKit
import Bus
import CBOR
import Messaging

/// Opening a link in a scene.
extension HostControl {
    func hostOpen(link: CBORRaw, session id: String?) async throws -> SessionStatus {
        if let id = id ?? chosenSession(for: link) {
            _ = try await send(SceneMessagesList.sceneOpen(session: id, link: link), to: id, SessionTable.Moment.open)
            return sessions.status(of: try sessions.session(id))
        }
        var reason = "no scene is connected"
        var after: SessionOrder.Key?
        repeat {
            let (keys, last) = sessions.table.order.keys(after: after, limit: ListPages.maximumLength)
            for key in keys {
                guard let session = sessions.table.sessions[key.id], case .running = session.phase else {
                    continue
                }
                do {
                    _ = try await send(
                        SceneMessagesList.sceneOpen(session: session.id, link: link), to: session.id,
                        SessionTable.Moment.open)
                    return sessions.status(of: session)
                } catch let error as MessageError where error.mayHaveBeenHandled {
                    // The scene may have opened the link already; no other scene may open it, too.
                    throw error
                } catch {
                    try Task.checkCancellation()
                    reason = "\(error)"
                }
            }
            after = last
            // Let other work run between two pages of sessions without scenes.
            await Task.yield()
            try Task.checkCancellation()
        } while after != nil
        throw SceneCommandError(.refused, reason)
    }

    /// The session that the application's delegate chooses for a link; `nil` if it leaves the choice to the scenes.
    private func chosenSession(for link: CBORRaw) -> String? {
        let application = sessions.application
        guard let link = try? link.decode(as: DeepLink.self) else { return nil }
        return application.delegate.session(for: link, of: application)?.persistentIdentifier
    }
}
