public import Messaging
import OrderedCollections

/// The application. It holds the sessions and the connected scenes, and is near the top of this process's responder
/// chain.
///
/// An application in a single process runs all scenes itself. In a scene worker, ``upstream`` leads to the host. In the
/// host, scenes run in workers.
@MainActor
open class Application: Responder {
    /// The application of this process, made last.
    public internal(set) static weak var shared: Application!

    /// The application's delegate. It holds the container and is the next responder.
    public let delegate: AppDelegate
    /// All open sessions, connected or not, in the order in which they were opened. In the host, these are the sessions
    /// of the whole application; in a scene worker, those whose scenes it has.
    public var openSessions: [SceneSession] { sessions.values.elements }
    /// All scenes that run in this process, in the order in which they were connected.
    public private(set) var connectedScenes: [Scene] = []
    /// The responder after this process's chain: in a scene worker, the link to the host.
    public var upstream: Responder?
    /// Called when the content of a scene has changed.
    package var onContentChange: ((Scene) -> Void)?
    /// Called when the delegate's container is set.
    package var onDependencies: ((AppDependency?) -> Void)?
    /// Called with the identifier of a session that was closed permanently, whose entries are to be removed. Without it,
    /// the application removes them from the delegate's container.
    package var onSessionClosed: ((String) -> Void)?

    /// Opens and closes the sessions whose scenes run in other processes; `nil` if this process runs all scenes.
    package weak var sessionRunner: (any SessionRunner)?
    /// Whether no scene of the application runs in this process, as in the host.
    package var runsScenesElsewhere = false

    private let configurations: [String: SceneConfiguration]
    private var sessions: OrderedDictionary<String, SceneSession> = [:]

