import Bus
import Messaging

extension Error {
    /// Whether a scene, or its host, has refused what a person did, so that it would refuse the same again. Otherwise it has
    /// not answered, or cannot do so now.
    package var isSceneRefusal: Bool {
        switch self {
        case let error as RemoteError:
            switch error.sceneCommandCode {
            case .staleToken, .unknownSession, .notConnected, .overloaded, .suspended: false
            case .refused, .unknownConfiguration, .unknownWorker, .unreadableState, .noWindow, nil: true
            }
        case let error as MessageError: [.unauthorized, .malformed, .unhandled].contains(error.code)
        default: false
        }
    }
}
