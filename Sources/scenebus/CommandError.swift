import ArgumentParser
import CBOR
import CoordinatorKit
import Glibc
import Link
import Monitor
import SceneHost

/// How a command ends when it does not end well: a sentence for people, with the next step, and an exit code for scripts.
struct CommandError: Error {
    static let failure: Int32 = 1
    static let usage: Int32 = 2
    static let unreachable: Int32 = 3
    static let refused: Int32 = 4

    let code: Int32
    let message: String

    init(_ code: Int32, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What any error means to the caller of a command.
    init(_ error: any Error) {
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
        case let error as HostError:
            let code =
                switch error.code {
                case .usage: Self.usage
                case .refused: Self.refused
                case .inUse, .failed: Self.failure
                }
            self.init(code, error.description)
        default:
            self.init(Self.failure, String(explaining: error))
        }
    }

    /// Runs a command's body.
    /// - Returns: the process's exit code; the error has been printed.
    @MainActor
    static func exitCode(_ body: @MainActor () async throws -> Void) async -> Int32 {
        do {
            try await body()
            fflush(nil)
            return 0
        } catch let code as ExitCode {
            return code.rawValue
        } catch {
            let error = CommandError(error)
            fflush(nil)
            write("scenebus: \(error.message.printableLines)")
            return error.code
        }
    }

    static func write(_ text: String) {
        _ = (text + "\n").withCString { Glibc.write(2, $0, strlen($0)) }
    }
}
