import CBOR
import Bus
import CoordinatorKit
import PeerLink
import Logging
import ZeroMQ
import Messaging

/// Handles the host's requests for this worker's scenes, and sends checkpoints of their states to the host.
@MainActor
final class SceneResponder: Responder, SceneMessages {
    let application: Application
    let link: Link
    let logger: Logger
    var table = SceneTable()
    var actionPosts = ActionPosts()
    /// The pictures of the scenes that somebody watches, and who waits for the next ones.
    var watched = ShownScenes()
    var watchers: [ShownScenes.Question: PendingResult<SceneUpdate>] = [:]
    /// The answers that the reply to an action goes after.
    var leavingAnswers: [ShownScenes.Question: PendingResult<Void>] = [:]
    lazy var drawing = LoopTimer { [weak self] in self?.drawWatched() }
    /// Resume the calls that wait until a scene's inputs are finished.
    // Not continuations: to make the type of this table, the runtime would search all conformances of the process.
    private var waiters: [Int: @MainActor () -> Void] = [:]
    /// The delay after a change before checkpoints are sent.
    var checkpointInterval = Duration.milliseconds(250)
    lazy var timer = LoopTimer { [weak self] in self?.sendCheckpoints() }

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
        // The host assumes that this worker has no scene of the session, so an older one is outdated.
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
        // The application's code took so long that the lease has expired meanwhile.
        if !table.isActive(id) { suspend([id], reason: "the lease expired while the scene was being made") }
        logger.info("scene connected", metadata: ["session": "\(id)", "configuration": "\(configuration)"])
        if let refusal = (session.sceneCoordinator as? any SceneCoordinating)?.refusal {
            logger.warning(
                "a scene shows less than it was asked for",
                metadata: ["session": "\(id)", "reason": "\(String(foreign: refusal))"])
        }
        // The links are an input, too.
        if !links.isEmpty, let scene = session.scene { inputEnded(of: scene) }
    }

    func sceneFreeze(session id: String) async throws -> CBORRaw? {
        _ = try activeScene(id)
        let number = table.number(of: id)
        await untilInputsEnd(id)
        // If the host has cancelled the request, it has resumed the scene, so do not freeze it.
        try Task.checkCancellation()
        // The link may have been lost while waiting, and the session placed again with a new scene.
        guard table.number(of: id) == number else { throw SceneCommandError.unknownSession(id) }
        let scene = try activeScene(id)
        table.freeze(id)
        link.suspend(id)
        application.suspend(scene)
        return try scene.delegate?.stateRestorationActivity(for: scene).map { try CBORRaw(encoding: $0) }
    }

    /// Waits until a scene's inputs are finished, the scene is gone, or the task is cancelled.
    private func untilInputsEnd(_ id: String) async {
        guard !Task.isCancelled, let waiter = table.waitForInputs(id) else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in waiters[waiter] = { continuation.resume() } }
        } onCancel: {
            Task { @MainActor in
                self.table.stopWaiting(waiter, for: id)
                self.resume([waiter])
            }
        }
    }

    private func resume(_ ended: Set<Int>) {
        for waiter in ended { waiters.removeValue(forKey: waiter)?() }
    }

    func sceneResume(session id: String, token: UInt64) async throws {
        let scene = try scene(id)
        try checkLease()
        table.resume(id, token: token)
        resume(scene)
    }

    /// Checks that this worker's lease is valid. A request that the host sent during the lease may arrive after it.
    private func checkLease() throws {
        guard link.mayAct else {
            throw SceneCommandError(.suspended, "this worker's lease has expired, until the host replies again")
        }
    }

    func sceneDiscard(session id: String, token: UInt64) async throws {
        if table.isMeant(id, by: token) { discard(id) }
    }

    func sceneContent(session id: String) async throws -> ScreenContent {
        try window(of: scene(id)).content
    }

    func sceneAct(
        session id: String, layer: String?, action: String, fields: ActionFields, content: Bool?
    ) async throws -> ScreenContent {
        let scene = try activeScene(id)
        let window = try window(of: scene)
        if let layer, !window.takesInput(in: layer) { throw SceneCommandError.otherLayer }
        let fields = fields.revealed
        try TypedBounds.check(window.bound(fields))
        let number = table.number(of: id)
        table.beginInput(id)
        defer { resume(table.endInput(id, number)) }
        try await perform(action, fields, in: scene, window)
        let answered = drawAfterAction(id)
        if content == false { return ScreenContent() }
        // The content is all that a large screen shows, and takes a while to make and to encode.
        await untilAnswered(answered)
        return window.content
    }

    /// Performs an action, and sends the state that it has changed.
    private func perform(
        _ action: String, _ fields: [String: String], in scene: Scene, _ window: Window
    ) async throws {
        let id = scene.session.persistentIdentifier
        let number = table.number(of: id)
        defer { inputEnded(of: scene) }
        let begun = MonotonicInstant.now
        let posts: [String]
        do {
            posts = try await self.posts(of: id) { try await window.perform(action: action, fields: fields) }
        } catch is CancellationError where table.number(of: id) != number && !Task.isCancelled {
            // The action was cancelled because its scene has ended.
            throw SceneCommandError(.notConnected, "the scene of session '\(id)' ended before the action did")
        }
        await untilHandled(posts, of: id, since: begun)
    }

    func scene(_ id: String) throws -> Scene {
        guard let scene = application.openSession(id)?.scene, table.holds(id) else {
            throw SceneCommandError.unknownSession(id)
        }
        return scene
    }

    /// Returns a session's scene if it is active and the sender's token is current.
    func activeScene(_ id: String) throws -> Scene {
        let scene = try scene(id)
        try table.checkActive(id, token: MessageContext.current?.remote?.token)
        return scene
    }

    func window(of scene: Scene) throws -> Window {
        guard let window = scene.window else {
            throw SceneCommandError(
                .noWindow, "the scene of session '\(scene.session.persistentIdentifier)' has no window")
        }
        return window
    }

    // MARK: - Suspending

    /// Resumes a scene that is active in the table.
    private func resume(_ scene: Scene) {
        let id = scene.session.persistentIdentifier
        guard let token = table.token(of: id) else { return }
        link.grant(id, token: token)
        application.resume(scene)
        contentChanged(of: scene)
    }

    /// Suspends scenes, because the host may run their sessions on another worker.
    private func suspend(_ ids: Set<String>, reason: String) {
        let scenes = application.connectedScenes.filter { ids.contains($0.session.persistentIdentifier) }
        // Suspend all sessions on the link before calling any scene, whose code could otherwise make another scene
        // send a message.
        for id in ids { link.suspend(id) }
        for scene in scenes {
            logger.notice(
                "scene suspended",
                metadata: ["session": "\(scene.session.persistentIdentifier)", "reason": "\(String(foreign: reason))"])
            application.suspend(scene)
        }
    }

    private func discard(_ id: String) {
        guard table.holds(id) else { return }
        forget(id, reason: "its session has moved or was closed")
        guard let session = application.openSession(id) else { return }
        logger.info("scene discarded", metadata: ["session": "\(id)"])
        if let scene = session.scene { application.disconnect(scene) }
        application.removeOpenSession(session)
    }

    private func forget(_ id: String, reason: String) {
        endWatching(id)
        resume(table.forget(id))
        link.revoke(id, reason: reason)
    }

    // MARK: - Link and shutdown

    /// Suspends all scenes after the link was lost. The host decides after a reconnect which of them resume.
    func lost(reason: String) {
        suspend(table.linkLost(), reason: reason)
    }

    /// Sends the final states and disconnects all scenes when the worker ends. Their sessions stay open in the host.
    func disconnectAll() {
        timer.cancel()
        for scene in application.connectedScenes {
            let session = scene.session
            let id = session.persistentIdentifier
            application.enterBackground(scene)
            // Send before disconnecting: only a connected scene can send messages for its session.
            if table.isActive(id) { sendCheckpoint(of: scene) }
            application.disconnect(scene)
            forget(id, reason: "its worker shuts down")
            application.removeOpenSession(session)
        }
    }
}

extension SceneResponder: SceneHolder {
    var heldScenes: [HeldScene] { table.held }

    func leaseExpired() { suspend(table.leaseExpired(), reason: "the host has not replied in time") }

    func leaseRenewed() {
        let ids = table.leaseRenewed()
        for scene in application.connectedScenes where ids.contains(scene.session.persistentIdentifier) {
            // The lease may expire again while an earlier scene of this loop resumes.
            guard table.isActive(scene.session.persistentIdentifier) else { continue }
            logger.notice("scene resumed", metadata: ["session": "\(scene.session.persistentIdentifier)"])
            resume(scene)
        }
    }
}
