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

    /// The parts so far; empty between two snapshots.
    private var sum = DependencyChange(entries: [:], revision: 0, previous: 0)
    /// The number of the part that was asked for; 0 between two snapshots.
    private var next: UInt64 = 0

    package init() {}

    /// The part that has been asked for, and the revisions of its snapshot; `nil` between two snapshots.
    package var awaited: (number: UInt64, previous: UInt64, revision: UInt64)? {
        next > 0 ? (next, sum.previous, sum.revision) : nil
    }

    /// A part has come. The first begins a snapshot, whatever was there before.
    /// - Parameter frame: the part; its revisions are those of the whole snapshot.
    /// - Throws: `FrameError` when it cannot be read; the parts before it are forgotten.
    package mutating func received(_ frame: Frame) throws(FrameError) -> Outcome {
        if frame.part == 0 {
            sum = DependencyChange(entries: [:], revision: frame.revision, previous: frame.previous)
        } else {
            guard next > 0, frame.part == next else { return .ignored }
            guard sum.revision == frame.revision, sum.previous == frame.previous else {
                self = SnapshotParts()
                return .lost
            }
        }
        do {
            // In place: a hundred thousand entries are not copied from part to part.
            try DependencyPayload.decode(frame.payload, into: &sum.entries)
        } catch {
            self = SnapshotParts()
            throw error
        }
        guard frame.flags.contains(.last) else {
            next = frame.part + 1
            return .next(next, of: frame.revision)
        }
        defer { self = SnapshotParts() }
        return .complete(sum)
    }
}
