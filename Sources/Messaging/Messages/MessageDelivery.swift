/// What the bus does when it cannot know whether a request was handled. Declare it with the message, as
/// ``Idempotent()`` or ``Once()``.
public enum MessageDelivery: UInt8, Hashable, Sendable {
    /// The request is sent once. If the process that received it is gone, the sender gets an error that says that the
    /// request may have been handled.
    case atMostOnce
    /// Handling the request twice does no harm. It is sent again after a reconnect, until its deadline.
    case idempotent
    /// The request is never handled twice, and if it is lost, its sender gets an error. The host keeps a record of it,
    /// and answers copies from that record.
    case once
}
