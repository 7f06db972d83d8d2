package import Messaging

/// The error of a second peer with the same name in one process.
package struct NameTaken: ExitCoded {
    package let name: String
    package let exitCode = ProcessExitCode.refused

    package var description: String { "this process already runs a peer '\(name)': give each an id of its own" }
}

/// The error of an address at which another user could listen.
package struct AttachmentUnsafe: ExitCoded {
    package let reason: String
    package let exitCode = ProcessExitCode.refused

    package var description: String { "does not attach: \(reason)" }
}

/// The error of a peer that the host has refused permanently.
package struct AttachmentRefused: ExitCoded {
    package let reason: String
    package let exitCode = ProcessExitCode.refused

    package var description: String { "the host refused: \(reason)" }
}
