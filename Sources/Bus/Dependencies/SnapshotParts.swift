/// Puts the parts of a snapshot together, and notices when one is missing: half a snapshot that is taken for all of it would
/// lose entries for good, for nothing asks for them again.
package struct SnapshotParts: Sendable {
    /// What a part comes to.
    package enum Outcome: Hashable, Sendable {
        /// More parts have to come.
        case incomplete
        case complete(DependencyChange)
        /// A part is missing: ask for another snapshot. Said once for each snapshot.
        case lost
    }

    /// The parts so far; `nil` between two snapshots, and for the rest of one that is lost.
    private var sum: DependencyChange?
    /// The number of the part that has to come next; `nil` for the rest of a snapshot that is lost.
    private var next: UInt64? = 0

    package init() {}

    /// A part has come.
    /// - Parameters:
    ///   - part: its entries; revisions are those of the whole snapshot.
    ///   - number: counts the parts of a snapshot, from 0.
    ///   - isLast: it is the snapshot's last.
    package mutating func received(_ part: DependencyChange, number: UInt64, isLast: Bool) -> Outcome {
        var change = part
        if number > 0 {
            guard let next else {
                self.next = isLast ? 0 : nil
                return .incomplete
            }
            guard let sum, number == next, sum.revision == part.revision, sum.previous == part.previous else {
                self.sum = nil
                self.next = isLast ? 0 : nil
                return .lost
            }
            change.entries = sum.entries.merging(part.entries) { $1 }
        }
        sum = isLast ? nil : change
        next = isLast ? 0 : number + 1
        return isLast ? .complete(change) : .incomplete
    }
}
