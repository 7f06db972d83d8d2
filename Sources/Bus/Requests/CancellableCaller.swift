package import Messaging

/// The caller of a request, which may be cancelled before its request has an id.
@MainActor
package final class CancellableCaller {
    // Overlapping accesses are not checked, because the checks would run for each request. They cannot occur: nothing
    // else is called while one of these is accessed.

    /// The id of the request; `nil` until it is sent or queued.
    @exclusivity(unchecked) package var id: UInt64?
    @exclusivity(unchecked) package private(set) var isCancelled = false
    private let side: any RequestSide

    package init(_ side: any RequestSide) {
        self.side = side
    }

    /// Cancels the request. This method can be called from any thread.
    package nonisolated func cancel() {
        // Runs at once when the main actor cancels. Otherwise the caller could still get a reply that arrives in the same
        // turn of the loop. A caller that has left the tree no longer receives changes of the container, so it would get
        // the reply without the changes that the request's handler has made.
        Task.immediate { @MainActor in
            isCancelled = true
            side.cancel(id)
        }
    }
}
