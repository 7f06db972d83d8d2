import Bus

/// The exit codes of SceneBus's programs. Scripts and service managers act on them.
package enum ProcessExitCode: Int32, Sendable {
    case failure = 1
    /// Wrong arguments.
    case usage = 2
    /// No host answered, or not in time.
    case unreachable = 3
    /// The host or this machine does not allow it. Retrying does not help: a person must act.
    case refused = 4
}

/// An error that determines the exit code of the process that it ends.
package protocol ExitCoded: Error, CustomStringConvertible {
    var exitCode: ProcessExitCode { get }
}

extension BusName.Invalid: ExitCoded {
    package var exitCode: ProcessExitCode { .usage }
}
