import Messaging

/// The caller of a request of the hub's own process, which may be cancelled before its request has an id.
@MainActor
final class CancellableCaller {
    /// The id of the request; `nil` until it is sent or queued.
    var id: UInt64?
    private(set) var isCancelled = false
    private let side: any RequestSide

    init(_ side: any RequestSide) {
        self.side = side
    }

    /// Cancels the request. This method can be called from any thread.
    nonisolated func cancel() {
        // Runs at once when the main actor cancels. Otherwise the caller could still get a reply that arrives in the same
        // turn of the loop. A caller that has left the tree no longer receives changes of the container, so it would get
        // the reply without the changes that the request's handler has made.
        Task.immediate { @MainActor in
            isCancelled = true
            side.cancel(id)
        }
    }
}
