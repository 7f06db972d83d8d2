import Bus
import Testing

@testable import SceneHost

/// The room that the entries of peers have in the container.
@Suite(.timeLimit(.minutes(5)))
struct EntryRoomTests {
    private var table = ContainerTable(maximumSize: 20_000)
    private let start = MonotonicInstant.now

    /// Sets entries of a thousand bytes.
    /// - Returns: the keys for which there was no room.
    private mutating func set(
        _ keys: [String], size: Int = 1000, by peer: String, atMost limit: Int = .max
    ) -> [String] {
        var changes: [String: [UInt8]?] = [:]
        let head = [0x59, UInt8(size >> 8), UInt8(size & 0xFF)]
        for key in keys { changes[key] = head + [UInt8](repeating: 7, count: size) }
        return perform(table.set(changes, by: peer, providing: Set(keys), atMost: limit))
    }

    private mutating func perform(_ actions: [ContainerTable.Action]) -> [String] {
        var refused: [String] = []
        for action in actions {
            if case .noRoom(let keys, _) = action { refused += keys }
            if case .show(let container) = action { refused += perform(table.shown(container)) }
        }
        return refused
    }

    private func keys(_ letter: String, _ count: Int) -> [String] { (10..<10 + count).map { "\(letter)\($0)" } }

    @Test mutating func `What exceeds a peer's limit is left out, and its earlier value stays`() {
        #expect(set(["a"], size: 500, by: "p", atMost: 4000) == [])
        #expect(set(["b", "c", "d", "e"], by: "p", atMost: 4000) == ["d", "e"])
        #expect(set(["a"], size: 3000, by: "p", atMost: 4000) == ["a"])
        #expect(table.entries.entry(of: "a")?.value?.count == 503)
        #expect(table.owners.size(of: "p") <= 4000)
        // What it removes makes room again.
        _ = perform(table.set(["b": nil, "c": nil], by: "p", providing: ["b", "c"], atMost: 4000))
        #expect(set(["a"], size: 3000, by: "p", atMost: 4000) == [])
    }

    @Test mutating func `Peers that are gone leave a bounded amount behind, and the greediest loses it first`() {
        #expect(set(["honest"], by: "honest") == [])
        table.detached("honest", at: start)
        for number in 0..<50 {
            #expect(set(keys("x\(number)-", 5), by: "greedy\(number)") == [])
            table.detached("greedy\(number)", at: start)
            #expect(table.owners.size <= 20_000)
        }
        #expect(table.entries.entry(of: "honest")?.value != nil)
    }

    @Test mutating func `A peer leaves room for others, and what has no room keeps its earlier value`() {
        #expect(set(keys("a", 8), by: "one") == ["a17"])
        #expect(set(keys("b", 6), by: "two") == ["b14", "b15"])
        #expect(set(keys("c", 3), by: "three") == ["c12"])
        // Values of the same size always fit.
        #expect(set(["a10"], by: "one") == [])
        #expect(table.entries.entry(of: "a16")?.value != nil)
        #expect(table.entries.entry(of: "a17") == nil)
        #expect(table.owners.size <= 18_000)
    }

    @Test mutating func `Greedy peers leave room for a newcomer's entry, and a modest absent peer keeps its own`() {
        table = ContainerTable(maximumSize: 2_000_000)
        #expect(set(["honest"], by: "honest") == [])
        table.detached("honest", at: start)
        for number in 0..<8 { #expect(!set(keys("x\(number)-", 900), by: "greedy\(number)").isEmpty) }
        #expect(set(["new"], by: "newcomer") == [])
        #expect(table.entries.entry(of: "honest")?.value != nil)
    }

    @Test mutating func `The peers of one key have the share of one peer`() {
        for number in 1...3 { table.attached("wall-\(number)", sharing: "key wall") }
        #expect(set(keys("a", 5), by: "wall-1") == [])
        #expect(set(keys("b", 5), by: "wall-2") == ["b12", "b13", "b14"])
        #expect(set(keys("c", 1), by: "wall-3") == ["c10"])
        // One takes over an entry of another: together they have no more.
        #expect(set(["a10"], by: "wall-3") == [])
        // Another key has a share of its own.
        table.attached("desk", sharing: "key desk")
        #expect(set(keys("d", 3), by: "desk") == [])
    }

    private mutating func attach(_ peers: [(String, letter: String, count: Int)]) {
        for (peer, letter, count) in peers {
            table.attached(peer, sharing: "key \(peer.prefix(4))")
            #expect(set(keys(letter, count), by: peer) == [])
        }
    }

    @Test mutating func `What a gone peer has set of the same key makes room before a larger one's of another key`() {
        attach([("lobby", "a", 7), ("wall-1", "b", 3), ("desk", "c", 2)])
        for peer in ["wall-1", "lobby"] { table.detached(peer, at: start) }
        attach([("wall-2", "d", 1)])
        #expect(table.owners.size(of: "wall-1") == 0)
        #expect(table.entries.entry(of: "a10")?.value != nil)
    }

    @Test mutating func `Small entries of gone peers of the same key make room, too`() {
        attach([("desk", "b", 4)])
        for number in 10..<15 { attach([("wall-\(number)", "a\(number)-", 1)]) }
        for number in 10..<15 { table.detached("wall-\(number)", at: start) }
        attach([("wall-2", "e", 5)])
        #expect(table.owners.size(of: "wall-2") == 5 * table.owners.size(of: "desk") / 4)
    }

    @Test mutating func `An entry of a gone peer keeps its value if no room can be made for another one`() {
        attach([("lobby", "a", 3), ("desk", "b", 6)])
        table.detached("lobby", at: start)
        table.attached("wall", sharing: "key wall")
        #expect(set(["a10"], size: 11_000, by: "wall") == ["a10"])
        #expect(table.entries.entry(of: "a10")?.value?.count == 1003)
        #expect(table.entries.entry(of: "a11")?.value != nil)
    }

    @Test mutating func `A key whose share is used up by a gone peer has room for the next one`() {
        attach([("wall-1", "a", 7), ("desk", "b", 4), ("lobby", "c", 2), ("cafe", "d", 1)])
        table.detached("wall-1", at: start)
        attach([("wall-2", "e", 1)])
        #expect(table.owners.size(of: "wall-1") == 0)
    }

    @Test mutating func `Many small peers that are gone make room for a large one, down to the reserve`() {
        table = ContainerTable(maximumSize: 100_000)
        for number in 10..<200 {
            _ = set(["small\(number)"], by: "small\(number)")
            table.detached("small\(number)", at: start)
        }
        #expect(table.owners.size > 85_000)
        // As much as the share of a peer that is alone.
        #expect(set(keys("a", 30), by: "large") == [])
        #expect(table.owners.size <= 90_000)
        // However much it wants, the reserve is left to those that have little.
        #expect(!set(keys("b", 40), by: "large").isEmpty)
        #expect(table.owners.size - table.owners.size(of: "large") > 8000)
    }

    @Test mutating func `An entry takes the place of another peer's only within the share of the peer that sets it`() {
        #expect(set(keys("a", 7), by: "one") == [])
        #expect(set(keys("b", 4), by: "two") == [])
        #expect(set(keys("a", 7), by: "two") == keys("a", 7))
        #expect(set(["a10"], by: "three") == [])
        #expect(table.owners.size(of: "three") == table.owners.size(of: "one") / 6)
    }
}
