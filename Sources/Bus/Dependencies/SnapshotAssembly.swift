/// Assembles the parts of a snapshot, each of which the peer requests.
///
/// It never takes an incomplete snapshot for a complete one. The missing entries would be lost for good, because
/// nothing would request them again.
package struct SnapshotAssembly: Sendable {
    /// The outcome of a received part.
    package enum Outcome: Hashable, Sendable {
        /// Request the part with this number, of the snapshot that reaches this revision.
        case next(UInt64, of: UInt64)
        case complete(DependencyChange)
        /// The part is not the requested one. It replies to an older request and changes nothing.
        case ignored
        /// The host has begun another snapshot, whose first part did not arrive. Request a snapshot from the start.
        case lost
    }

    /// The parts received so far; empty between two snapshots.
    private var entries: [DependencyEntries.Encoded] = []
    private var revision: UInt64 = 0
    private var previous: UInt64 = 0
    /// The number of the requested part; 0 between two snapshots.
    private var next: UInt64 = 0

    package init() {}

    /// The requested part, and the revisions of its snapshot; `nil` between two snapshots.
    package var awaited: (number: UInt64, previous: UInt64, revision: UInt64)? {
        next > 0 ? (next, previous, revision) : nil
    }

    /// Handles a part. The first part begins a snapshot and discards an incomplete one.
    /// - Parameter frame: the part. Its revisions are those of the whole snapshot.
    /// - Throws: `FrameError` when the part cannot be decoded. The parts before it are then discarded.
    package mutating func received(_ frame: Frame) throws(FrameError) -> Outcome {
        if frame.part == 0 {
            (entries, revision, previous) = ([], frame.revision, frame.previous)
        } else {
            guard next > 0, frame.part == next else { return .ignored }
            guard revision == frame.revision, previous == frame.previous else {
                self = SnapshotAssembly()
                return .lost
            }
        }
        do {
            try DependencyPayload.add(frame.payload, to: &entries)
            guard frame.flags.contains(.last) else {
                next = frame.part + 1
                return .next(next, of: frame.revision)
            }
            // Sorted only now, so that the parts may come in any order of their keys.
            let list = entries
            self = SnapshotAssembly()
            let all = try DependencyPayload.entries(list)
            return .complete(DependencyChange(entries: all, revision: frame.revision, previous: frame.previous))
        } catch {
            self = SnapshotAssembly()
            throw error
        }
    }
}
