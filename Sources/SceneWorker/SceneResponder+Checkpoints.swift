import CBOR
import Bus
import CoordinatorKit
import Logging
import Messaging
import PeerLink
import ZeroMQ

/// Sends the states of scenes to the host, from which their next scenes start.
extension SceneResponder {
    func contentChanged(of scene: Scene) {
        table.contentChanged(scene.session.persistentIdentifier)
        if !watched.isEmpty { contentMayDiffer(of: scene.session.persistentIdentifier) }
        if timer.deadline == nil { timer.set(for: .now + checkpointInterval) }
    }

    /// Sends a scene's state if an input has changed it, before the input's reply. Whoever has the reply can rely on the
    /// next scene starting from this state. The state may have changed even if the content has not.
    func inputEnded(of scene: Scene) {
        let id = scene.session.persistentIdentifier
        if link.isReady, table.isActive(id) {
            table.takeChange(of: id)
            sendCheckpoint(of: scene)
        } else {
            contentChanged(of: scene)
        }
    }

    /// Sends the states of the active scenes that have changed. A suspended scene's state is sent when it resumes.
    func sendCheckpoints() {
        for id in table.takeChanged() {
            // The lease may expire while another scene's state is sent.
            if table.isActive(id), let scene = try? scene(id) { sendCheckpoint(of: scene) }
        }
    }

    func sendCheckpoint(of scene: Scene) {
        let id = scene.session.persistentIdentifier
        guard link.isReady, let state = scene.delegate?.stateRestorationActivity(for: scene),
            table.isNews(state, of: id)
        else { return }
        do {
            scene.chain.sceneCheckpoint(session: id, state: try CBORRaw(encoding: state))
        } catch {
            logger.error(
                "the state of a scene cannot be encoded",
                metadata: ["session": "\(id)", "error": "\(String(foreign: error))"])
        }
    }
}
