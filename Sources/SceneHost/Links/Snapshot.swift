import Bus

/// The answer to the question for what has changed since a revision, in parts. Peers that ask the same share it: after a restart
/// a thousand of them want the whole container at the same moment.
@MainActor
final class Snapshot {
    /// A part has about this many bytes; an entry that is larger has a part of its own.
    static let partSize = 256 << 10
    /// Parts whose bytes are kept for the next peer.
    private static let keptParts = 16

    /// The revision that a peer has reached which has all of it.
    let revision: UInt64
    private let known: UInt64
    private let parts: [[String: [UInt8]?]]
    private var encoded: [Int: [UInt8]] = [:]

    init(_ change: DependencyChange) {
        revision = change.revision
        known = change.previous
        parts = DependencyPayload.parts(of: change.entries, size: Self.partSize)
    }

    /// The frame of a part, and its bytes.
    /// - Returns: `nil` when there are not as many.
    func part(_ number: UInt64) -> (frame: Frame, bytes: [UInt8])? {
        guard let number = Int(exactly: number), parts.indices.contains(number) else { return nil }
        var frame = Frame(.snapshot)
        frame.flags = number == parts.count - 1 ? .last : []
        frame.id = UInt64(number)
        frame.revision = revision
        frame.parent = known
        if let bytes = encoded[number] { return (frame, bytes) }
        frame.payload = DependencyPayload.encode(parts[number])[...]
        let bytes = frame.encoded()
        if encoded.count >= Self.keptParts { encoded = [:] }
        encoded[number] = bytes
        return (frame, bytes)
    }
}

/// The snapshots that peers are getting now, by the revision that they ask from. Kept by those peers only.
@MainActor
struct SnapshotCache {
    private struct Kept {
        weak var snapshot: Snapshot?
    }

    private var kept: [UInt64: Kept] = [:]

    /// What has changed since a revision.
    /// - Parameters:
    ///   - head: the container's newest revision.
    ///   - changes: finds out what has changed; called when nobody is getting the same.
    mutating func snapshot(
        after known: UInt64, head: UInt64, changes: (_ after: UInt64) -> DependencyChange
    ) -> Snapshot {
        if let snapshot = kept[known]?.snapshot, snapshot.revision == head { return snapshot }
        let snapshot = Snapshot(changes(known))
        kept = kept.filter { $0.value.snapshot != nil }
        kept[known] = Kept(snapshot: snapshot)
        return snapshot
    }
}
