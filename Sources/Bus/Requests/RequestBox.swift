/// Holds the id of a request once it has one. Its caller may be cancelled before that.
@MainActor
package final class RequestBox {
    package var id: UInt64?
    /// Whether its caller has been cancelled.
    package var isCancelled = false

    package init() {}
}
