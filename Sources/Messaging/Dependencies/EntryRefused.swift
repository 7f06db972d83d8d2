/// The error of an entry that was set and that cannot be published.
public struct EntryRefused: Error, Hashable, Sendable, CustomStringConvertible {
    /// The entry's key.
    public let key: String
    /// The reason, and how to fix it.
    public let reason: String

    package init(key: String, reason: String) { (self.key, self.reason) = (key, reason) }

    public var description: String { "the entry '\(key)' is not published: \(reason)" }
}
