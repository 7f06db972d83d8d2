/// Where a session stands, for operators.
package enum SessionState: String, Codable, Sendable, CaseIterable {
    /// No worker has its scene.
    case waiting
    /// A worker makes its scene.
    case connecting
    case running
    /// Its scene leaves one worker and is made by another.
    case moving
    /// A worker came back with its scene, and is about to continue it.
    case resuming
    /// A worker that is not attached may still run its scene, until the worker's lease expires.
    case cutOff = "cut off"
    /// A worker that may have its scene is told to end it.
    case withdrawing
}
