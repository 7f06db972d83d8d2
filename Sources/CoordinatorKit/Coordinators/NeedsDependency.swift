public import Messaging

/// A coordinator that receives the application's container.
///
///     final class ContentCoordinator: NavigationCoordinator, NeedsDependency {
///         var appDependency: AppDependency?
///     }
///
/// Each change of the container is passed down the tree of coordinators, also past those that do not need it. A view
/// controller that conforms gets the container from the coordinator that shows it. Observe the property with `didSet`
/// to react to a change.
@MainActor
public protocol NeedsDependency: AnyObject {
    /// The container; `nil` until it is first set. It is set again at each change of any entry.
    var appDependency: AppDependency? { get set }
}

/// A container that has been passed to a coordinator, or on to its children.
struct PassedDependency {
    let container: AppDependency?
}
