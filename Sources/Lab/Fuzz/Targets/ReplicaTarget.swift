import Bus

extension FuzzTarget {
    /// A peer's copy of the container, with a host that follows the protocol, with lost and delayed frames, and with
    /// forged frames.
    static let replica = FuzzTarget("replica") { input, _ in
        var play = ReplicaPlay()
        var script = Script(input)
        while !script.isAtEnd { try play.step(&script) }
        try play.end()
    }
}

/// A host, a peer, and the frames in transit between them.
private struct ReplicaPlay {
    private var now = MonotonicInstant.now
    private var epoch: UInt64 = 1
    /// It forgets removed entries soon.
    private var table = DependencyRevisions(maximumRemovedSize: 300)
    /// The deltas in transit.
    private var flying: [Frame] = []
    /// The snapshot that the peer is receiving.
    private var snapshot: DependencySnapshot?

    private var parts = SnapshotAssembly()
    private var replica = DependencyReplica()
    private var copy: [String: [UInt8]] = [:]
    /// The peer's outstanding request: the revision that it knows, and the number of the part.
    private var question: (known: UInt64, part: UInt64, revision: UInt64)?
    /// Whether the peer has received no forged frame in this epoch of the host.
    private var isHonest = true

    init() { open(anew: false) }

    mutating func step(_ script: inout Script) throws {
        switch script.byte() % 9 {
        case 0: change(key: script.byte() % 6, to: script.byte())
        case 1: if !flying.isEmpty { try deliver(flying.remove(at: script.byte() % flying.count)) }
        case 2: if !flying.isEmpty { flying.remove(at: script.byte() % flying.count) }
        case 3: try answer(isLost: script.byte() % 4 == 0)
        case 4: try deliver(beacon())
        case 5: try lie(&script)
        case 6: open(anew: script.byte() % 4 == 0)
        case 7: now += .milliseconds(script.byte() * 20)
        default: if let frame = flying.first { try deliver(frame) }
        }
    }

    /// Checks that the peer recovers the host's state: with the next beacon if there was no forged frame, and with a
    /// link to another epoch of the host in any case.
    mutating func end() throws {
        if isHonest {
            try answerAll()
            // A link that does not get its first snapshot is reopened.
            if !replica.isSynchronized { open(anew: false) }
            try deliver(beacon())
            try answerAll()
            // By then, the peer asks again for a part that was lost, and the entries of earlier epochs have been removed.
            now += .seconds(11)
            try deliver(beacon())
            try answerAll()
            try checkCopy("at the end")
        }
        open(anew: true)
        change(key: 0, to: 1)
        try deliver(beacon())
        try answerAll()
        now += .seconds(6)
        try deliver(beacon())
        try answerAll()
        try checkCopy("of another epoch")
    }

    private func checkCopy(_ when: String) throws(Violation) {
        try require(
            replica.revision == table.revision && copy == table.values,
            "the copy \(when) is \(copy) at \(replica.revision), the host's \(table.entries) at \(table.revision)")
    }

    // MARK: - The host

    private mutating func change(key: Int, to value: Int) {
        let value: [UInt8]? = value % 5 == 0 ? nil : [UInt8(value % 24)]
        guard let change = table.apply(["key\(key)": value], owner: "") else { return }
        var frame = Frame(.delta)
        frame.epoch = epoch
        frame.revision = change.revision
        frame.previous = change.previous
        frame.payload = DependencyPayload.encode(change.entries)[...]
        flying.append(frame)
    }

    private func beacon() -> Frame {
        var frame = Frame(.beacon)
        frame.epoch = epoch
        frame.revision = table.revision
        return frame
    }

