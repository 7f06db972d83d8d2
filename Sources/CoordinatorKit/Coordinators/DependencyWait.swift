public import Messaging

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
        wait.onCancel = { wait.finish(.failure(CancellationError())) }
        try await wait.value()
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
