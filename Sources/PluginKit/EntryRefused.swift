/// The error of an entry that a plugin has set and that cannot be published.
public struct EntryRefused: Error, Hashable, Sendable, CustomStringConvertible {
    /// The entry's key.
    public let key: String
    /// The reason, and how to fix it.
    public let reason: String

    public var description: String { "the entry '\(key)' is not published: \(reason)" }
}