    /// Answers the peer's request with a part of the current snapshot, or with the first part of a new one.
    private mutating func answer(isLost: Bool) throws {
        guard let (known, part, revision) = question else { return }
        question = nil
        var number = part
        if part == 0 || snapshot?.previous != known || snapshot?.revision != revision {
            snapshot = table.snapshot(after: known)
            number = 0
        }
        guard let (entries, isLast) = snapshot?.part(number, size: 24) else { return }
        var frame = Frame(.snapshot)
        frame.flags = isLast ? .last : []
        frame.epoch = epoch
        frame.part = number
        frame.revision = snapshot?.revision ?? 0
        frame.previous = snapshot?.previous ?? known
        frame.payload = DependencyPayload.encode(entries)[...]
        if !isLost { try deliver(frame) }
    }

    private mutating func answerAll() throws {
        var count = 0
        while question != nil {
            try answer(isLost: false)
            count += 1
            try require(count < 100, "the peer repeats its request endlessly")
        }
    }

    /// Reconnects the peer, possibly to a restarted host, and discards all frames in transit.
    private mutating func open(anew: Bool) {
        if anew {
            epoch += 1
            table = DependencyRevisions(maximumRemovedSize: 300)
            isHonest = true
        }
        flying = []
        snapshot = nil
        parts = SnapshotAssembly()
        question = nil
        replica.linkOpened(epoch: epoch)
    }

    // MARK: - Forged frames

    private mutating func lie(_ script: inout Script) throws {
        let kinds: [FrameKind] = [.snapshot, .delta, .beacon]
        var frame = Frame(kinds[script.byte() % kinds.count])
        frame.flags = Frame.Flags(rawValue: UInt8(script.byte()))
        frame.epoch = script.byte() % 2 == 0 ? epoch : script.number()
        frame.previous = script.number()
        frame.part = script.number()
        frame.revision = script.number()
        let payload = script.bytes()
        frame.payload = payload.isEmpty ? [0xA0] : payload
        isHonest = false
        do {
            try deliver(frame)
        } catch let error as FrameError {
            try require(error.code == .badPayload, "a frame was refused: \(error)")
        }
    }

    // MARK: - The peer

    /// Handles a frame as a link does.
    private mutating func deliver(_ sent: Frame) throws {
        let (frame, now) = (try Frame(sent.encoded()), now)
        guard frame.epoch == epoch else { return }
        switch frame.kind {
        case .beacon: try perform { $0.received(beacon: frame.revision, at: now) }
        case .delta:
            let change = try change(of: frame)
            try perform { $0.received(delta: change, at: now) }
        default:
            switch try parts.received(frame) {
            case .next(let number, let revision):
                replica.receivedPart(at: now)
                question = (frame.previous, number, revision)
            case .ignored: break
            case .lost: try perform { $0.lostSnapshot(at: now) }
            case .complete(let change):
                let keys = Set(copy.keys)
                try perform { $0.received(snapshot: change, keys: keys, at: now) }
            }
        }
    }

    private func change(of frame: Frame) throws(FrameError) -> DependencyChange {
        DependencyChange(
            entries: try DependencyPayload.decodeFromHost(frame.payload), revision: frame.revision,
            previous: frame.previous)
    }

    private mutating func perform(_ event: (inout DependencyReplica) -> [DependencyReplica.Action]) throws(Violation) {
        let (revision, life) = (replica.revision, replica.epoch)
        for action in event(&replica) {
            switch action {
            case .apply(let entries):
                for (key, value) in entries { copy[key] = value.map { Array($0) } }
            case .synchronize(let known):
                try require(known <= replica.revision, "it requests changes after an unreached revision")
                question = (known, 0, 0)
            }
        }
        try require(replica.epoch != life || replica.revision >= revision, "the copy has gone back in an epoch")
    }
}

extension DependencyRevisions {
    /// The values of the present entries.
    fileprivate var values: [String: [UInt8]] {
        Dictionary(
            uniqueKeysWithValues: list(after: 0, "", size: .max, count: .max).entries.map {
                ($0.key, $0.entry.value ?? [])
            })
    }
}
