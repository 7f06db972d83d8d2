import Bus

/// A session as its host describes it.
public struct RemoteSession: Hashable, Sendable, Identifiable {
    /// What becomes of a session's scene at the moment. The texts are those that `scenebus sessions ls` prints.
    public enum State: String, Sendable {
        /// No worker has the scene.
        case waiting
        /// A worker is creating the scene.
        case connecting
        case running
        /// The scene is leaving one worker and is being created by another.
        case moving
        /// A worker has reconnected with the scene and is about to resume it.
        case resuming
        /// A worker that is not attached may still run the scene, until its lease expires.
        case cutOff = "cut off"
        /// A worker that may have the scene has been told to end it.
        case withdrawing

        init(_ state: SessionState) {
            self =
                switch state {
                case .waiting: .waiting
                case .connecting: .connecting
                case .running: .running
                case .moving: .moving
                case .resuming: .resuming
                case .cutOff: .cutOff
                case .withdrawing: .withdrawing
                }
        }
    }

    /// The session's name.
    public let id: String
    /// The scene configuration.
    public let configuration: String
    public let role: String
    /// The worker that has the scene, or is to have it; `nil` for none.
    public let worker: String?
    public let state: State
    /// Why the scene does not run, or cannot move; `nil` when there is no problem.
    public let problem: String?
    /// Whether the host gives the session to no worker because it has crashed several.
    public let isHeld: Bool

    /// The role of the sessions that a client opens.
    package static let defaultRole = "windowApplication"

    init(_ status: SessionStatus) {
        id = status.session
        configuration = status.configuration
        role = status.role
        worker = status.worker
        state = State(status.state)
        problem = status.problem
        isHeld = status.isHeld ?? false
    }
}
