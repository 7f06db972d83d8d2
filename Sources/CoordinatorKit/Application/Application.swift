public import Messaging

/// The application: its sessions, its connected scenes, and the top of this process's responder chain.
///
/// In one process it runs everything. In a scene worker ``upstream`` leads on to the host. In the host the scenes run
/// elsewhere, and a subclass says how a session is connected.
@MainActor
open class Application: Responder {
    /// The application's delegate: keeps the container, and is the next responder.
    public let delegate: AppDelegate
    /// Every session that is open, connected or not, in the order of opening.
    public private(set) var openSessions: [SceneSession] = []
    /// Every scene that runs in this process, in the order of connecting.
    public private(set) var connectedScenes: [Scene] = []
    /// The responder above this process: in a scene worker, the link to the host.
    public var upstream: Responder?
    /// Called when what a scene shows has changed.
    package var onContentChange: ((Scene) -> Void)?
    /// Called when the delegate's container has changed.
    package var onDependencies: ((AppDependency?) -> Void)?

    private let configurations: [String: SceneConfiguration]

    /// - Parameters:
    ///   - delegate: the application's delegate.
    ///   - configurations: the kinds of scenes that this process can run.
    public init(delegate: AppDelegate = AppDelegate(), configurations: [SceneConfiguration] = []) {
        self.delegate = delegate
        self.configurations = Dictionary(
            configurations.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        super.init()
        delegate.application = self
    }

    /// The application's delegate, which leads on to ``upstream``.
    public override var next: Responder? { delegate }

    // MARK: - Life cycle

    /// Launches: `willFinishLaunching`, then `didFinishLaunching`.
    /// - Throws: ``ApplicationError`` when the delegate refuses.
    open func launch(options: LaunchOptions = LaunchOptions()) throws {
        guard delegate.application(self, willFinishLaunchingWithOptions: options),
            delegate.application(self, didFinishLaunchingWithOptions: options)
        else { throw ApplicationError.launchRefused(by: delegate.className) }
    }

    /// Shows a session: connects a scene, or activates the one that is connected. Without a session, opens a new one.
    /// - Parameters:
    ///   - session: the session to show, or `nil`.
    ///   - configuration: the configuration's name for a new session; may be left out when there is only one.
    ///   - options: what the scene is connected with.
    /// - Returns: the session.
    /// - Throws: ``ApplicationError`` when there is no such configuration, ``DeepLinkRefusal`` when a connected scene
    ///   refuses a link.
    @discardableResult
    open func requestSceneSessionActivation(
        _ session: SceneSession? = nil, configuration name: String? = nil,
        role: SceneSession.Role = .windowApplication, options: ConnectionOptions = ConnectionOptions()
    ) throws -> SceneSession {
        guard let session else { return try openSession(configuration: name, role: role, options: options) }
        if let scene = session.scene {
            if scene.activationState == .background { enterForeground(scene) }
            for link in options.links { try scene.delegate?.scene(scene, open: link) }
        } else {
            try connect(session, options: options)
        }
        return session
    }

    /// Closes a session for good: disconnects its scene, and forgets its state.
    public func requestSceneSessionDestruction(_ session: SceneSession) {
        guard openSessions.contains(session) else { return }
        if let scene = session.scene { disconnect(scene) }
        openSessions.removeAll { $0 == session }
        delegate.application(self, didDiscardSceneSessions: [session])
    }

    /// Adds a session that was opened elsewhere or earlier.
    package func addOpenSession(_ session: SceneSession) {
        guard !openSessions.contains(session) else { return }
        openSessions.append(session)
        session.appDependency = delegate.appDependency
    }

    /// Drops a session that lives on elsewhere: nobody is told that it was discarded.
    package func removeOpenSession(_ session: SceneSession) {
        openSessions.removeAll { $0 == session }
    }

    private func openSession(
        configuration name: String?, role: SceneSession.Role, options: ConnectionOptions
    ) throws -> SceneSession {
        let session = try newSession(configuration: name, role: role)
        do {
            try connect(session, options: options)
        } catch {
            // Nobody could show or close a session that its opener never got.
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
            persistentIdentifier: Self.newIdentifier(), role: role, configuration: configuration)
    }

    /// A new session identifier: 8 characters that are easy to read out and to type.
    package static func newIdentifier() -> String {
        let letters = Array("23456789abcdefghjkmnpqrstuvwxyz")
        var random = SystemRandomNumberGenerator()
        return String((0..<8).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
    }

    // MARK: - Scenes

    /// Gives a session its scene: asks the delegate for the configuration, makes scene and scene delegate, and brings the
    /// scene to the foreground.
    /// - Throws: ``ApplicationError`` when this process cannot run the configuration.
    package func connect(_ session: SceneSession, options: ConnectionOptions = ConnectionOptions()) throws {
        addOpenSession(session)
        session.appDependency = delegate.appDependency
        let chosen = delegate.application(self, configurationForConnecting: session, options: options)
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
        scene.delegate?.sceneWillEnterForeground(scene)
        scene.activationState = .foregroundActive
        scene.delegate?.sceneDidBecomeActive(scene)
    }

    /// Takes a scene from the foreground; it stays connected.
    public func enterBackground(_ scene: Scene) {
        guard scene.activationState == .foregroundActive else { return }
        scene.delegate?.sceneWillResignActive(scene)
        scene.activationState = .background
        scene.delegate?.sceneDidEnterBackground(scene)
    }

    /// Lets a scene stand still, in the background: no input, nothing sent.
    package func suspend(_ scene: Scene) {
        guard !scene.isSuspended else { return }
        enterBackground(scene)
        scene.isSuspended = true
        scene.delegate?.sceneDidSuspend(scene)
    }

    /// Lets a scene go on that stood still.
    package func resume(_ scene: Scene) {
        guard scene.isSuspended else { return }
        scene.isSuspended = false
        enterForeground(scene)
        scene.delegate?.sceneDidResume(scene)
    }

    /// Checks that this process can start a scene from a session's state.
    /// - Throws: an error that says why it cannot.
    package func checkState(of session: SceneSession) throws {
        guard let state = session.stateRestorationActivity else { return }
        try configurations[session.configuration.name]?.delegateClass?.checkState(state)
    }

    /// Ends a scene: keeps its state in the session, which stays open, and frees the delegate and the coordinator.
    public func disconnect(_ scene: Scene) {
        guard connectedScenes.contains(where: { $0 === scene }) else { return }
        enterBackground(scene)
        // Its delegate may have ended this one by itself, or others.
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

/// What an application cannot do, and why.
public enum ApplicationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The delegate, an instance of this class, refused to launch.
    case launchRefused(by: String)
    /// This process has no configuration of that name, or none was named where there is not just one; `known` are those it has.
    case unknownConfiguration(String?, known: [String])

    public var description: String {
        switch self {
        case .launchRefused(let delegate): return "\(delegate) refused to launch the application"
        case .unknownConfiguration(let name, let known):
            let asked = name.map { "no scene configuration is called '\($0)'" } ?? "no scene configuration was named"
            return "\(asked); there are: \(known.isEmpty ? "none" : known.joined(separator: ", "))"
        }
    }
}
