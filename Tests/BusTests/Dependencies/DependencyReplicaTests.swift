import SeededRandom
import Testing

@testable import Bus

@Suite(.timeLimit(.minutes(5)))
struct DependencyReplicaTests {
    private let start = MonotonicInstant.now

    private func change(_ key: String, _ value: UInt8?, _ previous: UInt64, _ revision: UInt64) -> DependencyChange {
        DependencyChange(entries: [key: value.map { [$0] }], revision: revision, previous: previous)
    }

    private func synchronized(at revision: UInt64 = 5) -> DependencyReplica {
        var replica = DependencyReplica()
        replica.linkOpened(epoch: 1)
        _ = replica.received(snapshot: change("a", 1, 0, revision), at: start)
        return replica
    }

    @Test func `A snapshot is applied first, then the delta that follows it`() {
        var replica = DependencyReplica()
        replica.linkOpened(epoch: 1)
        #expect(replica.received(snapshot: change("a", 1, 0, 5), at: start) == [.apply(["a": [1]])])
        #expect(replica.received(delta: change("a", 2, 5, 6), at: start) == [.apply(["a": [2]])])
        #expect(replica.revision == 6)
    }

    @Test func `A new link asks at once, also when the last one was lost while a snapshot was awaited`() {
        var replica = DependencyReplica()
        replica.linkOpened(epoch: 1)
        #expect(replica.received(beacon: 5, at: start) == [.synchronize(after: 0)])
        #expect(replica.received(beacon: 5, at: start) == [])
        replica.linkOpened(epoch: 1)
        #expect(replica.received(beacon: 5, at: start) == [.synchronize(after: 0)])
    }

    @Test func `A removed entry is applied as removed`() {
        var replica = synchronized()
        #expect(replica.received(delta: change("a", nil, 5, 6), at: start) == [.apply(["a": nil])])
    }

