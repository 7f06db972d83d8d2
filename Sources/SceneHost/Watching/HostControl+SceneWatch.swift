import Bus
import Messaging

/// Watchers of scenes.
extension HostControl {
    func hostSceneWatch(
        session: String, known: SceneRevision?, state: SessionState?, problem: String?
    ) async throws -> SceneNews {
        try await watching.news(of: session, SceneWatches.Known(revision: known, state: state, problem: problem))
    }
}