    /// Makes an application.
    /// - Parameters:
    ///   - delegate: The application's delegate.
    ///   - configurations: The configurations of scenes that this process knows.
    public init(delegate: AppDelegate = AppDelegate(), configurations: [SceneConfiguration] = []) {
        self.delegate = delegate
        self.configurations = Dictionary(
            configurations.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        super.init()
        declarePassing(by: Application.self)
        delegate.application = self
        Self.shared = self
    }

    /// The application's delegate, whose next responder is ``upstream``.
    public override var next: Responder? { delegate }

    // MARK: - Life cycle

    /// Whether the application has been launched, or is being launched.
    private var isLaunched = false

    /// Launches the application: calls the delegate's `willFinishLaunching` and `didFinishLaunching` methods, the second
    /// of which makes the container. The first session launches an application that has not been launched and that runs
    /// its scenes itself.
    /// - Throws: ``ApplicationError`` if the delegate refuses.
    open func launch(options: LaunchOptions = LaunchOptions()) throws {
        isLaunched = true
        guard delegate.application(self, willFinishLaunchingWithOptions: options),
            delegate.application(self, didFinishLaunchingWithOptions: options)
        else {
            isLaunched = false
            throw ApplicationError.launchRefused(by: delegate.className)
        }
    }

    /// Shows a session: connects a scene to it, or activates the scene that is connected. Without a session, opens a
    /// new one.
    ///
    /// If the application's scenes run in other processes, the request goes to the host, and this method returns before
    /// it has been carried out. The host's delegate chooses the configuration.
    /// - Parameters:
    ///   - session: The session to show; `nil` to open a new one.
    ///   - configuration: The name of a new session's configuration. It may be left out if there is only one.
    ///   - role: The role of a new session.
    ///   - options: The options with which the scene is connected.
    ///   - errorHandler: Called if a request to the host fails. Without it, the error is logged.
    /// - Returns: The session.
    /// - Throws: ``ApplicationError`` if there is no such configuration, ``DeepLinkRefusal`` if a connected scene
    ///   refuses a link.
    @discardableResult
    open func requestSceneSessionActivation(
        _ session: SceneSession? = nil, configuration name: String? = nil,
        role: SceneSession.Role = .windowApplication, options: ConnectionOptions = ConnectionOptions(),
        errorHandler: (@MainActor (any Error) -> Void)? = nil
    ) throws -> SceneSession {
        if !isLaunched, sessionRunner == nil { try launch() }
        // A suspended scene takes no input. The host opens the link when the scene runs again, perhaps elsewhere.
        if let session, let scene = session.scene, sessionRunner == nil || !scene.isSuspended {
            if scene.activationState == .background { enterForeground(scene) }
            for link in options.links { try scene.delegate?.scene(scene, open: link) }
            return session
        }
        guard let sessionRunner else {
            guard let session else { return try openSession(configuration: name, role: role, options: options) }
            try connect(session, options: options)
            return session
        }
        if let session {
            request("activation", of: session, errorHandler) {
                try await sessionRunner.activate(session, options: options)
            }
            return session
        }
        let new = SceneSession(
            persistentIdentifier: SceneSession.newIdentifier(), role: role,
            configuration: SceneConfiguration(name: name ?? ""))
        request("opening", of: new, errorHandler) {
            try await sessionRunner.open(new, configuration: name, options: options)
        }
        return new
    }

    /// Closes a session permanently: disconnects its scene and discards its state.
    ///
    /// If the application's scenes run in other processes, the request goes to the host, and this method returns before
    /// it has been carried out.
    /// - Parameter errorHandler: Called if a request to the host fails. Without it, the error is logged.
    public func requestSceneSessionDestruction(
        _ session: SceneSession, errorHandler: (@MainActor (any Error) -> Void)? = nil
    ) {
        if let sessionRunner {
            return request("closing", of: session, errorHandler) { try await sessionRunner.close(session) }
        }
        guard openSession(session.persistentIdentifier) != nil else { return }
        if let scene = session.scene { disconnect(scene) }
        sessionWasClosed(session.persistentIdentifier)
    }

    func request(
        _ what: String, of session: SceneSession?, _ errorHandler: (@MainActor (any Error) -> Void)?,
        _ perform: @escaping @MainActor () async throws -> Void
    ) {
        Task { @MainActor in
            do {
                try await perform()
            } catch {
                if let errorHandler { errorHandler(error) } else { sessionRunner?.failed(what, session, error) }
            }
        }
    }

    /// Returns the open session with an identifier; `nil` if there is none.
    package func openSession(_ identifier: String) -> SceneSession? { sessions[identifier] }

    /// Adds a session that was opened earlier or in another process.
    package func addOpenSession(_ session: SceneSession) {
        guard sessions[session.persistentIdentifier] == nil else { return }
        sessions[session.persistentIdentifier] = session
        // In the host no scene needs it, and every session would keep the container of the moment in which it opened.
        if !runsScenesElsewhere { session.appDependency = delegate.appDependency }
    }

    /// Removes a session that continues in another process. The delegate is not told that it was discarded.
    package func removeOpenSession(_ session: SceneSession) {
        sessions[session.persistentIdentifier] = nil
    }

    /// Removes a session that was closed permanently, and tells the delegate.
    package func sessionWasClosed(_ identifier: String) {
        guard let session = sessions.removeValue(forKey: identifier) else { return }
        removeEntries(of: session)
        delegate.application(self, didDiscardSceneSessions: [session])
    }

    /// Asks the delegate for the configuration of a new session.
    package func configuration(
        for session: SceneSession, options: ConnectionOptions
    ) -> SceneConfiguration {
        delegate.application(self, configurationForConnecting: session, options: options)
    }

    private func openSession(
        configuration name: String?, role: SceneSession.Role, options: ConnectionOptions
    ) throws -> SceneSession {
        let session = try newSession(configuration: name, role: role)
        do {
            try connect(session, options: options)
        } catch {
            // The caller does not get the session, so it could never be shown or closed.
            removeOpenSession(session)
            throw error
        }
        return session
    }

    private func newSession(configuration name: String?, role: SceneSession.Role) throws -> SceneSession {
        let names = configurations.keys.sorted()
        guard let name = name ?? (names.count == 1 ? names.first : nil), let configuration = configurations[name] else {
            throw ApplicationError.unknownConfiguration(name, known: names)
        }
        return SceneSession(
            persistentIdentifier: SceneSession.newIdentifier(), role: role, configuration: configuration)
    }

    // MARK: - Scenes

    /// Connects a scene to a session: asks the delegate for the configuration, makes the scene and its delegate, and
    /// brings the scene to the foreground.
    /// - Throws: ``ApplicationError`` if this process cannot run the configuration.
    package func connect(_ session: SceneSession, options: ConnectionOptions = ConnectionOptions()) throws {
        addOpenSession(session)
        session.appDependency = delegate.appDependency
        let chosen = configuration(for: session, options: options)
        guard let delegateClass = chosen.delegateClass ?? configurations[chosen.name]?.delegateClass else {
            throw ApplicationError.unknownConfiguration(chosen.name, known: configurations.keys.sorted())
        }
        session.configuration = chosen
        let scene = Scene(session: session, application: self)
        let sceneDelegate = delegateClass.init()
        scene.delegate = sceneDelegate
        sceneDelegate.scene = scene
        session.scene = scene
        connectedScenes.append(scene)
        scene.onContentChange = { [weak self] in self?.onContentChange?($0) }
        scene.activationState = .foregroundInactive
        sceneDelegate.scene(scene, willConnectTo: session, options: options)
        enterForeground(scene)
    }

    private func enterForeground(_ scene: Scene) {
        let isFirst = !hasActiveScene
        if isFirst { delegate.applicationWillEnterForeground(self) }
        scene.delegate?.sceneWillEnterForeground(scene)
        scene.activationState = .foregroundActive
        scene.delegate?.sceneDidBecomeActive(scene)
        if isFirst { delegate.applicationDidBecomeActive(self) }
    }

    private var hasActiveScene: Bool { connectedScenes.contains { $0.activationState == .foregroundActive } }

    /// Tells the delegate that the process ends in order.
    package func willTerminate() { delegate.applicationWillTerminate(self) }

    /// Moves a scene to the background. It stays connected.
    public func enterBackground(_ scene: Scene) {
        guard scene.activationState == .foregroundActive else { return }
        let isLast = !connectedScenes.contains { $0 !== scene && $0.activationState == .foregroundActive }
        if isLast { delegate.applicationWillResignActive(self) }
        scene.delegate?.sceneWillResignActive(scene)
        scene.activationState = .background
        scene.delegate?.sceneDidEnterBackground(scene)
        if isLast { delegate.applicationDidEnterBackground(self) }
    }

    /// Suspends a scene: it is in the background, takes no input and sends nothing.
    package func suspend(_ scene: Scene) {
        guard !scene.isSuspended else { return }
        enterBackground(scene)
        scene.isSuspended = true
        scene.delegate?.sceneDidSuspend(scene)
    }

    /// Resumes a suspended scene.
    package func resume(_ scene: Scene) {
        guard scene.isSuspended else { return }
        scene.isSuspended = false
        enterForeground(scene)
        scene.delegate?.sceneDidResume(scene)
    }

    /// Checks that this process can start a scene from a session's state.
    /// - Throws: An error with the reason if it cannot.
    package func checkState(of session: SceneSession) throws {
        guard let state = session.stateRestorationActivity else { return }
        try configurations[session.configuration.name]?.delegateClass?.checkState(state)
    }

    /// Disconnects a scene: saves its state in the session, which stays open, and releases the delegate and the
    /// coordinator.
    public func disconnect(_ scene: Scene) {
        guard connectedScenes.contains(where: { $0 === scene }) else { return }
        enterBackground(scene)
        // The delegate may have disconnected this scene or other scenes meanwhile.
        guard connectedScenes.contains(where: { $0 === scene }) else { return }
        scene.session.stateRestorationActivity = scene.delegate?.stateRestorationActivity(for: scene)
        connectedScenes.removeAll { $0 === scene }
        scene.onContentChange = nil
        scene.delegate?.sceneDidDisconnect(scene)
        scene.activationState = .unattached
        scene.delegate = nil
        scene.session.scene = nil
    }
}
