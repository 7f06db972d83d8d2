import CBOR
import Messaging
import Glibc
import PeerLink

/// Why a command failed: a sentence for people, with the next step, and an exit code for scripts.
package struct CommandError: Error {
    package static let failure: Int32 = 1
    package static let usage: Int32 = 2
    package static let unreachable: Int32 = 3
    package static let refused: Int32 = 4

    package let code: Int32
    package let message: String

    package init(_ code: Int32, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The exit code and the message for any error.
    package init(_ error: any Error) {
        switch error {
        case let error as CommandError:
            self = error
        case let error as MessageError:
            let code =
                switch error.code {
                case .timeout, .peerLost: Self.unreachable
                case _ where error.mayHaveBeenHandled: Self.unreachable
                case .unhandled, .unauthorized, .overloaded, .draining, .malformed: Self.refused
                }
            // The descriptions of these two say so themselves.
            let isSaid = error.code == .timeout || error.code == .peerLost
            let maybe = error.mayHaveBeenHandled && !isSaid ? "; it may have been done all the same" : ""
            self.init(code, error.description + maybe)
        case let error as RemoteError:
            let refusals: Set = [
                "refused", "staleToken", "unknownSession", "unknownConfiguration", "unknownWorker", "notConnected",
                "overloaded", "suspended",
            ]
            let isRefusal = error.code.map { refusals.contains($0) } ?? false
            self.init(isRefusal ? Self.refused : Self.failure, error.message)
        case let error as FolderError:
            self.init(Self.refused, error.description)
        case let error as any ErrorWithExitCode:
            self.init(error.exitCode, error.description)
        default:
            self.init(Self.failure, String(explaining: error))
        }
    }

    /// Writes a line to the standard error.
    package static func write(_ text: String) {
        _ = (text + "\n").withCString { Glibc.write(2, $0, strlen($0)) }
    }
}

/// An error that knows with which of the codes of ``CommandError`` a command ends.
package protocol ErrorWithExitCode: Error, CustomStringConvertible {
    var exitCode: Int32 { get }
}
