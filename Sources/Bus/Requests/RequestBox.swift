/// The id of a request, once it has one: its caller can be cancelled before.
@MainActor
package final class RequestBox {
    package var id: UInt64?
    /// Its caller is cancelled.
    package var isCancelled = false

    package init() {}
}
