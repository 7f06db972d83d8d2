/// The key of a session's entry: the entry's name and the session's identifier, such as `account@k3m9xw2p`.
///
/// No other entry has an `@` in its key, because the name of a property has none, and the host admits no peer that
/// provides such an entry.
package struct SessionEntryKey: Hashable, Sendable {
    private static let separator = UInt8(ascii: "@")

    /// The entry's name, which a plugin lists under `provides`.
    package let name: String
    /// The session's identifier; empty for an entry that was set in a container of no session.
    package let session: String

    package init(_ name: String, of session: String) { (self.name, self.session) = (name, session) }

    /// Reads a key.
    /// - Returns: `nil` for the key of an entry that all sessions share.
    package init?(_ key: String) {
        guard let place = key.utf8.lastIndex(of: Self.separator) else { return nil }
        name = String(key[..<place])
        session = String(key[key.utf8.index(after: place)...])
    }

    /// The key as the container and the bus have it.
    package var text: String { "\(name)@\(session)" }

    /// Returns the name of the entry with a key: for an entry that all sessions share, the key itself.
    package static func name(in key: String) -> String { SessionEntryKey(key)?.name ?? key }
}
