/// The reason why an alert couldn't be acknowledged.
public struct AlertError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Hashable, Sendable {
        /// No such alert is active; it may have cleared.
        case unknownAlert
        /// Another user has already acknowledged it.
        case alreadyAcknowledged(by: String)
    }

    /// The kind of failure.
    public let code: Code
    /// What failed and what to do, for people.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
