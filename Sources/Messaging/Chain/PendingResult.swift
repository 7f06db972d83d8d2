/// A result that one caller waits for. Only the first call of `finish` has an effect.
@MainActor
package final class PendingResult<Value: Sendable> {
    private var continuation: CheckedContinuation<Value, any Error>?
    private var result: Result<Value, any Error>?

    package init() {}

    package var isFinished: Bool { result != nil }

    /// Waits for the result. Only one caller may wait.
    package func value() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            if let result {
                continuation.resume(with: result)
            } else {
                self.continuation = continuation
            }
        }
    }

    /// Sets the result and resumes the caller. Does nothing if there is a result already.
    package func finish(_ result: Result<Value, any Error>) {
        guard self.result == nil else { return }
        self.result = result
        continuation?.resume(with: result)
        continuation = nil
    }
}
