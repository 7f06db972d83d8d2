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
    /// How a text says it.
    var textLevel: TextBlock.Level {
        switch self {
        case .warning: .warning
        case .critical: .error
        }
    }
}
