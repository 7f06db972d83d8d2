public import Messaging

/// The reason why a host cannot start, and how to fix it.
public struct HostError: Error, CustomStringConvertible {
    /// The kind of error. `scenebus host` exits with 2 for ``usage``, with 4 for ``refused``, else with 1.
    public enum Code: Sendable {
        /// The configuration is wrong.
        case usage
        /// Another host is running, or an address is in use.
        case inUse
        /// The host refuses to start because that would be unsafe.
        case refused
        /// A system call failed.
        case failed
    }

    /// The kind of error.
    public let code: Code
    /// What is wrong, and how to fix it.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    init(_ error: StoreError) {
        code =
            switch error.kind {
            case .busy, .superseded: .inUse
            case .unsuitable: .usage
            case .lost, .other: .failed
            }
        description = error.description
    }
}

extension HostError: ExitCoded {
    public var exitCode: ProcessExitCode {
        switch code {
        case .usage: .usage
        case .refused: .refused
        case .inUse, .failed: .failure
        }
    }
}
