/// Puts the parts of a snapshot together: the peer asks for each, and nothing is taken for all of it that is not. Half a
/// snapshot that is taken for the whole would lose entries for good, for nothing asks for them again.
package struct SnapshotParts: Sendable {
    /// What a part comes to.
    package enum Outcome: Hashable, Sendable {
        /// Ask for the part of this number, of the snapshot that reaches this revision.
        case next(UInt64, of: UInt64)
        case complete(DependencyChange)
        /// Not what was asked for: the answer to an older question, which changes nothing.
        case ignored
        /// The host has begun another snapshot, whose first part did not come: ask for one from the start.
        case lost
    }

    /// The first part; `nil` between two snapshots.
    private var first: DependencyChange?
    /// The entries of all parts so far. They are put together once, when it is known how many there are.
    private var entries: [[String: [UInt8]?]] = []
    /// The number of the part that was asked for; 0 between two snapshots.
    private var next: UInt64 = 0

    package init() {}

    /// The part that has been asked for, and the revisions of its snapshot; `nil` between two snapshots.
    package var awaited: (number: UInt64, previous: UInt64, revision: UInt64)? {
        first.map { (next, $0.previous, $0.revision) }
    }

    /// A part has come. The first begins a snapshot, whatever was there before.
    /// - Parameters:
    ///   - part: its entries; revisions are those of the whole snapshot.
    ///   - number: counts the parts of a snapshot, from 0.
    ///   - isLast: it is the snapshot's last.
    package mutating func received(_ part: DependencyChange, number: UInt64, isLast: Bool) -> Outcome {
        if number == 0 {
            first = part
            entries = []
        } else {
            guard number == next, let first else { return .ignored }
            guard first.revision == part.revision, first.previous == part.previous else {
                self = SnapshotParts()
                return .lost
            }
            entries.append(part.entries)
        }
        next = number + 1
        guard isLast, var sum = first else { return .next(next, of: part.revision) }
        first = nil
        sum.entries.reserveCapacity(entries.reduce(sum.entries.count) { $0 + $1.count })
        for part in entries { sum.entries.merge(part) { $1 } }
        self = SnapshotParts()
        return .complete(sum)
    }
}
