/// Why an alert couldn't be acknowledged.
public struct AlertError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which of the known failures it is.
    public enum Code: Hashable, Sendable {
        /// No such alert is active: it never was, or has cleared meanwhile.
        case unknownAlert
        /// Somebody was faster.
        case alreadyAcknowledged(by: String)
    }

    /// The kind of failure.
    public let code: Code
    /// What, and the way out, for people.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
