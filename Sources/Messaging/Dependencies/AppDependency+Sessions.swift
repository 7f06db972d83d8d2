import CBOR
import HashTreeCollections

/// The entries that have a value for each session.
///
/// A container has the entries of all sessions, or is the container of one session and has only that one's.
extension AppDependency {
    typealias SessionEntries = TreeDictionary<String, DependencyEntry>

    /// The session under which a container of no session keeps the entries that were set in it.
    private static let noSession = ""

    /// Reads an entry of this container's session. The accessors that `@Entry(.session)` generates call this method.
    /// - Returns: The value; `nil` if the entry is missing, cannot be read as a `Value`, or this is the container of no
    ///   session.
    public func sessionValue<Value: Codable & Sendable>(of key: String, as type: Value.Type) -> Value? {
        probe?.note(key, .session)
        return ownEntry(of: key)?.value(as: type)
    }

    /// Reads an entry of this container's session whose value reads itself, which is faster.
    /// - Returns: The value; `nil` if the entry is missing, cannot be read as a `Value`, or this is the container of no
    ///   session.
    public func sessionValue<Value: CBORItem & Sendable>(of key: String, as type: Value.Type) -> Value? {
        probe?.note(key, .session)
        return ownEntry(of: key)?.value(asItem: type)
    }

    /// Sets or removes an entry of this container's session. The accessors that `@Entry(.session)` generates call this
    /// method.
    public mutating func setSessionValue<Value: Codable & Sendable>(_ value: Value?, of key: String) {
        setEntry(value.map { DependencyEntry($0) }, of: ownKey(of: key))
    }

    /// Sets or removes an entry of this container's session whose value writes itself, which is faster.
    public mutating func setSessionValue<Value: CBORItem & Sendable>(_ value: Value?, of key: String) {
        setEntry(value.map { DependencyEntry(item: $0) }, of: ownKey(of: key))
    }

    /// Not available: a value of this type cannot cross between processes.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "an entry of a session is published to other processes, so its type is Codable & Sendable"
    )
    public func sessionValue<Value>(of key: String, as type: Value.Type) -> Value? { nil }

    /// Not available: a value of this type cannot cross between processes.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "an entry of a session is published to other processes, so its type is Codable & Sendable"
    )
    public mutating func setSessionValue<Value>(_ value: Value?, of key: String) {}

    private func ownKey(of name: String) -> String { SessionEntryKey(name, of: session ?? Self.noSession).text }

    /// The entry of this container's session with a name.
    func ownEntry(of name: String) -> DependencyEntry? { sessionEntries[session ?? Self.noSession]?[name] }

    // MARK: - Containers of sessions

    /// Returns the container of a session: what all sessions share, and of the entries of sessions only its own.
    ///
    /// A container that was made by hand, for example in a test, has no entries of the session. Those that were set in it
    /// become the session's.
    package func container(of id: String) -> AppDependency {
        guard session != id else { return self }
        var container = self
        container.session = id
        guard !sessionEntries.isEmpty else { return container }
        container.sessionEntries = [:]
        if let own = sessionEntries[id] {
            container.sessionEntries[id] = own
        } else {
            for (name, entry) in sessionEntries[Self.noSession] ?? [:] {
                container.setEntry(entry, of: SessionEntryKey(name, of: id).text)
            }
        }
        return container
    }

    /// The names of the entries of a session.
    package func names(ofSession id: String) -> [String] { sessionEntries[id].map { Array($0.keys) } ?? [] }

    /// How many entries a session has.
    package func count(ofSession id: String) -> Int { sessionEntries[id]?.count ?? 0 }

    /// Whether there is any entry of a session.
    package var hasSessionEntries: Bool { !sessionEntries.isEmpty }

    /// The names of the entries of sessions that were set in this container although it is that of no session.
    package var misplacedNames: [String] { names(ofSession: Self.noSession).sorted() }

    /// Removes all entries of a session.
    package mutating func removeEntries(ofSession id: String) {
        for name in names(ofSession: id) { setEntry(nil, of: SessionEntryKey(name, of: id).text) }
    }

    /// Removes the entries of sessions that were set in this container although it is that of no session.
    package mutating func removeMisplacedEntries() { removeEntries(ofSession: Self.noSession) }

    /// Sets or removes an entry of a session in the container of all sessions.
    /// - Throws: ``EntryRefused`` for an entry that is not one of sessions.
    package mutating func set<Value>(
        _ entry: WritableKeyPath<AppDependency, Value?>, to value: Value?, ofSession id: String
    ) throws(EntryRefused) {
        let probed = Self.probe(entry)
        guard let name = probed?.key, probed?.scope == .session else { throw .isNotOfSessions(probed?.key ?? "") }
        var container = container(of: id)
        container[keyPath: entry] = value
        let key = SessionEntryKey(name, of: id).text
        setEntry(container.entry(of: key), of: key)
    }
}

extension EntryRefused {
    /// The error for a value of one session for an entry that all sessions share, or that stays in its process.
    static func isNotOfSessions(_ key: String) -> EntryRefused {
        EntryRefused(
            key: key,
            reason: """
                it has one value for all sessions, so it is not set for one of them; declare it with @Entry(.session) to \
                give each session its own
                """)
    }

    /// The error for a value of an entry of sessions that was set for no session.
    package static func needsSession(_ name: String) -> EntryRefused {
        EntryRefused(key: name, reason: "it has a value for each session; set it for one of them, with set(_:to:for:)")
    }
}
