import Bus

/// The answer to the question for what has changed since a revision, in parts. Peers that ask the same share it: after a restart
/// a thousand of them want the whole container at the same moment.
@MainActor
final class Snapshot {
    /// A part has about this many bytes; an entry that is larger has a part of its own. A peer hears nothing while a part is on its
    /// way: on a line of 500 kbit/s this one takes less than the time after which the host counts as silent.
    static let partSize = 128 << 10
    /// The bytes of parts that are kept for the next peer: peers that get one at the same time are not all at the same part.
    private static let keptSize = 16 << 20
    /// The bytes and the changes that a small one has at most.
    private static let (smallSize, smallCount) = (256 << 10, 256)

    private var content: DependencySnapshot
    private let epoch: UInt64
    private var encoded: [UInt64: (frame: Frame, bytes: [UInt8])] = [:]
    private var encodedSize = 0

    init(_ content: DependencySnapshot, epoch: UInt64) {
        self.content = content
        self.epoch = epoch
    }

    /// The revision that a peer has reached which has all of it.
    var revision: UInt64 { content.revision }
    /// The revision from which it leads on.
    var previous: UInt64 { content.previous }

    /// It has few entries in few parts, which are put together in no time. Found out once: all peers share it.
    private(set) lazy var isSmall = content.fits(Self.smallSize, changes: Self.smallCount)

    /// The frame of a part, without its payload, and its bytes.
    /// - Returns: `nil` when there are not as many, or the one before it has not been asked for.
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
        if encodedSize + bytes.count > Self.keptSize {
            encoded = [:]
            encodedSize = 0
        }
        encoded[number] = (frame, bytes)
        encodedSize += bytes.count
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
    /// The last one: of a snapshot that has one part nobody else keeps hold, and all peers ask for the same at a time.
    private var last: Snapshot?

    /// Lets go of the last one.
    mutating func release() { last = nil }

    /// What has changed since a revision.
    /// - Parameters:
    ///   - head: the container's newest revision.
    ///   - make: finds out what has changed; called when nobody is getting the same.
    mutating func snapshot(after known: UInt64, head: UInt64, make: () -> Snapshot) -> Snapshot {
        if let snapshot = kept[known]?.snapshot, snapshot.revision == head { return snapshot }
        let snapshot = make()
        // Those that nobody is getting any more go when there are many.
        if kept.count >= 64 { kept = kept.filter { $0.value.snapshot != nil } }
        kept[known] = Kept(snapshot: snapshot)
        last = snapshot
        return snapshot
    }
}
