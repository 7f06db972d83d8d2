/// The caller of a request, which may be cancelled before its request has an id.
@MainActor
package final class CancellableCaller {
    /// The id of the request; `nil` until it is sent or queued.
    package var id: UInt64?
    package var isCancelled = false

    package init() {}
}
