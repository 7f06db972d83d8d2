import Messaging

/// The error of a client whose handshake with a host has failed. It says why, and what to do. What answers at the address may
/// not be the host.
package struct HandshakeFailed: ExitCoded {
    package let description: String
    package var exitCode: ProcessExitCode { .refused }
}
