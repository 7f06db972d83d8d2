public import CBOR
import HashTreeCollections
import Synchronization

/// The container that all scenes of the application share. It holds values and services as optional entries.
///
/// Any module can declare entries with ``Entry(_:)``. The host owns the container, and every change is passed down to
/// every coordinator of every scene. An entry of sessions (`@Entry(.session)`) has a value for each session: the
/// coordinators of a scene get the one of their own session. The container is a value type, so a coordinator's `didSet` has both the old and
/// the new one.
public struct AppDependency: Sendable {
    /// The entries by key. Every coordinator has a copy, and usually one entry changes at a time. The copies of a tree
    /// share the unchanged part.
    private var entries: TreeDictionary<String, DependencyEntry> = [:]
    /// The entries that have a value for each session, by session and name.
    var sessionEntries: TreeDictionary<String, SessionEntries> = [:]
    /// The session whose container this is; `nil` for the container of all sessions.
    var session: String?
    private var history = ChangeHistory()
    /// The objects that stay in this process, by key.
    var locals: TreeDictionary<String, LocalEntry> = [:]
    /// Set only in a container that is used to find out which entry a key path reads.
    private(set) var probe: KeyProbe?

    /// Makes an empty container.
    public init() {}

    /// Makes a container with the entries that `fill` sets.
    public init(_ fill: (inout AppDependency) -> Void) {
        fill(&self)
    }

    /// The keys of all shared entries and of those of sessions, sorted. The key of a session's entry is its name, an `@`
    /// and the session's identifier.
    public var keys: [String] { (entries.keys + sessionKeys).sorted() }

    private var sessionKeys: [String] {
        sessionEntries.flatMap { session, own in own.keys.map { SessionEntryKey($0, of: session).text } }
    }

    /// Reads an entry. The accessors that ``Entry(_:)`` generates call this method.
    /// - Returns: The value; `nil` if the entry is missing or cannot be read as a `Value` (see ``problem(with:)``).
    public func value<Value: Codable & Sendable>(of key: String, as type: Value.Type) -> Value? {
        probe?.note(key, .shared)
        return entry(of: key)?.value(as: type)
    }

    /// Reads an entry whose value reads itself, which is faster.
    /// - Returns: The value; `nil` if the entry is missing or cannot be read as a `Value` (see ``problem(with:)``).
    public func value<Value: CBORItem & Sendable>(of key: String, as type: Value.Type) -> Value? {
        probe?.note(key, .shared)
        return entry(of: key)?.value(asItem: type)
    }

    /// Not available: a value of this type cannot cross between processes.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: """
            an entry is published to other processes, so its type is Codable & Sendable; write '@Entry(.local)' for an \
            object that stays in its process, or use a ServiceReference
            """
    )
    public func value<Value>(of key: String, as type: Value.Type) -> Value? { nil }

    /// Not available: a value of this type cannot cross between processes.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message: """
            an entry is published to other processes, so its type is Codable & Sendable; write '@Entry(.local)' for an \
            object that stays in its process, or use a ServiceReference
            """
    )
    public mutating func setValue<Value>(_ value: Value?, of key: String) {}

    /// Sets or removes an entry. The accessors that ``Entry(_:)`` generates call this method.
    public mutating func setValue<Value: Codable & Sendable>(_ value: Value?, of key: String) {
        setEntry(value.map { DependencyEntry($0) }, of: key)
    }

    /// Sets or removes an entry whose value writes itself, which is faster.
    public mutating func setValue<Value: CBORItem & Sendable>(_ value: Value?, of key: String) {
        setEntry(value.map { DependencyEntry(item: $0) }, of: key)
    }

    /// The reason why an entry could not be read as its declared type; `nil` if there was no such error.
    public func problem(with key: String) -> String? {
        (entry(of: key) ?? ownEntry(of: key))?.problem
    }

    /// Sets or removes an entry in its encoded form, as it came over the bus. It is decoded when it is first read.
    package mutating func setEncoded(_ bytes: [UInt8]?, of key: String) {
        setEntry(bytes.map { DependencyEntry(encoded: $0) }, of: key)
    }

    /// The stored entry of a key; `nil` if there is none.
    package func entry(of key: String) -> DependencyEntry? {
        if let entry = entries[key] { return entry }
        guard !sessionEntries.isEmpty, let place = SessionEntryKey(key) else { return nil }
        return sessionEntries[place.session]?[place.name]
    }

    /// Sets or removes an entry. It may belong to another container as well.
    package mutating func setEntry(_ entry: DependencyEntry?, of key: String) {
        if let place = SessionEntryKey(key) {
            var own = sessionEntries[place.session] ?? [:]
            own[place.name] = entry
            sessionEntries[place.session] = own.isEmpty ? nil : own
        } else {
            entries[key] = entry
        }
        history.add(key)
    }

    /// Finds the key of the entry that a key path reads, by reading it: a key path does not provide its property's
    /// name.
    /// - Returns: The key; `nil` if the key path reads no entry.
    package static func key<Value>(of entry: KeyPath<AppDependency, Value?>) -> String? { probe(entry)?.key }

    /// Finds the key and the scope of the entry that a key path reads.
    static func probe<Value>(_ entry: KeyPath<AppDependency, Value?>) -> (key: String, scope: EntryScope)? {
        let probe = KeyProbe()
        var container = AppDependency()
        container.probe = probe
        _ = container[keyPath: entry]
        return probe.found
    }

    /// The keys whose entries differ between two containers. Entries are compared by identity, so an entry that was set
    /// to the same value again counts as changed.
    package func changedKeys(since old: AppDependency) -> [String] {
        if let keys = history.keys(since: old.history) {
            return keys.filter { entry(of: $0) !== old.entry(of: $0) }.sorted()
        }
        var changed = entries.filter { old.entries[$0.key] !== $0.value }.map(\.key)
        changed += old.entries.keys.filter { entries[$0] == nil }
        changed += Set(sessionKeys + old.sessionKeys).filter { entry(of: $0) !== old.entry(of: $0) }
        return changed.sorted()
    }
}

extension AppDependency {
    /// Whether this container is known to derive from another one by changes of entries.
    package func isChange(of old: AppDependency) -> Bool { history.keys(since: old.history) != nil }
}

/// Records the key of the first entry that is read.
final class KeyProbe: Sendable {
    private let noted = Mutex<(key: String, scope: EntryScope)?>(nil)

    var found: (key: String, scope: EntryScope)? { noted.withLock { $0 } }

    func note(_ key: String, _ scope: EntryScope) {
        noted.withLock { $0 = $0 ?? (key, scope) }
    }
}
