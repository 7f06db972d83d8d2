public import Messaging

/// A coordinator that receives the application's container and passes it on to its children.
///
///     var appDependency: AppDependency? { didSet { updateChildCoordinatorDependencies() } }
@MainActor
public protocol NeedsDependency: AnyObject {
    /// The container; `nil` until it is first set. It is set again at each change of any entry.
    var appDependency: AppDependency? { get set }
}

extension NeedsDependency where Self: Coordinating {
    /// Passes the container to the child coordinators, and then runs the queued messages, whose dependencies may be
    /// available now.
    ///
    /// The children pass the container on in the same way, so each coordinator gets it once for each change. If a child
    /// does not need dependencies itself, the container is passed to its children directly.
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

/// An error for an entry of the container that was not available in time.
public struct DependencyTimeout: Error, CustomStringConvertible {
    /// The entry's name.
    public let entry: String
    /// How long the caller waited for the entry.
    public let waited: Duration

    public var description: String { "the dependency '\(entry)' was not available within \(waited)" }
}
