/// Entries of the container by key, as a frame carries them. No two have the same key.
///
/// The keys are in ascending order, so that ten thousand entries need neither hashes nor a memory each. The values are not
/// decoded. Those of a received frame lie in its message; whoever keeps one copies it.
package struct DependencyEntries: Sendable, Sequence {
    /// An encoded value; `nil` for an entry that was removed.
    package typealias Value = ArraySlice<UInt8>?

    /// A key, and the item that encodes its value or stands for a removed entry.
    typealias Encoded = (key: String, value: ArraySlice<UInt8>)

    private var sorted: [Encoded] = []

    package init() {}

    package init(_ entries: [String: [UInt8]?]) {
        sorted = entries.map { (key: $0.key, value: Self.item($0.value?[...])) }.sorted { $0.key < $1.key }
    }

    /// Creates entries from a list in any order.
    /// - Returns: `nil` when two keys are equal. Canonically equivalent keys are equal.
    init?(_ list: consuming [Encoded]) {
        sorted = list
        guard !isAscending else { return }
        sorted.sort { $0.key < $1.key }
        guard isAscending else { return nil }
    }

    // MARK: - Items

    /// The CBOR simple value *undefined*, which is never the encoding of a value, stands for a removed entry.
    static let removed: UInt8 = 0xF7

    private static func item(_ value: Value) -> ArraySlice<UInt8> { value ?? [removed] }

    private static func value(_ item: ArraySlice<UInt8>) -> Value {
        item.count == 1 && item.first == removed ? nil : item
    }

    // MARK: - Reading

    package var count: Int { sorted.count }
    package var isEmpty: Bool { sorted.isEmpty }
    /// The keys, in ascending order.
    package var keys: [String] { sorted.map(\.key) }
    /// The encoded entries, in ascending order of their keys.
    var encoded: [Encoded] { sorted }

    /// The entries as a dictionary, with copies of the values.
    package var values: [String: [UInt8]?] {
        Dictionary(uniqueKeysWithValues: map { ($0.key, $0.value.map { Array($0) }) })
    }

    package struct Iterator: IteratorProtocol {
        fileprivate var entries: IndexingIterator<[Encoded]>

        package mutating func next() -> (key: String, value: Value)? {
            entries.next().map { ($0.key, DependencyEntries.value($0.value)) }
        }
    }

    package func makeIterator() -> Iterator { Iterator(entries: sorted.makeIterator()) }

    /// The value of a key; `nil` if there is no entry, `.some(nil)` for one that was removed.
    package subscript(key: String) -> Value? {
        let place = place(of: key)
        return place < sorted.count && sorted[place].key == key ? .some(Self.value(sorted[place].value)) : nil
    }

    package func contains(_ key: String) -> Bool { self[key] != nil }

    /// The place of the first key that is not less than another one.
    private func place(of key: String) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: - Adding

    /// Adds the removal of an entry that is not among these.
    mutating func addRemoval(of key: String) { sorted.insert((key, [Self.removed]), at: place(of: key)) }

    /// Adds the removals of entries that are not among these.
    mutating func addRemovals(of keys: some Sequence<String>) {
        sorted += keys.map { ($0, [Self.removed]) }
        sorted.sort { $0.key < $1.key }
    }

    private var isAscending: Bool {
        for (earlier, later) in zip(sorted.indices, sorted.indices.dropFirst())
        where sorted[earlier].key >= sorted[later].key { return false }
        return true
    }
}

extension DependencyEntries: Hashable {
    package static func == (one: DependencyEntries, other: DependencyEntries) -> Bool {
        one.sorted.elementsEqual(other.sorted) { $0 == $1 }
    }

    package func hash(into hasher: inout Hasher) {
        for (key, value) in sorted {
            hasher.combine(key)
            hasher.combine(value)
        }
    }
}

extension DependencyEntries: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral entries: (String, Value)...) {
        guard let unique = DependencyEntries(entries.map { ($0.0, Self.item($0.1)) }) else {
            preconditionFailure("a key is there twice")
        }
        self = unique
    }
}
