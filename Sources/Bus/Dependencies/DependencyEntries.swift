/// Entries of the container by key, as a frame carries them. No two have the same key.
///
/// The keys are in ascending order, as this package's hosts send them, so that neither a hash nor a memory of its own is
/// needed for each of ten thousand entries. The values are not decoded. Those of a received frame lie in its message;
/// whoever keeps one copies it.
package struct DependencyEntries: Sendable, Sequence {
    /// An encoded value; `nil` for an entry that was removed.
    package typealias Value = ArraySlice<UInt8>?

    private var sorted: [(key: String, value: Value)] = []

    package init() {}

    package init(_ entries: [String: [UInt8]?]) {
        sorted = entries.map { (key: $0.key, value: $0.value?[...]) }.sorted { $0.key < $1.key }
    }

    /// Creates entries from a list in any order.
    /// - Returns: `nil` when two keys are equal. Canonically equivalent keys are equal.
    init?(_ list: [(key: String, value: Value)]) {
        guard add(list) else { return nil }
    }

    package var count: Int { sorted.count }
    package var isEmpty: Bool { sorted.isEmpty }
    /// The keys, in ascending order.
    package var keys: [String] { sorted.map(\.key) }

    /// The entries as a dictionary, with copies of the values.
    package var values: [String: [UInt8]?] {
        Dictionary(uniqueKeysWithValues: sorted.map { ($0.key, $0.value.map { Array($0) }) })
    }

    package func makeIterator() -> Array<(key: String, value: Value)>.Iterator { sorted.makeIterator() }

    /// The value of a key; `nil` if there is no entry, `.some(nil)` for one that was removed.
    package subscript(key: String) -> Value? {
        let place = place(of: key)
        return place < sorted.count && sorted[place].key == key ? .some(sorted[place].value) : nil
    }

    package func contains(_ key: String) -> Bool { self[key] != nil }

    /// Adds the removal of an entry that is not among these.
    mutating func addRemoval(of key: String) { sorted.insert((key, nil), at: place(of: key)) }

    /// Adds other entries.
    /// - Returns: `false` when two keys are equal. The entries are of no use then.
    mutating func add(_ list: [(key: String, value: Value)]) -> Bool {
        let start = sorted.count
        sorted += list
        if isAscending(from: start) { return true }
        sorted.sort { $0.key < $1.key }
        return isAscending(from: 0)
    }

    private func isAscending(from start: Int) -> Bool {
        for place in Swift.max(1, start)..<Swift.max(1, start, sorted.count)
        where sorted[place - 1].key >= sorted[place].key { return false }
        return true
    }

    /// The place of the first key that is not less than another one.
    private func place(of key: String) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension DependencyEntries: Hashable {
    package static func == (one: DependencyEntries, other: DependencyEntries) -> Bool {
        one.sorted.elementsEqual(other.sorted) { $0.key == $1.key && $0.value == $1.value }
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
        for (key, value) in entries { precondition(add([(key, value)]), "the key '\(key)' is there twice") }
    }
}
