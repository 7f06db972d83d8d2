import HashTreeCollections
import Synchronization

/// The one container of what the application's scenes share: values and services, each an optional entry.
///
/// Entries are declared where they belong, by any module, with ``Entry()``. The host owns the container; every change falls
/// to every coordinator of every scene. A value type: a coordinator's `didSet` sees the old and the new one.
public struct AppDependency: Sendable {
    /// The entries by key. Every coordinator has a copy, and one entry changes at a time: a tree shares what did not change.
    private var entries: TreeDictionary<String, DependencyEntry> = [:]
    private var history = ChangeHistory()
    /// There only where a container exists to find out which entry a key path reads.
    private var probe: KeyProbe?

    /// An empty container.
    public init() {}

    /// A container with the entries that `fill` sets, in any combination.
    public init(_ fill: (inout AppDependency) -> Void) {
        fill(&self)
    }

    /// The keys of the entries that are there, sorted.
    public var keys: [String] { entries.keys.sorted() }

    /// Reads an entry; called by the accessors that ``Entry()`` makes.
    /// - Returns: `nil` when it is not there, or when what is there is not a `Value`: see ``problem(with:)``.
    public func value<Value: Codable & Sendable>(of key: String, as type: Value.Type) -> Value? {
        probe?.note(key)
        return entries[key]?.value(as: type)
    }

    /// Sets or removes an entry; called by the accessors that ``Entry()`` makes.
    public mutating func setValue<Value: Codable & Sendable>(_ value: Value?, of key: String) {
        setEntry(value.map { DependencyEntry($0) }, of: key)
    }

    /// Why an entry that is there could not be read as the type it is declared with; `nil` when nothing is wrong.
    public func problem(with key: String) -> String? {
        entries[key]?.problem
    }

    /// Puts in an entry as it came over the bus. It is decoded when it is read, and kept undecoded when nobody reads it.
    package mutating func setEncoded(_ bytes: [UInt8]?, of key: String) {
        setEntry(bytes.map { DependencyEntry(encoded: $0) }, of: key)
    }

    /// An entry as it is; `nil` when it is not there.
    package func entry(of key: String) -> DependencyEntry? { entries[key] }

    /// Puts in an entry of another container.
    package mutating func setEntry(_ entry: DependencyEntry?, of key: String) {
        entries[key] = entry
        history.add(key)
    }

    /// The key of the entry that a key path reads: a key path does not tell its property's name.
    /// - Returns: `nil` when it reads no entry.
    package static func key<Value>(of entry: KeyPath<AppDependency, Value?>) -> String? {
        let probe = KeyProbe()
        var container = AppDependency()
        container.probe = probe
        _ = container[keyPath: entry]
        return probe.key
    }

    /// The keys whose entries differ between two containers. Entries are compared by identity: an entry that was set again
    /// counts as changed until its bytes are compared.
    package func changedKeys(since old: AppDependency) -> [String] {
        if let keys = history.keys(since: old.history) {
            return keys.filter { entries[$0] !== old.entries[$0] }.sorted()
        }
        var changed = entries.filter { old.entries[$0.key] !== $0.value }.map(\.key)
        changed += old.entries.keys.filter { entries[$0] == nil }
        return changed.sorted()
    }
}

extension AppDependency {
    /// Whether this comes from another container by changes of entries, as far as is known.
    package func isChange(of old: AppDependency) -> Bool { history.keys(since: old.history) != nil }
}

/// Notes which entry is read first.
private final class KeyProbe: Sendable {
    private let noted = Mutex<String?>(nil)

    var key: String? { noted.withLock { $0 } }

    func note(_ key: String) {
        noted.withLock { $0 = $0 ?? key }
    }
}
