public import Logging

/// The start parameters of the process of a host of one's own, from its arguments and its environment.
public struct HostProcess: Sendable {
    /// The configuration that the options name. Without an option for it, the store is `scenebus/ID/NAME.sqlite` in
    /// `XDG_STATE_HOME` or `~/.local/state`.
    public let configuration: HostConfiguration
    /// Logs to the standard error, at or above the level in SCENEBUS_LOG (default: notice).
    public let logger: Logger
}
