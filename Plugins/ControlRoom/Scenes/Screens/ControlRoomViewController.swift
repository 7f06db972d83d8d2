import CoordinatorKit
import MachineModel

/// A screen that shows values of the container.
@MainActor
class ControlRoomViewController: ViewController, NeedsDependency {
    var appDependency: AppDependency? {
        didSet { setNeedsContentUpdate() }
    }
}

extension AlertLevel {
    /// Its name on screens. It is the one of a text's level, so that there is one scale of them.
    var word: String {
        switch self {
        case .warning: "Warning"
        case .error: "Error"
        }
    }

    /// The level of a text about it.
    var textLevel: TextBlock.Level {
        switch self {
        case .warning: .warning
        case .error: .error
        }
    }
}
