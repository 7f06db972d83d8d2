import Bus

extension FuzzTarget {
    /// A peer's copy of the container: a host that keeps to the protocol, frames that get lost or come late, and frames from
    /// somebody who does not keep to it.
    static let replica = FuzzTarget("replica") { input, _ in
        var play = ReplicaPlay()
        var script = Script(input)
        while !script.isAtEnd { try play.step(&script) }
        try play.end()
    }
}

/// A host, a peer, and what is on its way between them.
private struct ReplicaPlay {
    private var now = ContinuousClock.now
    private var epoch: UInt64 = 1
    private var table = DependencyTable()
    /// Deltas on their way.
    private var flying: [Frame] = []
    /// The snapshot that the peer is getting.
    private var snapshot: DependencySnapshot?

    private var parts = SnapshotParts()
    private var replica = DependencyReplica()
    private var copy: [String: [UInt8]] = [:]
    /// What the peer has asked for and has no answer to: the revision that it knows, and the number of the part.
    private var question: (known: UInt64, part: UInt64, revision: UInt64)?
    /// Nobody has lied to the peer in this life of the host.
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

    /// However it has been lied to and whatever was lost, a link to another life of the host gives the peer the host's state;
    /// where nobody lied, the next beacon does.
    mutating func end() throws {
        if isHonest {
            try answerAll()
            // A link that waits in vain for its first snapshot is opened again.
            if !replica.isSynchronized { open(anew: false) }
            try deliver(beacon())
            try answerAll()
            // What an earlier life has left is gone by then.
            now += .seconds(6)
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
        try checkCopy("of another life")
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

    /// Answers what the peer has asked: a part of the snapshot that it is getting, or the first of a new one.
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
        frame.previous = known
        frame.payload = DependencyPayload.encode(entries)[...]
        if !isLost { try deliver(frame) }
    }

    private mutating func answerAll() throws {
        var count = 0
        while question != nil {
            try answer(isLost: false)
            count += 1
            try require(count < 100, "it asks without end")
        }
    }

    /// The peer links again, perhaps to a host that was started again: nothing of before is on its way any more.
    private mutating func open(anew: Bool) {
        if anew {
            epoch += 1
            table = DependencyTable()
            isHonest = true
        }
        flying = []
        snapshot = nil
        parts = SnapshotParts()
        question = nil
        replica.linkOpened(epoch: epoch)
    }

    // MARK: - The liar

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

    /// Takes a frame as a link does.
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
            entries: try DependencyPayload.decode(frame.payload), revision: frame.revision, previous: frame.previous)
    }

    private mutating func perform(_ event: (inout DependencyReplica) -> [DependencyReplica.Action]) throws(Violation) {
        let (revision, life) = (replica.revision, replica.epoch)
        for action in event(&replica) {
            switch action {
            case .apply(let entries):
                for (key, value) in entries { copy[key] = value }
            case .synchronize(let known):
                try require(known <= replica.revision, "it asks for what follows a revision not reached")
                question = (known, 0, 0)
            }
        }
        try require(replica.epoch != life || replica.revision >= revision, "the copy has gone back in one life")
    }
}

extension DependencyTable {
    /// The values of the entries that are there.
    fileprivate var values: [String: [UInt8]] {
        Dictionary(
            uniqueKeysWithValues: list(after: 0, "", size: .max, count: .max).entries.map {
                ($0.key, $0.entry.value ?? [])
            })
    }
}
