import Bus
import CBOR
package import Messaging
import PeerLink

/// A command's failure: a message for people with the next step, and an exit code for scripts.
package struct CommandError: ExitCoded {
    package let code: ProcessExitCode
    package let message: String

    package var exitCode: ProcessExitCode { code }
    package var description: String { message }

    package init(_ code: ProcessExitCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Maps any error to an exit code and a message.
    package init(_ error: any Error) {
        switch error {
        case let error as CommandError:
            self = error
        case let error as MessageError:
            let code: ProcessExitCode =
                switch error.code {
                case .timeout, .peerLost: .unreachable
                // The handler has sent another message, which nobody handles.
                case .unhandled where error.mayHaveBeenHandled: .failure
                case _ where error.mayHaveBeenHandled: .unreachable
                case .unhandled, .unauthorized, .overloaded, .draining, .malformed: .refused
                }
            // The descriptions of `timeout` and `peerLost` already contain the note.
            let maybe =
                switch error.code {
                case _ where !error.mayHaveBeenHandled: ""
                case .timeout, .peerLost: ""
                case .unhandled: "; what was asked for may have been done in part"
                case .overloaded, .unauthorized, .draining, .malformed: "; it may have been done all the same"
                }
            self.init(code, error.description + maybe)
        case let error as RemoteError:
            let isRefusal =
                switch error.sceneCommandCode {
                case .refused, .staleToken, .unknownSession, .unknownConfiguration, .unknownWorker, .notConnected,
                    .overloaded, .suspended:
                    true
                case .unreadableState, .noWindow, nil: false
                }
            self.init(isRefusal ? .refused : .failure, error.message)
        case let error as PrivatePathError:
            self.init(.refused, error.description)
        case let error as any ExitCoded:
            self.init(error.exitCode, error.description)
        default:
            self.init(.failure, String(explaining: error))
        }
    }
}
