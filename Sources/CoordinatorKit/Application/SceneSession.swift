public import Messaging

/// A session: an identity, a role, a configuration and a state to restore. It outlives its scene.
///
/// At most one scene runs a session at a time. ``scene`` is `nil` while no scene of this process runs it.
@MainActor
public final class SceneSession: @MainActor Hashable {
    /// The purpose of a session, such as an application window or an external screen.
    public struct Role: RawRepresentable, Codable, Hashable, Sendable {
        /// The role's name, which is the same in every process.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A window that a user operates.
        public static let windowApplication = Role(rawValue: "windowApplication")
        /// A screen without input, such as a wall display or a sign.
        public static let externalDisplay = Role(rawValue: "externalDisplay")
    }

    /// The session's identifier. It does not change while the session is open.
    public nonisolated let persistentIdentifier: String
    /// The session's role.
    public let role: Role
    /// The configuration of the session's scenes. It is updated when a scene connects.
    public internal(set) var configuration: SceneConfiguration
    /// The scene that currently runs the session in this process.
    public internal(set) weak var scene: Scene?
    /// The state from which a scene of this session starts. It is saved when the scene disconnects, and at each
    /// checkpoint.
    public var stateRestorationActivity: UserActivity?

    /// The coordinator of the session's scene. The scene delegate owns it. Setting it gives it the session's container.
    ///
    /// A ``SceneCoordinating`` one also opens links and restores the scene's state.
    public weak var sceneCoordinator: (any Coordinating)? {
        didSet { passDependencies() }
    }

    /// The container of the session's scene. Setting it passes it to the scene's coordinator and its children. It has the
    /// entries of this session, and of no other one.
    public var appDependency: AppDependency? {
        didSet {
            appDependency = appDependency?.container(of: persistentIdentifier)
            passDependencies()
        }
    }

    private func passDependencies() {
        if let sceneCoordinator { pass(appDependency, to: sceneCoordinator) }
    }

    public init(
        persistentIdentifier: String, role: Role = .windowApplication, configuration: SceneConfiguration,
        stateRestorationActivity: UserActivity? = nil
    ) {
        self.persistentIdentifier = persistentIdentifier
        self.role = role
        self.configuration = configuration
        self.stateRestorationActivity = stateRestorationActivity
    }

    public static func == (left: SceneSession, right: SceneSession) -> Bool {
        left.persistentIdentifier == right.persistentIdentifier
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(persistentIdentifier)
    }
}

/// The configuration of a scene: a name that is the same in the host and in its workers, and the class of its delegate.
public struct SceneConfiguration: Sendable {
    /// The configuration's name, which is the same in the host and in its workers.
    public let name: String
    /// The class of the scene's delegate; `nil` in a process that runs no scenes of this configuration.
    public let delegateClass: SceneDelegate.Type?

    public init(name: String, delegateClass: SceneDelegate.Type? = nil) {
        self.name = name
        self.delegateClass = delegateClass
    }

    /// Names one of the application's configurations, for ``AppDelegate/application(_:configurationForConnecting:options:)``.
    /// - Parameter sessionRole: The role of the session, which keeps it.
    public init(name: String, sessionRole: SceneSession.Role) {
        self.init(name: name)
    }
}
