/// Where a process that the host starts stands.
package enum PluginState: String, Codable, Sendable, CaseIterable {
    /// It is not attached yet.
    case starting
    case attached
    /// It lives, and has lost its link.
    case hung
    /// It has said goodbye, or was asked to end.
    case ending
    /// It has ended, or could not be started, and is about to be started again.
    case waiting
    /// The host could not make what its processes need.
    case failed
    /// The host ends.
    case ended
}
