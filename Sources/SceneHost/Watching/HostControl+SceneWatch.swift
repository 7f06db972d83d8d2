import Bus
import Messaging

/// Watchers of scenes.
extension HostControl {
    func hostSceneWatch(
        session: String, known: SceneRevision?, state: SessionState?, problem: String?,
        watchers: SceneWatchers?, company: UInt64?
    ) async throws -> SceneNews {
        let known = SceneWatches.Known(revision: known, state: state, problem: problem, company: company)
        return try await watching.news(of: session, known, watchers)
    }
}
