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

    /// What this worker knows of a scene beyond the scene itself.
    private struct Holding {
        enum State {
            case active
            /// The host may count this process as dead: until it says otherwise, the scene stands still.
            case suspended
            /// Stands still by the host's word: it is about to live elsewhere.
            case frozen
            /// Is left of a link that was lost: only the host's word lets it go on.
            case kept
        }

        /// Tells it from what this worker has held of the session before.
        let number: Int
        /// The fencing token that it was given last.
        var token: UInt64
        var state = State.active
        /// Inputs that it has not come to the end of.
        var acting = 0
        /// Waits for their end.
        var whenStill: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let application: Application
    private let link: Link
    private let logger: Logger
    private var holdings: [String: Holding] = [:]
    private var lastNumber = 0
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
        link.handlers.heldScenes = { [weak self] in self?.held ?? [] }
        link.handlers.suspend = { [weak self] in self?.suspendAll(reason: "the host has not answered in time") }
        link.handlers.resume = { [weak self] in self?.resumeAll() }
    }

    private var held: [HeldScene] {
        holdings.map { HeldScene(session: $0.key, token: $0.value.token) }.sorted { $0.session < $1.session }
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
            throw SceneCommandError(code: "unreadableState", String(explaining: error))
        }
        lastNumber += 1
        holdings[id] = Holding(number: lastNumber, token: token)
        link.grant(id, token: token)
        do {
            try application.connect(session, options: options)
        } catch {
            forget(id, reason: "its scene could not be made")
            application.removeOpenSession(session)
            throw SceneCommandError(code: "unknownConfiguration", "\(error)")
        }
        logger.info("scene connected", metadata: ["session": "\(id)", "configuration": "\(configuration)"])
    }

    func sceneFreeze(session id: String) async throws -> CBORRaw? {
        _ = try activeScene(id)
        let number = holdings[id]?.number
        if holdings[id]?.acting ?? 0 > 0 { await untilStill(id) }
        // A host that waits no longer has let it go on.
        try Task.checkCancellation()
        // Or it has lost its link meanwhile, and another has placed the session anew.
        guard holdings[id]?.number == number else { throw SceneCommandError.unknownSession(id) }
        let scene = try activeScene(id)
        suspend(scene, as: .frozen)
        return try scene.delegate?.stateRestorationActivity(for: scene).map { try CBORRaw(encoding: $0) }
    }

    /// Waits until a scene has come to the end of its inputs, is gone, or nobody waits for that any more.
    private func untilStill(_ id: String) async {
        lastNumber += 1
        let number = lastNumber
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard holdings[id] != nil, !Task.isCancelled else { return continuation.resume() }
                holdings[id]?.whenStill[number] = continuation
            }
        } onCancel: {
            Task { @MainActor in self.holdings[id]?.whenStill.removeValue(forKey: number)?.resume() }
        }
    }

    func sceneResume(session id: String, token: UInt64) async throws {
        let scene = try scene(id)
        try checkLease()
        holdings[id]?.token = token
        resume(scene)
        contentChanged(of: scene)
    }

    /// What the host said while it could still count on this process may arrive when it cannot any more.
    private func checkLease() throws {
        guard link.mayAct else {
            throw SceneCommandError(code: "suspended", "this worker's lease is over, until the host answers it again")
        }
    }

    func sceneDiscard(session id: String, token: UInt64) async throws {
        guard let holding = holdings[id], holding.token <= token else { return }
        discard(id)
    }

    func sceneOpen(session id: String, link: CBORRaw) async throws {
        let scene = try activeScene(id)
        let link = try Self.link(link)
        defer { contentChanged(of: scene) }
        do {
            guard let delegate = scene.delegate else { throw DeepLinkRefusal(link, "the scene has no delegate") }
            try delegate.scene(scene, open: link)
        } catch {
            throw SceneCommandError(code: "refused", String(explaining: error))
        }
    }

    /// - Throws: ``SceneCommandError`` for what is not a link.
    private static func link(_ item: CBORRaw) throws -> DeepLink {
        do {
            return try item.decode(as: DeepLink.self)
        } catch {
            throw SceneCommandError(code: "refused", "the link cannot be read: \(String(explaining: error))")
        }
    }

    func sceneContent(session id: String) async throws -> ScreenContent {
        try window(of: scene(id)).content
    }

    func sceneAct(session id: String, action: String, fields: [String: String]) async throws -> ScreenContent {
        let scene = try activeScene(id)
        let window = try window(of: scene)
        let number = holdings[id]?.number
        holdings[id]?.acting += 1
        defer { acted(id, number) }
        // What it keeps may have changed without a change of what it shows.
        defer { contentChanged(of: scene) }
        do {
            try await window.perform(action: action, fields: fields)
        } catch is CancellationError where holdings[id]?.number != number && !Task.isCancelled {
            // What the action waited for has ended with its scene.
            throw SceneCommandError(code: "notConnected", "the scene of session '\(id)' ended meanwhile")
        }
        return window.content
    }

    /// An input has come to its end; meanwhile its scene may have gone, and the session come back with another.
    private func acted(_ id: String, _ number: Int?) {
        guard holdings[id]?.number == number else { return }
        holdings[id]?.acting -= 1
        guard holdings[id]?.acting == 0, let waiting = holdings[id]?.whenStill else { return }
        holdings[id]?.whenStill = [:]
        for continuation in waiting.values { continuation.resume() }
    }

    private func scene(_ id: String) throws -> Scene {
        let session = application.openSessions.first { $0.persistentIdentifier == id }
        guard let scene = session?.scene, holdings[id] != nil else { throw SceneCommandError.unknownSession(id) }
        return scene
    }

    /// A session's scene, to do something with it.
    private func activeScene(_ id: String) throws -> Scene {
        let scene = try scene(id)
        guard holdings[id]?.state == .active else {
            throw SceneCommandError(code: "suspended", "the scene of session '\(id)' stands still")
        }
        // A host that has placed the session anew since does not mean this scene.
        if let token = MessageContext.current?.remote?.token, token != holdings[id]?.token {
            throw SceneCommandError(code: "staleToken", "session '\(id)' has been placed anew since")
        }
        return scene
    }

    private func window(of scene: Scene) throws -> Window {
        guard let window = scene.window else {
            throw SceneCommandError(
                code: "noWindow", "the scene of session '\(scene.session.persistentIdentifier)' has no window")
        }
        return window
    }

    // MARK: - Standing still

    private func suspend(_ scene: Scene, as state: Holding.State) {
        mark(scene, as: state)
        application.suspend(scene)
    }

    private func mark(_ scene: Scene, as state: Holding.State) {
        let id = scene.session.persistentIdentifier
        holdings[id]?.state = state
        link.suspend(id)
    }

    private func resume(_ scene: Scene) {
        let id = scene.session.persistentIdentifier
        guard let token = holdings[id]?.token else { return }
        holdings[id]?.state = .active
        // What was sent last may not have been taken.
        sent[id] = nil
        link.grant(id, token: token)
        application.resume(scene)
    }

    /// The host may count this process as dead, and let its sessions run elsewhere: nothing here acts for them any more.
    func suspendAll(reason: String) {
        let scenes = application.connectedScenes.filter {
            holdings[$0.session.persistentIdentifier]?.state == .active
        }
        // All of them before the first one hears of it: what that does must not let another one speak.
        for scene in scenes { mark(scene, as: .suspended) }
        for scene in scenes {
            logger.notice(
                "scene suspended",
                metadata: ["session": "\(scene.session.persistentIdentifier)", "reason": "\(reason)"])
            application.suspend(scene)
        }
    }

    /// The host has not counted this process as dead.
    private func resumeAll() {
        for scene in application.connectedScenes {
            let id = scene.session.persistentIdentifier
            guard holdings[id]?.state == .suspended else { continue }
            logger.notice("scene resumed", metadata: ["session": "\(id)"])
            resume(scene)
            contentChanged(of: scene)
        }
    }

    private func discard(_ id: String) {
        guard holdings[id] != nil else { return }
        forget(id, reason: "its session lives elsewhere, or is closed")
        guard let session = application.openSessions.first(where: { $0.persistentIdentifier == id }) else { return }
        logger.info("scene discarded", metadata: ["session": "\(id)"])
        if let scene = session.scene { application.disconnect(scene) }
        application.removeOpenSession(session)
    }

    private func forget(_ id: String, reason: String) {
        for (_, continuation) in holdings.removeValue(forKey: id)?.whenStill ?? [:] { continuation.resume() }
        changed.remove(id)
        sent[id] = nil
        link.revoke(id, reason: reason)
    }

    // MARK: - Checkpoints

    private func contentChanged(of scene: Scene) {
        changed.insert(scene.session.persistentIdentifier)
        if timer.deadline == nil { timer.set(for: .now + Self.checkpointInterval) }
    }

    /// Sends the state of the scenes that have changed. Those that stand still are sent when they go on.
    func sendCheckpoints() {
        let ids = changed
        changed = []
        for id in ids {
            guard let scene = try? scene(id), holdings[id]?.state == .active else { continue }
            sendCheckpoint(of: scene)
        }
    }

    private func sendCheckpoint(of scene: Scene) {
        let id = scene.session.persistentIdentifier
        guard link.isReady, let state = scene.delegate?.stateRestorationActivity(for: scene), sent[id] != state else {
            return
        }
        sent[id] = state
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
        // A new host knows only what it has read: it is told everything again.
        sent = [:]
        suspendAll(reason: reason)
        for id in holdings.keys { holdings[id]?.state = .kept }
    }

    /// The worker ends: its sessions stay open, with the state of this moment.
    func disconnectAll() {
        timer.cancel()
        for scene in application.connectedScenes {
            let session = scene.session
            let id = session.persistentIdentifier
            application.enterBackground(scene)
            // While it is connected: only its scene can speak for a session.
            if holdings[id]?.state == .active { sendCheckpoint(of: scene) }
            application.disconnect(scene)
            forget(id, reason: "its worker ends")
            application.removeOpenSession(session)
        }
    }
}
