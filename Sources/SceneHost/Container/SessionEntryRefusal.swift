/// Why the host leaves out an entry of a session that a peer has set.
enum SessionEntryRefusal: Hashable, CustomStringConvertible {
    /// There is no such session, or it was closed.
    case notOpen(session: String)
    /// The peer has a key whose grants are for other sessions.
    case notAllowed(session: String, key: String)
    /// There is no place left for the peer among the session's entries.
    case full(session: String)

    /// Whether a well-behaved peer can avoid it. It cannot know that a session is being closed at the moment.
    var isFault: Bool {
        if case .notOpen = self { false } else { true }
    }

    var description: String {
        switch self {
        case .notOpen(let session): "the session '\(session.prefix(64))' is not open"
        case .notAllowed(let session, let key):
            "no grant of the key '\(key)' is for the session '\(session)': on the host, add the grant session=\(session) to "
                + "its line"
        case .full(let session):
            "the session '\(session)' has at most \(ContainerTable.maximumSessionEntries) entries, and a peer may have as many "
                + "of them as it leaves to others"
        }
    }
}
