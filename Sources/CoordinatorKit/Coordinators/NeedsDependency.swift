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

extension NeedsDependency where Self: Coordinating {
    /// Passes the container to the child coordinators, and then runs the queued messages, whose dependencies may be
    /// available now.
    ///
    /// A change that comes down the tree is passed on without this call. Call it after setting the container of a
    /// running coordinator yourself. Each coordinator gets a container once, however often it is passed.
    public func updateChildCoordinatorDependencies() {
        passDown(appDependency, below: self)
    }
}

extension Coordinating {
    /// This coordinator, if it needs the container.
    var needingDependency: (any NeedsDependency)? {
        guard let coordinator = self as? AnyCoordinator else { return self as? any NeedsDependency }
        return coordinator.asNeedsDependency
    }
}

/// Gives a coordinator a container, and passes it on to the coordinators below. Does nothing where it has arrived
/// already.
@MainActor
func pass(_ container: AppDependency?, to coordinator: any Coordinating) {
    let passing = coordinator as? AnyCoordinator
    passing?.received = PassedDependency(container: container)
    var container = container
    if let needing = coordinator.needingDependency {
        if !AppDependency.areSame(container, needing.appDependency) {
            // The coordinator's own `didSet` may pass it on, change it for those below, or lead to a newer one.
            needing.appDependency = container
        }
        container = needing.appDependency
    } else {
        #if DEBUG
            ForgottenConformance.check(coordinator)
        #endif
    }
    if let passed = passing?.passed, AppDependency.areSame(container, passed.container) { return }
    passDown(container, below: coordinator)
}

@MainActor
private func passDown(_ container: AppDependency?, below coordinator: any Coordinating) {
    let passing = coordinator as? AnyCoordinator
    passing?.passed = PassedDependency(container: container)
    /// Whether a receiver has led to a newer container, which has been passed on meanwhile.
    func isOutdated() -> Bool {
        guard let passed = passing?.passed else { return false }
        return !AppDependency.areSame(passed.container, container)
    }
    for controller in passing?.controllers ?? [] {
        give(container, to: controller)
        if isOutdated() { return }
    }
    for child in coordinator.childCoordinators {
        pass(container, to: child)
        if isOutdated() { return }
    }
    coordinator.processQueuedMessages()
}

/// Gives a view controller the container if it needs it.
@MainActor
func give(_ container: AppDependency?, to controller: ViewController) {
    guard !controller.isPassing else {
        assert(
            !(controller is any NeedsDependency),
            "'\(controller.className)' is extended to need a container, but a class of the library gets none: conform a subclass of it"
        )
        return
    }
    guard let needing = controller as? any NeedsDependency else {
        #if DEBUG
            ForgottenConformance.check(controller)
        #endif
        return
    }
    if !AppDependency.areSame(container, needing.appDependency) { needing.appDependency = container }
}

/// A container that has been passed to a coordinator, or on to its children.
struct PassedDependency {
    let container: AppDependency?
}

extension NeedsDependency where Self: Coordinating {
    /// Waits until an entry is available. Returns at once if it already is.
    /// - Parameters:
    ///   - entry: The entry's key path, such as `\.account`.
    ///   - deadline: How long to wait.
    /// - Returns: The entry's value.
    /// - Throws: ``DependencyTimeout`` if the entry is not available in time, `CancellationError` if the task is
    ///   cancelled.
    public func dependency<Value: Sendable>(
        _ entry: any KeyPath<AppDependency, Value?> & Sendable, within deadline: Duration = .seconds(10)
    ) async throws -> Value {
        if let value = appDependency?[keyPath: entry] { return value }
        let wait = PendingResult<Void>()
        enqueueWait(wait) { [weak self] in self?.appDependency?[keyPath: entry] != nil }
        let timer = Task { @MainActor in
            try await Task.sleep(for: deadline)
            let name = AppDependency.key(of: entry) ?? String(describing: entry)
            wait.finish(.failure(DependencyTimeout(entry: name, waited: deadline)))
        }
        defer { timer.cancel() }
        try await wait.value { wait.finish(.failure(CancellationError())) }
        guard let value = appDependency?[keyPath: entry] else { throw CancellationError() }
        return value
    }

    private func enqueueWait(_ wait: PendingResult<Void>, until isThere: @escaping @MainActor () -> Bool) {
        enqueueMessage { [weak self] in
            guard !wait.isFinished else { return }
            if isThere() {
                wait.finish(.success(()))
            } else {
                self?.enqueueWait(wait, until: isThere)
            }
        }
    }
}

/// An error for an entry of the container that was not available in time.
public struct DependencyTimeout: Error, CustomStringConvertible {
    /// The entry's name.
    public let entry: String
    /// How long the caller waited for the entry.
    public let waited: Duration

    public var description: String { "the dependency '\(entry)' was not available within \(waited)" }
}
