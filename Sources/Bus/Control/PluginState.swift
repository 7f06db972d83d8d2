/// The state of a process that the host starts.
package enum PluginState: String, Codable, Sendable, CaseIterable {
    /// The process is not attached yet.
    case starting
    case attached
    /// The process is running but has lost its link.
    case hung
    /// The process has sent a goodbye, or has been asked to end.
    case ending
    /// The process has ended, or could not be started, and will be started again.
    case waiting
    /// The host could not create what the plugin's processes need.
    case failed
    /// The host is shutting down.
    case ended
}
