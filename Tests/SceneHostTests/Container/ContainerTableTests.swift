import Bus
import CBOR
import Messaging
import Testing

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct ContainerTableTests {
    private var table = ContainerTable()
    /// The delegate's container.
    private var container = AppDependency()
    /// Every published change.
    private var published: [[String: [UInt8]?]] = []
    private var refused: [String] = []
    /// How often the delegate was given the container.
    private var shown = 0
    /// What the delegate does when it is given a container.
    private var onShow: (inout AppDependency) -> Void = { _ in }

    private mutating func perform(_ actions: [ContainerTable.Action]) {
        for action in actions {
            switch action {
            case .publish(let change): published.append(change.entries.values)
            case .refuse(let key, _, _): refused.append(key)
            case .leaveOutOfSession(let key, _, _): refused.append(key)
            case .leaveOut(let keys, _), .noRoom(let keys, _): refused += keys
            case .makeRoom: break
            case .show(let new):
                shown += 1
                container = new
                onShow(&container)
                // The delegate reports each change, even while it is given one.
                perform(table.delegateSet(container))
                perform(table.shown(container))
            }
        }
    }

    private mutating func set(_ value: Int?, _ key: String) {
        container.setEncoded(value.map { [UInt8($0)] }, of: key)
        perform(table.delegateSet(container))
    }

    private mutating func peerSets(_ value: UInt8?, _ key: String, by peer: String = "shop") {
        perform(table.set([key: value.map { [$0] }], by: peer, providing: [key]))
    }

    @Test("Entries that the delegate sets are published once, and not given back to it")
    mutating func delegate() {
        set(1, "a")
        set(1, "a")
        set(nil, "a")
        #expect(published == [["a": [1]], ["a": nil]])
        #expect(shown == 0)
        #expect(table.entries.entry(of: "a")?.owner == "")
    }

    @Test("Entries that a peer sets are published and given to the delegate together with its own")
    mutating func peer() {
        set(1, "a")
        peerSets(2, "b")
        #expect(published == [["a": [1]], ["b": [2]]])
        #expect(container.keys.sorted() == ["a", "b"])
        #expect(table.entries.entry(of: "b")?.owner == "shop")
        #expect(shown == 1)
        peerSets(2, "b")
        #expect(published.count == 2)
        #expect(shown == 1)
    }

    @Test("A peer that sets an entry to its current value becomes the entry's owner")
    mutating func owner() {
        peerSets(2, "b", by: "shop")
        peerSets(2, "b", by: "store")
        #expect(table.entries.entry(of: "b")?.owner == "store")
        set(3, "b")
        #expect(table.entries.entry(of: "b")?.owner == "")
    }

    @Test("Entries that the delegate sets in response to a change are published after that change")
    mutating func answer() {
        onShow = { $0.setEncoded([9], of: "answer") }
        peerSets(2, "b")
        #expect(published == [["b": [2]], ["answer": [9]]])
        #expect(shown == 1)
    }

    @Test("A new container from the delegate keeps the peers' entries, and the delegate is given the result")
    mutating func anew() {
        set(1, "a")
        peerSets(2, "b")
        container = AppDependency()
        set(5, "c")
        #expect(published.last == ["a": nil, "c": [5]])
        #expect(container.keys.sorted() == ["b", "c"])
        #expect(shown == 2)
    }

    @Test("A delegate that always leaves out the peers' entries does not cause an endless loop")
    mutating func stubborn() {
        peerSets(2, "b")
        onShow = { $0 = AppDependency() }
        container = AppDependency()
        perform(table.delegateSet(container))
        #expect(shown == 2)
        #expect(table.entries.entry(of: "b")?.value == [2])
        #expect(published == [["b": [2]]])
    }

    @Test("A delegate may remove an entry of a peer")
    mutating func removed() {
        peerSets(2, "b")
        set(nil, "b")
        #expect(published == [["b": [2]], ["b": nil]])
    }

    @Test("What a peer does not list, or peers could not decode, is left out, and the rest is published")
    mutating func unlisted() {
        let entries: [String: [UInt8]?] = ["listed": [1], "broken": [0xFF], "unlisted": [2]]
        perform(table.set(entries, by: "shop", providing: ["listed", "broken"]))
        #expect(published == [["listed": [1]]])
        #expect(refused == ["unlisted", "broken"])
        #expect(table.entries.entry(of: "unlisted") == nil)
    }

    @Test("An entry that peers could not decode is refused, and the others are published")
    mutating func refusedEntry() {
        container.setEncoded([0xFF], of: "broken")
        set(1, "a")
        #expect(refused == ["broken"])
        #expect(published == [["a": [1]]])
    }

    // MARK: - Absent peers

    @Test("The entries of an absent peer are listed until the peer returns or another sets them")
    mutating func absent() throws {
        peerSets(2, "b")
        perform(table.publishAbsence())
        #expect(table.entries.entry(of: AppDependency.absentKey) == nil)
        table.detached("shop", at: .now)
        perform(table.publishAbsence())
        let value = try #require(table.entries.entry(of: AppDependency.absentKey)?.value)
        #expect(try CBORDecoder().decode([String].self, from: value) == ["b"])
        #expect(container.isOwnerGone(of: "b"))
        table.attached("shop", sharing: "key shop")
        perform(table.publishAbsence())
        #expect(table.entries.entry(of: AppDependency.absentKey)?.value == nil)
        #expect(!container.isOwnerGone(of: "b"))
    }

    @Test("An entry of a peer that the delegate has set since is not listed when the peer leaves")
    mutating func takenOver() {
        peerSets(2, "b")
        set(3, "b")
        table.detached("shop", at: .now)
        perform(table.publishAbsence())
        #expect(container.entry(of: "b") != nil)
        #expect(!container.isOwnerGone(of: "b"))
    }

    @Test("The delegate cannot set the list of absent entries")
    mutating func absentKey() {
        peerSets(2, "b")
        table.detached("shop", at: .now)
        perform(table.publishAbsence())
        let value = table.entries.entry(of: AppDependency.absentKey)?.value
        set(1, AppDependency.absentKey)
        #expect(table.entries.entry(of: AppDependency.absentKey)?.value == value)
        #expect(container.isOwnerGone(of: "b"))
    }
}
