package import PeerLink
import SceneHost

extension HostError: ExitCoded {
    package var exitCode: ProcessExitCode {
        switch code {
        case .usage: .usage
        case .refused: .refused
        case .inUse, .failed: .failure
        }
    }
}