    @Test func `Deltas that arrive before the snapshot wait for it, and older ones are dropped`() {
        var replica = DependencyReplica()
        replica.linkOpened(epoch: 1)
        #expect(replica.received(delta: change("a", 9, 4, 5), at: start) == [])
        #expect(replica.received(delta: change("b", 2, 5, 6), at: start) == [])
        #expect(
            replica.received(snapshot: change("a", 1, 0, 5), at: start) == [
                .apply(["a": [1]]), .apply(["b": [2]]),
            ])
    }

    @Test func `Deltas that wait for the snapshot are bounded, and dropped ones are requested again`() {
        var replica = DependencyReplica()
        replica.linkOpened(epoch: 1)
        let value = [UInt8](repeating: 0x60, count: Frame.maximumSize / 4)
        for revision in 6...10 as ClosedRange<UInt64> {
            let delta = DependencyChange(
                entries: ["k\(revision)": value[...]], revision: revision, previous: revision - 1)
            #expect(replica.received(delta: delta, at: .now) == [])
        }
        // Keys take room besides the values, so only three of the five deltas fit.
        let actions = replica.received(snapshot: change("a", 1, 0, 5), at: .now)
        #expect(actions == [.apply(["a": [1]])] + (6...8).map { .apply(["k\($0)": value[...]]) })
        #expect(replica.received(beacon: 10, at: .now) == [.synchronize(after: 8)])
    }

    @Test func `A gap is requested once, and a snapshot of the changes fills it`() {
        var replica = synchronized()
        #expect(replica.received(delta: change("a", 3, 7, 8), at: start) == [.synchronize(after: 5)])
        #expect(replica.received(delta: change("a", 4, 8, 9), at: start) == [])
        #expect(replica.received(snapshot: change("a", 4, 5, 9), at: start) == [.apply(["a": [4]])])
        #expect(replica.received(delta: change("a", 5, 9, 10), at: start) == [.apply(["a": [5]])])
    }

    @Test func `A delta that begins before the copy's revision and ends after it is applied`() {
        var replica = synchronized()
        #expect(replica.received(delta: change("a", 3, 3, 8), at: start) == [.apply(["a": [3]])])
        #expect(replica.revision == 8)
    }

    @Test func `A beacon reveals a lost last delta`() {
        var replica = synchronized()
        #expect(replica.received(beacon: 5, at: start) == [])
        #expect(replica.received(beacon: 6, at: start) == [.synchronize(after: 5)])
    }

    @Test func `A lost request or reply is requested again after two seconds`() {
        var replica = synchronized()
        #expect(replica.received(delta: change("a", 3, 7, 8), at: start) == [.synchronize(after: 5)])
        for second in 1...3 {
            let asked = start + .seconds(2 * second)
            #expect(replica.received(beacon: 8, at: asked - .milliseconds(1)) == [])
            #expect(replica.received(beacon: 8, at: asked) == [.synchronize(after: 5)])
        }
        #expect(replica.received(snapshot: change("a", 3, 5, 8), at: start) == [.apply(["a": [3]])])
        #expect(replica.received(beacon: 8, at: start) == [])
        #expect(replica.received(beacon: 9, at: start) == [.synchronize(after: 8)])
    }

    @Test func `A reply whose parts keep arriving is not requested again`() {
        var replica = synchronized()
        #expect(replica.received(beacon: 8, at: start) == [.synchronize(after: 5)])
        for part in 1...10 {
            replica.receivedPart(at: start + .seconds(part * 8))
            #expect(replica.received(beacon: 8, at: start + .seconds(part * 8 + 8)) == [])
        }
        #expect(replica.received(beacon: 8, at: start + .seconds(90)) == [.synchronize(after: 5)])
        // The reply may be on its way slowly, so it is not requested again at once.
        #expect(replica.received(beacon: 8, at: start + .seconds(99)) == [])
        #expect(replica.received(beacon: 8, at: start + .seconds(100)) == [.synchronize(after: 5)])
    }

    @Test func `A newer revision in a beacon is requested as soon as the pending reply has arrived`() {
        var replica = synchronized()
        #expect(replica.received(beacon: 6, at: start) == [.synchronize(after: 5)])
        #expect(replica.received(beacon: 7, at: start) == [])
        #expect(
            replica.received(snapshot: change("a", 3, 5, 6), at: start)
                == [.apply(["a": [3]]), .synchronize(after: 6)])
        #expect(replica.received(snapshot: change("a", 4, 6, 7), at: start) == [.apply(["a": [4]])])
    }

    @Test func `The first beacon requests a snapshot, and its revision is remembered`() {
        var replica = DependencyReplica()
        replica.linkOpened(epoch: 1)
        #expect(replica.received(beacon: 7, at: start) == [.synchronize(after: 0)])
        #expect(replica.received(beacon: 7, at: start) == [])
        #expect(replica.received(delta: change("a", 2, 5, 6), at: start) == [])
        #expect(
            replica.received(snapshot: change("a", 1, 0, 5), at: start)
                == [.apply(["a": [1]]), .apply(["a": [2]]), .synchronize(after: 6)])
    }

    @Test func `A revision that an earlier epoch announced does not apply to the new epoch`() {
        var replica = synchronized()
        _ = replica.received(beacon: 100, at: start)
        replica.linkOpened(epoch: 2)
        #expect(
            replica.received(snapshot: change("a", 1, 0, 1), at: start) == [.apply(["a": [1]])])
    }

    @Test func `A snapshot whose parts were lost is requested again at once`() {
        var replica = synchronized()
        #expect(replica.received(beacon: 6, at: start) == [.synchronize(after: 5)])
        #expect(replica.lostSnapshot(at: start) == [.synchronize(after: 5)])
    }

    @Test func `The first snapshot of another epoch is requested again from the start`() {
        var replica = synchronized()
        replica.linkOpened(epoch: 2)
        #expect(replica.lostSnapshot(at: start) == [.synchronize(after: 0)])
        replica.linkOpened(epoch: 1)
        #expect(replica.lostSnapshot(at: start) == [.synchronize(after: 5)])
    }

    @Test func `Values never go back to an older revision within an epoch`() {
        var replica = synchronized(at: 9)
        #expect(replica.received(delta: change("a", 0, 7, 8), at: start) == [])
        #expect(replica.received(snapshot: change("a", 0, 0, 3), at: start) == [])
        #expect(replica.revision == 9)
    }

    @Test func `The same epoch continues from its revision, and another epoch replaces everything`() {
        var replica = synchronized()
        replica.linkOpened(epoch: 1)
        replica.linkOpened(epoch: 2)
        #expect(
            replica.received(snapshot: change("b", 1, 0, 1), keys: ["a"], at: start) == [.apply(["b": [1]])])
        #expect(replica.revision == 1)
        #expect(replica.received(beacon: 1, at: start + .seconds(5)) == [.apply(["a": nil])])
    }

    @Test func `Entries that a new epoch has not set yet are kept for five seconds and then removed`() {
        var replica = DependencyReplica()
        replica.linkOpened(epoch: 1)
        let entries: [String: [UInt8]?] = ["a": [1], "b": [1], "c": [1], "gone": nil]
        _ = replica.received(
            snapshot: DependencyChange(entries: DependencyEntries(entries), revision: 5, previous: 0), at: start)
        _ = replica.received(delta: change("d", 1, 5, 6), at: start)
        _ = replica.received(delta: change("c", nil, 6, 7), at: start)
        replica.linkOpened(epoch: 2)
        #expect(
            replica.received(snapshot: change("a", 2, 0, 1), keys: ["a", "b", "d"], at: start) == [
                .apply(["a": [2]])
            ])
        #expect(replica.received(delta: change("b", 2, 1, 2), at: start) == [.apply(["b": [2]])])
        #expect(replica.received(beacon: 2, at: start + .seconds(4)) == [])
        // A third life begins before that time is over: the first life's entries stay, and their time starts again.
        replica.linkOpened(epoch: 3)
        let later = start + .seconds(4)
        #expect(
            replica.received(snapshot: change("a", 3, 0, 1), keys: ["a", "b", "d"], at: later) == [
                .apply(["a": [3]])
            ])
        #expect(replica.received(delta: change("b", nil, 1, 2), at: later) == [.apply(["b": nil])])
        #expect(replica.received(beacon: 2, at: later + .seconds(4)) == [])
        #expect(replica.received(beacon: 2, at: later + .seconds(5)) == [.apply(["d": nil])])
        #expect(replica.received(beacon: 2, at: later + .seconds(6)) == [])
    }

    @Test func `The list of absent peers of an earlier epoch is removed unless the new epoch sets it`() {
        let absent = "scenebus.absent"
        var replica = synchronized()
        _ = replica.received(delta: change(absent, 1, 5, 6), at: start)
        replica.linkOpened(epoch: 2)
        #expect(
            replica.received(snapshot: change("b", 1, 0, 1), keys: ["a", absent], at: start) == [
                .apply(["b": [1], absent: nil])
            ])
        #expect(replica.received(delta: change(absent, 2, 1, 2), at: start) == [.apply([absent: [2]])])
        // The entry that this host has set stays; only an entry that it has not set is removed.
        #expect(replica.received(beacon: 2, at: start + .seconds(5)) == [.apply(["a": nil])])
        replica.linkOpened(epoch: 3)
        #expect(
            replica.received(snapshot: change(absent, 3, 0, 1), keys: ["b", absent], at: start) == [
                .apply([absent: [3]])
            ])
    }

    @Test func `An entry that the new epoch has already removed is not inherited`() {
        var replica = synchronized()
        replica.linkOpened(epoch: 2)
        #expect(
            replica.received(snapshot: change("a", nil, 0, 1), keys: ["a"], at: start) == [
                .apply(["a": nil])
            ])
    }

    @Test func `Inherited entries stay when a full snapshot of the new epoch arrives again`() {
        var replica = DependencyReplica()
        replica.linkOpened(epoch: 1)
        let entries: [String: [UInt8]?] = ["a": [1], "b": [1], "c": [1]]
        _ = replica.received(
            snapshot: DependencyChange(entries: DependencyEntries(entries), revision: 5, previous: 0), at: start)
        replica.linkOpened(epoch: 2)
        _ = replica.received(snapshot: change("c", 2, 0, 1), keys: ["a", "b", "c"], at: start)
        #expect(
            replica.received(
                snapshot: DependencyChange(entries: ["a": [2], "c": nil], revision: 2, previous: 0),
                keys: ["a", "b", "c"], at: start) == [.apply(["a": [2], "c": nil])])
        #expect(replica.received(beacon: 2, at: start + .seconds(4)) == [])
        #expect(replica.received(beacon: 2, at: start + .seconds(5)) == [.apply(["b": nil])])
        #expect(replica.received(snapshot: change("a", 3, 0, 3), at: start) == [.apply(["a": [3]])])
    }

    @Test func `After a reply that ends before the newest known delta, the rest is requested`() {
        var replica = synchronized()
        #expect(replica.received(beacon: 6, at: start) == [.synchronize(after: 5)])
        #expect(replica.received(delta: change("a", 3, 6, 7), at: start) == [])
        #expect(
            replica.received(snapshot: change("a", 2, 5, 6), at: start)
                == [.apply(["a": [2]]), .synchronize(after: 6)])
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `Despite lost, duplicated and late deltas, the copy is correct after a beacon`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var table = DependencyRevisions()
        var replica = DependencyReplica()
        var copy: [String: [UInt8]] = [:]
        var flying: [DependencyChange] = []
        var asked: UInt64?
        func perform(_ actions: [DependencyReplica.Action]) {
            for action in actions {
                switch action {
                case .apply(let entries):
                    for (key, value) in entries.values { copy[key] = value }
                case .synchronize(let known): asked = known
                }
            }
        }
        func answer() {
            guard let known = asked else { return }
            asked = nil
            perform(replica.received(snapshot: table.changes(after: known), at: start))
        }
        replica.linkOpened(epoch: 1)
        perform(replica.received(beacon: 0, at: start))
        for step in 0..<200 {
            let key = "k\(random.next() % 8)"
            let value: [UInt8]? = random.next() % 5 == 0 ? nil : [UInt8(truncatingIfNeeded: step)]
            if let change = table.apply([key: value], owner: "") { flying.append(change) }
            if random.next() % 4 == 0 { answer() }
            while !flying.isEmpty, random.next() % 2 == 0 {
                let index = random.next() % 5 == 0 ? Int(random.next() % UInt64(flying.count)) : 0
                let change = flying[index]
                if random.next() % 6 != 0 { flying.remove(at: index) }
                let before = replica.revision
                if random.next() % 5 != 0 { perform(replica.received(delta: change, at: start)) }
                #expect(replica.revision >= before)
            }
        }
        answer()
        perform(replica.received(beacon: table.revision, at: start))
        answer()
        #expect(replica.revision == table.revision)
        #expect(copy == table.changes(after: 0).entries.values.compactMapValues { $0 })
    }
}
