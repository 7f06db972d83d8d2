import Messaging

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
