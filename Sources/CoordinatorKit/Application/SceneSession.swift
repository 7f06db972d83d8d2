public import Messaging

/// What a user left open: identity, role, configuration and the state to restore. It outlives its scene.
///
/// At most one scene runs a session at a time; between two scenes, and in a process that runs none of its own, ``scene`` is
/// `nil`.
@MainActor
public final class SceneSession: @MainActor Hashable {
    /// What a session is for, such as an application window or an external screen.
    public struct Role: RawRepresentable, Codable, Hashable, Sendable {
        /// The role's name, the same in every process.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A window that a user operates.
        public static let windowApplication = Role(rawValue: "windowApplication")
        /// A screen that only shows: a wall, a sign.
        public static let externalDisplay = Role(rawValue: "externalDisplay")
    }

    /// The session's identity: the same for as long as it is open.
    public nonisolated let persistentIdentifier: String
    /// What the session is for.
    public let role: Role
    /// How its scenes are made; set when a scene connects.
    public internal(set) var configuration: SceneConfiguration
    /// The scene that runs it now.
    public internal(set) weak var scene: Scene?
    /// What a scene of this session starts from: saved when its scene disconnects, and at each checkpoint.
    public var stateRestorationActivity: UserActivity?

    /// The coordinator of its scene. Weak: the scene delegate owns it.
    public weak var sceneCoordinator: (any SceneCoordinating)?

    /// The container that its scene works with; passed on to the scene's coordinator whenever it is set.
    public var appDependency: AppDependency? {
        didSet { sceneCoordinator?.appDependency = appDependency }
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

/// How a scene is made: a name that hosts and workers agree on, and the class of its delegate.
public struct SceneConfiguration: Sendable {
    /// The configuration's name: the same in the host and in its workers.
    public let name: String
    /// The class whose instance runs the scene; `nil` in a process that runs no scenes of this configuration.
    public let delegateClass: SceneDelegate.Type?

    public init(name: String, delegateClass: SceneDelegate.Type? = nil) {
        self.name = name
        self.delegateClass = delegateClass
    }
}
