package import PeerLink

/// Two peers of one process have the same name.
package struct NameTaken: ExitCoded, CustomStringConvertible {
    package let name: String
    package let exitCode = ProcessExitCode.refused

    package var description: String { "this process runs another '\(name)' already: give each an id of its own" }
}

/// Somebody else than this user's host could listen at the host's address.
package struct AttachmentUnsafe: ExitCoded, CustomStringConvertible {
    package let reason: String
    package let exitCode = ProcessExitCode.refused

    package var description: String { "does not attach: \(reason)" }
}

/// The host refused this process for good.
package struct AttachmentRefused: ExitCoded, CustomStringConvertible {
    package let reason: String
    package let exitCode = ProcessExitCode.refused

    package var description: String { "the host refused: \(reason)" }
}
