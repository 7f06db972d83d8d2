public import Messaging

/// A coordinator that is given the application's container, and gives it on to its children.
///
///     var appDependency: AppDependency? { didSet { updateChildCoordinatorDependencies() } }
@MainActor
public protocol NeedsDependency: AnyObject {
    /// The container; `nil` until it has been given one. Set anew at each change of any entry.
    var appDependency: AppDependency? { get set }
}

extension NeedsDependency where Self: Coordinating {
    /// Passes the container to all child coordinators, at any depth, once for each change; then lets queued messages run
    /// whose dependency may have come.
    ///
    /// A child that needs no dependencies itself does not stand in the way of its own children.
    public func updateChildCoordinatorDependencies() {
        for child in childCoordinators { hand(appDependency, to: child) }
        processQueuedMessages()
    }
}

@MainActor
private func hand(_ container: AppDependency?, to coordinator: any Coordinating) {
    if let needing = coordinator as? any NeedsDependency {
        needing.appDependency = container
    } else {
        for child in coordinator.childCoordinators { hand(container, to: child) }
    }
}

extension NeedsDependency where Self: Coordinating {
    /// Waits until an entry is there.
    /// - Parameters:
    ///   - entry: the entry's key path, such as `\.account`.
    ///   - deadline: how long to wait.
    /// - Returns: the entry's value; at once when it is there already.
    /// - Throws: ``DependencyTimeout`` when it has not come by then, `CancellationError` when the task is cancelled.
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
        try await withTaskCancellationHandler {
            try await wait.value()
        } onCancel: {
            Task { @MainActor in wait.finish(.failure(CancellationError())) }
        }
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

/// An entry of the container did not come before the deadline.
public struct DependencyTimeout: Error, CustomStringConvertible {
    /// The entry's name.
    public let entry: String
    /// How long it was waited for.
    public let waited: Duration

    public var description: String { "the dependency '\(entry)' was not there within \(waited)" }
}
