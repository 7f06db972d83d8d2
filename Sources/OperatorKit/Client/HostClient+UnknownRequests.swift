import Bus
import Messaging

extension HostClient {
    /// The error of a command, with what only its client knows: a host that does not know a request of this command's is older
    /// than the command.
    func explained(_ error: any Error) -> any Error {
        guard let error = error as? MessageError, error.code == .unhandled, !error.mayHaveBeenHandled,
            ProtocolMessages.isNamedAsOfHost(error.message), ProtocolMessages.contains(error.message)
        else { return error }
        let own = SceneBusVersion.current
        let versions =
            switch welcome.software {
            case own: "both are of version \(own), but the host was built before"
            case let software?: "it is of version \(software), and this command of version \(own)"
            case nil: "it does not say its version, and this command is of version \(own)"
            }
        return CommandError(
            .refused,
            "the host '\(welcome.host)' does not know '\(error.message)', because it is older than this command: \(versions); "
                + "build the host's program anew, and start it again")
    }
}
