import Bus

/// The encoded parts of the changes since a revision.
///
/// Peers that request the same changes share it: after a restart a thousand peers request the whole container at the
/// same moment.
@MainActor
final class Snapshot {
    /// The approximate size of a part, in bytes; a larger entry gets a part of its own. A peer receives nothing else
    /// while a part is in transit. On a line of 500 kbit/s, that takes less time than the silence after which the peer
    /// considers the host dead.
    static let partSize = 128 << 10
    /// The maximum size of the encoded parts that are kept for other peers, in bytes. Peers that receive the snapshot
    /// at the same time are not all at the same part.
    private static let keptSize = 16 << 20
    /// The maximum size in bytes and the maximum number of changes of a small snapshot.
    private static let (smallSize, smallCount) = (256 << 10, 256)

    private var content: DependencySnapshot
    private let epoch: UInt64
    private var encoded: [UInt64: (frame: Frame, bytes: [UInt8])] = [:]
    /// The size of the encoded parts that are kept, in bytes.
    private(set) var encodedSize = 0
    /// Whether there is a newer one, so that only slow peers ask for further parts. They are encoded when they are sent.
    var isOld = false {
        didSet { if isOld { (encoded, encodedSize) = ([:], 0) } }
    }

    init(_ content: DependencySnapshot, epoch: UInt64) {
        self.content = content
        self.epoch = epoch
    }

    /// The revision that a peer has reached when it has received the whole snapshot.
    var revision: UInt64 { content.revision }
    /// The revision that the snapshot follows.
    var previous: UInt64 { content.previous }

    /// Whether the snapshot has few entries in few parts, which are assembled quickly. This is computed once, because
    /// all peers share the snapshot.
    private(set) lazy var isSmall = content.fits(Self.smallSize, changes: Self.smallCount)

    /// Returns a part, as a frame without its payload and as encoded bytes.
    /// - Returns: `nil` when there is no such part, or when the part before it has not been requested.
    func part(_ number: UInt64) -> (frame: Frame, bytes: [UInt8])? {
        if let part = encoded[number] { return part }
        guard let (entries, isLast) = content.part(number, size: Self.partSize) else { return nil }
        var frame = Frame(.snapshot)
        frame.flags = isLast ? .last : []
        frame.epoch = epoch
        frame.previous = previous
        frame.part = number
        frame.revision = revision
        frame.payload = DependencyPayload.encode(entries)[...]
        let bytes = frame.encoded()
        frame.payload = []
        guard !isOld else { return (frame, bytes) }
        if encodedSize + bytes.count > Self.keptSize {
            encoded = [:]
            encodedSize = 0
        }
        encoded[number] = (frame, bytes)
        encodedSize += bytes.count
        return (frame, bytes)
    }
}

/// The snapshots that peers are receiving now, by the revision that they follow. Only these peers keep them alive.
@MainActor
struct SnapshotCache {
    private struct Kept {
        weak var snapshot: Snapshot?
    }

    private var kept: [UInt64: Kept] = [:]
    /// The latest snapshot. No peer keeps a snapshot that has only one part, and all peers request the same one at the
    /// same time.
    private var last: Snapshot?

    /// Releases the latest snapshot.
    mutating func release() { last = nil }

    /// Returns the changes since a revision.
    /// - Parameters:
    ///   - head: the container's newest revision.
    ///   - make: creates the snapshot; called when no peer is receiving the same one.
    mutating func snapshot(after known: UInt64, head: UInt64, make: () -> Snapshot) -> Snapshot {
        if let snapshot = kept[known]?.snapshot, snapshot.revision == head { return snapshot }
        for old in kept.values { if let old = old.snapshot, old.revision < head { old.isOld = true } }
        let snapshot = make()
        // Remove the snapshots that no peer is receiving any more, once there are many.
        if kept.count >= 64 { kept = kept.filter { $0.value.snapshot != nil } }
        kept[known] = Kept(snapshot: snapshot)
        last = snapshot
        return snapshot
    }
}
