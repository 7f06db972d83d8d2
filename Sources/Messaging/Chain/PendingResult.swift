// Hot path: it runs for each request. See "Hot paths" in Contributing.

/// A result that one caller waits for, such as the reply to a request. Only the first call of ``finish(_:)`` has an effect.
///
/// Its methods are inlinable, so that other modules have them for their types of values: unspecialized, they would look up
/// the metadata of several types for each request.
@MainActor
package final class PendingResult<Value: Sendable> {
    @usableFromInline var continuation: CheckedContinuation<Value, any Error>?
    @usableFromInline var result: Result<Value, any Error>?
    /// Is called when the caller's task is cancelled, or when it begins to wait if it is cancelled already. The caller goes on waiting, so
    /// something must still call ``finish(_:)``.
    package var onCancel: (@MainActor () -> Void)?

    @inlinable package init() {}

    @inlinable package var isFinished: Bool { result != nil }

    /// Waits for the result. Only one caller may wait.
    @inlinable package func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                precondition(self.continuation == nil, "a result is awaited once")
                if let result {
                    continuation.resume(with: result)
                } else {
                    self.continuation = continuation
                }
            }
        } onCancel: {
            // Runs at once when the main actor cancels. Otherwise the caller of a request could still get a reply that
            // arrives in the same turn of the loop. A caller that has left the tree no longer receives changes of the
            // container, so it would get the reply without the changes that the request's handler has made.
            Task.immediate { @MainActor in onCancel?() }
        }
    }

    /// Sets the result and resumes the caller. Does nothing if there is a result already.
    @inlinable package func finish(_ result: Result<Value, any Error>) {
        guard self.result == nil else { return }
        self.result = result
        onCancel = nil
        continuation.take()?.resume(with: result)
    }
}
