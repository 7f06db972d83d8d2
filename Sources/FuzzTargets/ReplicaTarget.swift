import Bus

extension FuzzTarget {
    /// A peer's copy of the container: a host that keeps to the protocol, frames that get lost or come late, and frames from
    /// somebody who does not keep to it.
    static let replica = FuzzTarget("replica") { input, memory in
        var play = ReplicaPlay()
        var script = Script(input)
        while !script.isAtEnd { try play.step(&script, memory) }
        try play.end()
    }
}

/// A host, a peer, and what is on its way between them.
private struct ReplicaPlay {
    private var epoch: UInt64 = 1
    private var now = ContinuousClock.now
    private var table = DependencyTable()
    private var flying: [Frame] = []

    private var parts = SnapshotParts()
    private var replica = DependencyReplica()
    private var copy: [String: [UInt8]] = [:]
    /// The revision after which the peer has asked for the changes.
    private var asked: UInt64?
    /// Nobody has lied to the peer in this life of the host.
    private var isHonest = true

    init() { asked = replica.linkOpened(epoch: epoch) }

    mutating func step(_ script: inout Script, _ memory: MemoryMeter) throws {
        now += .milliseconds(50)
        switch script.byte() % 8 {
        case 0: change(key: script.byte() % 6, to: script.byte())
        case 1: if !flying.isEmpty { try deliver(flying.remove(at: script.byte() % flying.count)) }
        case 2: if !flying.isEmpty { flying.remove(at: script.byte() % flying.count) }
        case 3: try answer(without: script.byte())
        case 4: try deliver(beacon())
        case 5: try lie(&script, memory)
        case 6: open(anew: script.byte() % 4 == 0)
        default: if let frame = flying.first { try deliver(frame) }
        }
    }

    /// However it has been lied to and whatever was lost, a link to another life of the host gives the peer the host's state;
    /// where nobody lied, the next beacon does.
    mutating func end() throws {
        if isHonest {
            try answer(without: 255)
            // A link that waits in vain for its first snapshot is opened again.
            if !replica.isSynchronized {
                open(anew: false)
                try answer(without: 255)
            }
            // An answer that never comes is waited for some time; then a beacon has it asked for again.
            for _ in 0..<2 {
                now += .seconds(3)
                try deliver(beacon())
                try answer(without: 255)
            }
            try checkCopy("at the end")
        }
        open(anew: true)
        change(key: 0, to: 1)
        try answer(without: 255)
        try checkCopy("of another life")
    }

    private func checkCopy(_ when: String) throws(Violation) {
        try require(
            replica.revision == table.revision && copy == table.entries.compactMapValues(\.value),
            "the copy \(when) is \(copy) at \(replica.revision), the host's \(table.entries) at \(table.revision)")
    }

    // MARK: - The host

    private mutating func change(key: Int, to value: Int) {
        let value: [UInt8]? = value % 5 == 0 ? nil : [UInt8](repeating: UInt8(value % 24), count: 1)
        guard let change = table.apply(["key\(key)": value], owner: "") else { return }
        var frame = Frame(.delta)
        frame.revision = change.revision
        frame.parent = change.previous
        frame.payload = DependencyPayload.encode(change.entries)[...]
        flying.append(frame)
    }

    private func beacon() -> Frame {
        var frame = Frame(.beacon)
        frame.id = epoch
        frame.revision = table.revision
        return frame
    }

    /// Answers what the peer has asked, in parts of which one may get lost.
    private mutating func answer(without lost: Int) throws {
        guard let known = asked else { return }
        asked = nil
        let change = table.changes(after: known)
        let parts = DependencyPayload.parts(of: change.entries, size: 24)
        for (number, part) in parts.enumerated() where number != lost {
            var frame = Frame(.snapshot)
            frame.flags = number == parts.count - 1 ? .last : []
            frame.id = UInt64(number)
            frame.revision = change.revision
            frame.parent = change.previous
            frame.payload = DependencyPayload.encode(part)[...]
            try deliver(frame)
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
        parts = SnapshotParts()
        asked = replica.linkOpened(epoch: epoch)
    }

    // MARK: - The liar

    private mutating func lie(_ script: inout Script, _ memory: MemoryMeter) throws {
        let kinds: [FrameKind] = [.snapshot, .delta, .beacon]
        var frame = Frame(kinds[script.byte() % kinds.count])
        frame.flags = Frame.Flags(rawValue: UInt8(script.byte()))
        frame.id = script.number()
        frame.parent = script.number()
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
        let frame = try Frame(sent.encoded())
        switch frame.kind {
        case .beacon:
            if frame.id == epoch { try perform { [now] in $0.received(beacon: frame.revision, at: now) } }
        case .delta:
            let change = try change(of: frame)
            try perform { [now] in $0.received(delta: change, at: now) }
        default:
            let part = try change(of: frame)
            switch parts.received(part, number: frame.id, isLast: frame.flags.contains(.last)) {
            case .next: replica.receivedPart(at: now)
            case .ignored: break
            case .lost: try perform { [now] in $0.lostSnapshot(at: now) }
            case .complete(let change):
                try perform { [epoch, now] in $0.received(snapshot: change, epoch: epoch, at: now) }
            }
        }
    }

    private func change(of frame: Frame) throws(FrameError) -> DependencyChange {
        DependencyChange(
            entries: try DependencyPayload.decode(frame.payload), revision: frame.revision, previous: frame.parent)
    }

    private mutating func perform(_ event: (inout DependencyReplica) -> [DependencyReplica.Action]) throws(Violation) {
        let (revision, life) = (replica.revision, replica.epoch)
        for action in event(&replica) {
            switch action {
            case .replace(let entries): copy = entries.compactMapValues { $0 }
            case .apply(let entries):
                for (key, value) in entries { copy[key] = value }
            case .synchronize(let known):
                try require(known <= replica.revision, "it asks for what follows a revision not reached")
                asked = known
            }
        }
        try require(replica.epoch != life || replica.revision >= revision, "the copy has gone back in one life")
    }
}
