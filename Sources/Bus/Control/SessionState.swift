/// The state of a session, as operators see it.
package enum SessionState: String, Codable, Sendable, CaseIterable {
    /// No worker has its scene.
    case waiting
    /// A worker is creating its scene.
    case connecting
    case running
    /// Its scene is leaving one worker and is being created by another.
    case moving
    /// A worker has reconnected with its scene and is about to resume it.
    case resuming
    /// A worker that is not attached may still run its scene, until the worker's lease expires.
    case cutOff = "cut off"
    /// A worker that may have its scene has been told to end it.
    case withdrawing
}
