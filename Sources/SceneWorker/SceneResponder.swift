import Bus
import CoordinatorKit
import Link
import Logging
import ZeroMQ

/// Carries out what the host asks of this worker's scenes, and tells it what there is to keep.
@MainActor
final class SceneResponder: Responder, SceneMessages {
    /// The least time between two checkpoints of one scene.
    private static let checkpointInterval = Duration.milliseconds(250)

    private let application: Application
    private let link: Link
    private let logger: Logger
    /// Scenes whose state has changed since it was sent.
    private var changed: Set<String> = []
    private var sent: [String: UserActivity] = [:]
    private lazy var timer = LoopTimer { [weak self] in self?.sendCheckpoints() }

    init(_ application: Application, link: Link, logger: Logger) {
        self.application = application
        self.link = link
        self.logger = logger
        super.init()
        application.onContentChange = { [weak self] in self?.contentChanged(of: $0) }
    }

    // MARK: - The host's commands

    func sceneConnect(
        session id: String, role: String, configuration: String, token: UInt64, state: UserActivity?, links: [DeepLink]
    ) async throws {
        if let session = session(id), let scene = session.scene {
            // The host lost sight of this worker and found it again: the scene goes on under the new token.
            link.grant(id, token: token)
            for link in links { try scene.delegate?.scene(scene, open: link) }
            return
        }
        let session = SceneSession(
            persistentIdentifier: id, role: SceneSession.Role(rawValue: role),
            configuration: SceneConfiguration(name: configuration), stateRestorationActivity: state)
        link.grant(id, token: token)
        do {
            try application.connect(session, options: ConnectionOptions(links: links))
        } catch {
            link.revoke(id, reason: "its scene could not be made")
            application.removeOpenSession(session)
            throw SceneCommandError(code: "unknownConfiguration", "\(error)")
        }
        logger.info("scene connected", metadata: ["session": "\(id)", "configuration": "\(configuration)"])
    }

    func sceneDisconnect(session id: String) async throws -> UserActivity? {
        let scene = try scene(id)
        // A host that has placed the scene here again since does not mean this one.
        guard (MessageContext.current?.remote?.token).map({ $0 == link.tokens[id] }) ?? true else {
            throw SceneCommandError(code: "staleToken", "session '\(id)' has been placed here again since")
        }
        let session = scene.session
        forget(session)
        application.disconnect(scene)
        application.removeOpenSession(session)
        return session.stateRestorationActivity
    }

    func sceneOpen(session id: String, link: DeepLink) async throws {
        let scene = try scene(id)
        do {
            try scene.delegate?.scene(scene, open: link)
        } catch {
            throw SceneCommandError(code: "refused", "\(error)")
        }
    }

    func sceneContent(session id: String) async throws -> ScreenContent {
        try window(of: id).content
    }

    func sceneAct(session id: String, action: String, fields: [String: String]) async throws -> ScreenContent {
        let window = try window(of: id)
        try await window.perform(action: action, fields: fields)
        return window.content
    }

    private func session(_ id: String) -> SceneSession? {
        application.openSessions.first { $0.persistentIdentifier == id }
    }

    private func scene(_ id: String) throws -> Scene {
        guard let scene = session(id)?.scene else { throw SceneCommandError.unknownSession(id) }
        return scene
    }

    private func window(of id: String) throws -> Window {
        guard let window = try scene(id).window else {
            throw SceneCommandError(code: "noWindow", "the scene of session '\(id)' has no window")
        }
        return window
    }

    // MARK: - Checkpoints

    private func contentChanged(of scene: Scene) {
        changed.insert(scene.session.persistentIdentifier)
        if timer.deadline == nil { timer.set(for: .now + Self.checkpointInterval) }
    }

    /// Sends the state of the scenes that have changed.
    func sendCheckpoints() {
        let ids = changed
        changed = []
        for id in ids {
            guard let scene = session(id)?.scene else { continue }
            guard link.isReady else {
                changed.insert(id)
                continue
            }
            sendCheckpoint(of: scene)
        }
        if !changed.isEmpty { timer.set(for: .now + Self.checkpointInterval) }
    }

    private func sendCheckpoint(of scene: Scene) {
        let id = scene.session.persistentIdentifier
        guard let state = scene.delegate?.stateRestorationActivity(for: scene), sent[id] != state else { return }
        sent[id] = state
        scene.chain.sceneCheckpoint(session: id, state: state)
    }

    private func forget(_ session: SceneSession) {
        let id = session.persistentIdentifier
        changed.remove(id)
        sent[id] = nil
        link.revoke(id, reason: "its scene has ended")
    }

    // MARK: - The worker's life

    /// The link is there again. While it was not, the host may have placed the sessions elsewhere: only it knows, and it
    /// asks anew for the scenes that are to run here.
    func attached() {
        changed = []
        timer.cancel()
        for scene in application.connectedScenes {
            let session = scene.session
            logger.notice("scene given up", metadata: ["session": "\(session.persistentIdentifier)"])
            application.disconnect(scene)
            forget(session)
            application.removeOpenSession(session)
        }
    }

    /// The worker ends: its sessions stay open, with the state of this moment.
    func disconnectAll() {
        timer.cancel()
        for scene in application.connectedScenes {
            let session = scene.session
            application.enterBackground(scene)
            // While it is connected: only its scene can speak for a session.
            if link.isReady { sendCheckpoint(of: scene) }
            application.disconnect(scene)
            forget(session)
            application.removeOpenSession(session)
        }
    }
}
