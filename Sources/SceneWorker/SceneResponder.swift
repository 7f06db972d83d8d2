import CBOR
import Bus
import CoordinatorKit
import PeerLink
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
    private var table = SceneTable()
    /// Those who wait for the end of a scene's inputs.
    private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    private lazy var timer = LoopTimer { [weak self] in self?.sendCheckpoints() }

    init(_ application: Application, link: Link, logger: Logger) {
        self.application = application
        self.link = link
        self.logger = logger
        super.init()
        application.onContentChange = { [weak self] in self?.contentChanged(of: $0) }
        link.scenes = self
    }

    // MARK: - The host's commands

    func sceneConnect(
        session id: String, role: String, configuration: String, token: UInt64, state: CBORRaw?, links: [CBORRaw]
    ) async throws {
        try checkLease()
        // The host knows of none here: what is left of an earlier one is not the session's any more.
        discard(id)
        let options = ConnectionOptions(links: try links.map { try Self.link($0) })
        let session: SceneSession
        do {
            session = SceneSession(
                persistentIdentifier: id, role: SceneSession.Role(rawValue: role),
                configuration: SceneConfiguration(name: configuration),
                stateRestorationActivity: try state?.decode(as: UserActivity.self))
            try application.checkState(of: session)
        } catch {
            throw SceneCommandError(.unreadableState, String(explaining: error))
        }
        table.hold(id, token: token)
        link.grant(id, token: token)
        do {
            try application.connect(session, options: options)
        } catch {
            forget(id, reason: "its scene could not be made")
            application.removeOpenSession(session)
            throw SceneCommandError(.unknownConfiguration, "\(error)")
        }
        logger.info("scene connected", metadata: ["session": "\(id)", "configuration": "\(configuration)"])
    }

    func sceneFreeze(session id: String) async throws -> CBORRaw? {
        _ = try activeScene(id)
        let number = table.number(of: id)
        await untilInputsEnd(id)
        // A host that waits no longer has let it go on.
        try Task.checkCancellation()
        // Or it has lost its link meanwhile, and another has placed the session anew.
        guard table.number(of: id) == number else { throw SceneCommandError.unknownSession(id) }
        let scene = try activeScene(id)
        table.freeze(id)
        link.suspend(id)
        application.suspend(scene)
        return try scene.delegate?.stateRestorationActivity(for: scene).map { try CBORRaw(encoding: $0) }
    }

    /// Waits until a scene has come to the end of its inputs, is gone, or nobody waits for that any more.
    private func untilInputsEnd(_ id: String) async {
        guard !Task.isCancelled, let waiter = table.waitForInputs(id) else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiters[waiter] = $0 }
        } onCancel: {
            Task { @MainActor in
                self.table.stopWaiting(waiter, for: id)
                self.resume([waiter])
            }
        }
    }

    private func resume(_ ended: Set<Int>) {
        for waiter in ended { waiters.removeValue(forKey: waiter)?.resume() }
    }

    func sceneResume(session id: String, token: UInt64) async throws {
        let scene = try scene(id)
        try checkLease()
        table.resume(id, token: token)
        resume(scene)
    }

    /// What the host said while it could still count on this process may arrive when it cannot any more.
    private func checkLease() throws {
        guard link.mayAct else {
            throw SceneCommandError(.suspended, "this worker's lease is over, until the host answers it again")
        }
    }

    func sceneDiscard(session id: String, token: UInt64) async throws {
        if table.isMeant(id, by: token) { discard(id) }
    }

    func sceneOpen(session id: String, link: CBORRaw) async throws {
        let scene = try activeScene(id)
        let link = try Self.link(link)
        defer { contentChanged(of: scene) }
        do {
            guard let delegate = scene.delegate else { throw DeepLinkRefusal(link, "the scene has no delegate") }
            try delegate.scene(scene, open: link)
        } catch {
            throw SceneCommandError(.refused, String(explaining: error))
        }
    }

    /// - Throws: ``SceneCommandError`` for what is not a link.
    private static func link(_ item: CBORRaw) throws -> DeepLink {
        do {
            return try item.decode(as: DeepLink.self)
        } catch {
            throw SceneCommandError(.refused, "the link cannot be read: \(String(explaining: error))")
        }
    }

    func sceneContent(session id: String) async throws -> ScreenContent {
        try window(of: scene(id)).content
    }

    func sceneAct(session id: String, action: String, fields: [String: String]) async throws -> ScreenContent {
        let scene = try activeScene(id)
        let window = try window(of: scene)
        let number = table.number(of: id)
        table.beginInput(id)
        defer { resume(table.endInput(id, number)) }
        // What it keeps may have changed without a change of what it shows.
        defer { contentChanged(of: scene) }
        do {
            try await window.perform(action: action, fields: fields)
        } catch is CancellationError where table.number(of: id) != number && !Task.isCancelled {
            // What the action waited for has ended with its scene.
            throw SceneCommandError(.notConnected, "the scene of session '\(id)' ended meanwhile")
        }
        return window.content
    }

    private func scene(_ id: String) throws -> Scene {
        let session = application.openSessions.first { $0.persistentIdentifier == id }
        guard let scene = session?.scene, table.holds(id) else { throw SceneCommandError.unknownSession(id) }
        return scene
    }

    /// A session's scene, to do something with it.
    private func activeScene(_ id: String) throws -> Scene {
        let scene = try scene(id)
        try table.checkActive(id, token: MessageContext.current?.remote?.token)
        return scene
    }

    private func window(of scene: Scene) throws -> Window {
        guard let window = scene.window else {
            throw SceneCommandError(
                .noWindow, "the scene of session '\(scene.session.persistentIdentifier)' has no window")
        }
        return window
    }

    // MARK: - Standing still

    /// Scenes act again that the table counts as active.
    private func resume(_ scene: Scene) {
        let id = scene.session.persistentIdentifier
        guard let token = table.token(of: id) else { return }
        link.grant(id, token: token)
        application.resume(scene)
        contentChanged(of: scene)
    }

    /// Scenes must not act any more: the host may run their sessions elsewhere.
    private func suspend(_ ids: Set<String>, reason: String) {
        let scenes = application.connectedScenes.filter { ids.contains($0.session.persistentIdentifier) }
        // All of them before the first one hears of it: what that does must not let another one speak.
        for scene in scenes { link.suspend(scene.session.persistentIdentifier) }
        for scene in scenes {
            logger.notice(
                "scene suspended",
                metadata: ["session": "\(scene.session.persistentIdentifier)", "reason": "\(reason)"])
            application.suspend(scene)
        }
    }

    private func discard(_ id: String) {
        guard table.holds(id) else { return }
        forget(id, reason: "its session lives elsewhere, or is closed")
        guard let session = application.openSessions.first(where: { $0.persistentIdentifier == id }) else { return }
        logger.info("scene discarded", metadata: ["session": "\(id)"])
        if let scene = session.scene { application.disconnect(scene) }
        application.removeOpenSession(session)
    }

    private func forget(_ id: String, reason: String) {
        resume(table.forget(id))
        link.revoke(id, reason: reason)
    }

    // MARK: - Checkpoints

    private func contentChanged(of scene: Scene) {
        table.contentChanged(scene.session.persistentIdentifier)
        if timer.deadline == nil { timer.set(for: .now + Self.checkpointInterval) }
    }

    /// Sends the state of the scenes that have changed. Those that stand still are sent when they go on.
    func sendCheckpoints() {
        for id in table.takeChanged() {
            if let scene = try? scene(id) { sendCheckpoint(of: scene) }
        }
    }

    private func sendCheckpoint(of scene: Scene) {
        let id = scene.session.persistentIdentifier
        guard link.isReady, let state = scene.delegate?.stateRestorationActivity(for: scene),
            table.isNews(state, of: id)
        else { return }
        do {
            scene.chain.sceneCheckpoint(session: id, state: try CBORRaw(encoding: state))
        } catch {
            logger.error(
                "the state of a scene cannot be encoded", metadata: ["session": "\(id)", "error": "\(error)"])
        }
    }

    // MARK: - The worker's life

    /// The link is lost: whether the host has ended, or only cannot be reached, is for it to say when it is back.
    func lost(reason: String) {
        suspend(table.linkLost(), reason: reason)
    }

    /// The worker ends: its sessions stay open, with the state of this moment.
    func disconnectAll() {
        timer.cancel()
        for scene in application.connectedScenes {
            let session = scene.session
            let id = session.persistentIdentifier
            application.enterBackground(scene)
            // While it is connected: only its scene can speak for a session.
            if table.isActive(id) { sendCheckpoint(of: scene) }
            application.disconnect(scene)
            forget(id, reason: "its worker ends")
            application.removeOpenSession(session)
        }
    }
}

extension SceneResponder: SceneHolder {
    var heldScenes: [HeldScene] { table.held }

    func leaseExpired() { suspend(table.leaseExpired(), reason: "the host has not answered in time") }

    func leaseRenewed() {
        let ids = table.leaseRenewed()
        for scene in application.connectedScenes where ids.contains(scene.session.persistentIdentifier) {
            // What one does when it resumes may find that the lease has expired again.
            guard table.isActive(scene.session.persistentIdentifier) else { continue }
            logger.notice("scene resumed", metadata: ["session": "\(scene.session.persistentIdentifier)"])
            resume(scene)
        }
    }
}
