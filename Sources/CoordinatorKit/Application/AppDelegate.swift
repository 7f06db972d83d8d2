import CBOR
public import Messaging

/// The application's delegate. It holds the container, and is at the top of the responder chain.
///
/// Subclass it to provide an application's own services. Conform the subclass to message protocols to handle messages
/// that no scene and no plugin handles.
@MainActor
open class AppDelegate: Responder {
    /// The application. It is set before ``application(_:willFinishLaunchingWithOptions:)`` is called.
    public internal(set) weak var application: Application?

    /// The container that all scenes share. Setting it updates all open sessions.
    ///
    /// It also has the entries of sessions, each of which only its session's scene gets. Set one with
    /// ``Application/set(_:to:for:)``.
    open var appDependency: AppDependency? {
        didSet {
            // Without them it is set anew.
            guard !removesMisplacedEntries() else { return }
            application?.onDependencies?(appDependency)
            updateSceneDependencies()
        }
    }

    public override init() {
        super.init()
        declarePassing(by: AppDelegate.self)
    }

    /// Removes what was set as if it were for all sessions, and has a value for each.
    /// - Returns: Whether there was any.
    private func removesMisplacedEntries() -> Bool {
        guard let names = appDependency?.misplacedNames, !names.isEmpty else { return false }
        for name in names {
            Advice.give(
                "the entry '\(name)' has a value for each session, so it was not set for all of them: set it with "
                    + "application.set(_:to:for:)")
        }
        appDependency?.removeMisplacedEntries()
        return true
    }

    /// The link to the host in a scene worker; `nil` in the host itself.
    open override var next: Responder? { application?.upstream }

    /// Called first when the application is launched.
    /// - Returns: `false` to refuse to launch.
    open func application(_ application: Application, willFinishLaunchingWithOptions options: LaunchOptions) -> Bool {
        true
    }

    /// Called at the end of the launch. Create services here, then call ``rebuildDependencies()``.
    /// - Returns: `false` to refuse to launch.
    open func application(_ application: Application, didFinishLaunchingWithOptions options: LaunchOptions) -> Bool {
        rebuildDependencies()
        return true
    }

    /// Chooses the configuration for a session that is about to be connected; by default the session's own.
    ///
    /// The host's delegate is asked once, when a new session is opened, and chooses among the configurations that
    /// workers offer. Its session has an empty configuration name if whoever opens it has not named one. A scene worker's
    /// delegate is asked each time that it connects a scene.
    open func application(
        _ application: Application, configurationForConnecting session: SceneSession, options: ConnectionOptions
    ) -> SceneConfiguration {
        session.configuration
    }

    /// Called when sessions have been closed permanently. A scene worker's delegate is not called: the host's is.
    open func application(_ application: Application, didDiscardSceneSessions sessions: [SceneSession]) {}

    /// Called before the first scene of this process enters the foreground.
    open func applicationWillEnterForeground(_ application: Application) {}
    /// Called when the first scene of this process is active.
    open func applicationDidBecomeActive(_ application: Application) {}
    /// Called before the last active scene of this process leaves the foreground.
    open func applicationWillResignActive(_ application: Application) {}
    /// Called when no scene of this process is in the foreground any more.
    open func applicationDidEnterBackground(_ application: Application) {}
    /// Called when the process ends in order: before a worker disconnects its scenes, and when a host shuts down.
    open func applicationWillTerminate(_ application: Application) {}

    /// Chooses the session that opens a link which was sent to the application rather than to a session.
    /// - Returns: The session; `nil`, the default, for the first one whose scene accepts the link.
    open func application(_ application: Application, sessionToOpen link: DeepLink) -> SceneSession? { nil }

    /// Called when a notification was sent to the application rather than to a session, before a scene opens it. A scene
    /// worker's delegate is not called: the host's is.
    /// - Parameter userInfo: The notification's values: `String`, `Int`, `Double`, `Bool`, `[UInt8]`, arrays and
    ///   dictionaries. A null is an empty optional, and an integer above `Int64.max` a `UInt64`.
    open func application(_ application: Application, didReceiveRemoteNotification userInfo: [AnyHashable: Any]) {}

    /// Makes the container if there is none yet. Override to add services.
    open func rebuildDependencies() {
        if appDependency == nil { appDependency = AppDependency() }
    }

    /// Passes the container to all open sessions. Setting ``appDependency`` calls it. A session, and each coordinator
    /// below it, gets a container once, however often this is called.
    open func updateSceneDependencies() {
        guard let application, !application.runsScenesElsewhere else { return }
        for session in application.openSessions { session.appDependency = appDependency }
    }
}

extension AppDelegate {
    /// Tells the delegate of a link that was sent to the application, and asks it for the session that opens the link.
    package func session(for link: DeepLink, of application: Application) -> SceneSession? {
        if case .notification(let info) = link {
            self.application(
                application,
                didReceiveRemoteNotification: info.reduce(into: [:]) { $0[$1.key] = $1.value.foundationValue })
        }
        return self.application(application, sessionToOpen: link)
    }
}

extension CBORValue {
    /// The value as UIKit's methods have it in dictionaries.
    fileprivate var foundationValue: Any {
        switch self {
        case .null: Any?.none as Any
        case .bool(let value): value
        case .int(let value): Int(exactly: value) ?? value
        case .unsigned(let value): value
        case .double(let value): value
        case .string(let value): value
        case .bytes(let value): value
        case .array(let values): values.map(\.foundationValue)
        case .secret(let value): value
        case .map(let map):
            map.entries.reduce(into: [AnyHashable: Any]()) {
                $0[$1.key.stringValue ?? "\($1.key)"] = $1.value.foundationValue
            }
        }
    }
}

/// The options with which an application is launched.
public struct LaunchOptions: Sendable {
    /// The link that launched the application, if any.
    public var link: DeepLink?

    public init(link: DeepLink? = nil) {
        self.link = link
    }
}
