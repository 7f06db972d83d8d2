import OperatorKit
import SceneHost

extension HostError: ErrorWithExitCode {
    package var exitCode: Int32 {
        switch code {
        case .usage: CommandError.usage
        case .refused: CommandError.refused
        case .inUse, .failed: CommandError.failure
        }
    }
}
