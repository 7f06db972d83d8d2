/// The exit codes of programs that use SceneBus. Scripts and service managers act on them.
public enum ProcessExitCode: Int32, Sendable {
    case failure = 1
    /// Wrong arguments.
    case usage = 2
    /// No host answered, or not in time.
    case unreachable = 3
    /// The host or this machine does not allow it. Retrying does not help: a person must act.
    case refused = 4
}

/// An error that determines the exit code of the plugin, the scene worker, the host or the client that it ends. Its
/// description goes to the standard error.
public protocol ExitCoded: Error, CustomStringConvertible {
    var exitCode: ProcessExitCode { get }
}
