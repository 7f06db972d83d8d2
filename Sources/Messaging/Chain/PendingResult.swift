// Hot path: it runs for each request. See "Hot paths" in Contributing.

/// The wait of one caller for something that finishes once.
///
/// It is not generic, and neither is ``PendingReply``: the runtime looks up the types of a generic wait for each request.
@MainActor
package class PendingWait {
    package var isFinished: Bool { state.isFinished }
    /// Is called when the caller's task is cancelled, or when it begins to wait if it is cancelled already. The caller goes
    /// on waiting, so something must still finish the wait. Set it before the caller waits.
    package var onCancel: (@MainActor () -> Void)? {
        get { state.onCancel }
        set {
            guard !state.isFinished else { return }
            // Freed after the access, because what it captures may run other code then.
            var earlier = newValue
            swap(&state.onCancel, &earlier)
        }
    }

    private struct State {
        // It is resumed exactly once: by `finish()`, which takes it out.
        var continuation: UnsafeContinuation<Void, Never>?
        var isFinished = false
        var onCancel: (@MainActor () -> Void)?
    }
    // The runtime does not check accesses to it for overlaps: see "Hot paths" in Contributing. None calls other code.
    @exclusivity(unchecked) private var state = State()

    fileprivate init() {}

    /// Waits until it is finished. Only one caller may wait.
    fileprivate func untilFinished() async {
        await withTaskCancellationHandler {
            if state.isFinished { return }
            await withUnsafeContinuation { continuation in
                precondition(state.continuation == nil, "two callers wait for one result")
                state.continuation = continuation
            }
        } onCancel: {
            // Runs at once when the main actor cancels. Otherwise the caller of a request could still get a reply that
            // arrives in the same turn of the loop. A caller that has left the tree no longer receives changes of the
            // container, so it would get the reply without the changes that the request's handler has made. The caller is
            // then resumed before `Task.cancel()` returns, which enqueues it, and does not run it.
            Task.immediate { @MainActor in state.onCancel?() }
        }
    }

    /// Resumes the caller.
    fileprivate func finish() {
        // What it captures is freed after the access, too.
        let earlier = state
        state = State(isFinished: true)
        earlier.continuation?.resume()
    }
}

/// A result that one caller waits for. Only the first call of ``finish(_:)`` has an effect.
package final class PendingResult<Value: Sendable>: PendingWait {
    private var result: Result<Value, any Error>?

    package override init() { super.init() }

    /// Waits for the result. Only one caller may wait.
    package func value() async throws -> Value {
        await untilFinished()
        return try result!.get()
    }

    /// Sets the result and resumes the caller. Does nothing if there is a result already.
    package func finish(_ result: Result<Value, any Error>) {
        guard self.result == nil else { return }
        self.result = result
        finish()
    }
}

/// The payload of the reply to a request, for which its caller waits. Only the first call of ``finish(_:)`` has an effect.
package final class PendingReply: PendingWait {
    private var result: Result<ArraySlice<UInt8>, any Error>?

    package override init() { super.init() }

    /// Waits for the payload. Only one caller may wait.
    package func value() async throws -> ArraySlice<UInt8> {
        await untilFinished()
        return try result!.get()
    }

    /// Sets the payload or the error and resumes the caller. Does nothing if there is one already.
    package func finish(_ result: Result<ArraySlice<UInt8>, any Error>) {
        guard self.result == nil else { return }
        self.result = result
        finish()
    }
}
