/// What one caller waits for: finished once, by whoever comes first.
@MainActor
package final class PendingResult<Value: Sendable> {
    private var continuation: CheckedContinuation<Value, any Error>?
    private var result: Result<Value, any Error>?

    package init() {}

    package var isFinished: Bool { result != nil }

    /// Waits until it is finished. For one caller only.
    package func value() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            if let result {
                continuation.resume(with: result)
            } else {
                self.continuation = continuation
            }
        }
    }

    /// Ends the wait; does nothing when it has ended already.
    package func finish(_ result: Result<Value, any Error>) {
        guard self.result == nil else { return }
        self.result = result
        continuation?.resume(with: result)
        continuation = nil
    }
}
