public import Messaging

/// The application's delegate: keeps the container, and stands at the top of the responder chain.
///
/// Subclass it for an application's own services, and conform it to message protocols to handle what no scene and no
/// plugin does.
@MainActor
open class AppDelegate: Responder {
    /// The application; set before ``application(_:willFinishLaunchingWithOptions:)``.
    public internal(set) weak var application: Application?

    /// The container of what all scenes share. Setting it updates every open session.
    open var appDependency: AppDependency? {
        didSet { updateSceneDependencies() }
    }

    /// In a scene worker the link to the host; nothing in the host itself.
    open override var next: Responder? { application?.upstream }

    /// First call of the application's life.
    /// - Returns: `false` to refuse to launch.
    open func application(_ application: Application, willFinishLaunchingWithOptions options: LaunchOptions) -> Bool {
        true
    }

    /// Make services here, then call ``rebuildDependencies()``.
    /// - Returns: `false` to refuse to launch.
    open func application(_ application: Application, didFinishLaunchingWithOptions options: LaunchOptions) -> Bool {
        rebuildDependencies()
        return true
    }

    /// Chooses the configuration of a session that is about to have a scene; by default the session's own.
    open func application(
        _ application: Application, configurationForConnecting session: SceneSession, options: ConnectionOptions
    ) -> SceneConfiguration {
        session.configuration
    }

    /// Sessions were closed for good.
    open func application(_ application: Application, didDiscardSceneSessions sessions: [SceneSession]) {}

    /// Makes the container anew from what is there now. Override to fill in services.
    open func rebuildDependencies() {
        if appDependency == nil { appDependency = AppDependency() }
    }

    /// Gives the container to every open session.
    public func updateSceneDependencies() {
        application?.onDependencies?(appDependency)
        for session in application?.openSessions ?? [] { session.appDependency = appDependency }
    }
}

/// What an application is launched with.
public struct LaunchOptions: Sendable {
    /// A link that launched it.
    public var link: DeepLink?

    public init(link: DeepLink? = nil) {
        self.link = link
    }
}
