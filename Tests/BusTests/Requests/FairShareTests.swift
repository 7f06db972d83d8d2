import Testing

@testable import Bus

/// What one peer may hold of something that all peers share.
@Suite(.timeLimit(.minutes(5)))
struct FairShareTests {
    /// Lets a peer take as much as it gets.
    private func fill(_ room: inout SharedRoom<String>, by peer: String, amount: Int = 1) -> Int {
        var taken = 0
        while room.take(amount, for: peer) { taken += amount }
        return taken
    }

    @Test func `A peer that is alone gets nearly half, and leaves the rest to others`() {
        var room = SharedRoom<String>(limit: 10_000)
        #expect(fill(&room, by: "greedy") == 4500)
        #expect(fill(&room, by: "second") == 2250)
        #expect(room.held(by: "greedy") == 4500)
        #expect(room.used == 6750)
    }

    @Test func `However many peers are greedy, a newcomer gets its assured amount`() {
        var room = SharedRoom<String>(limit: 100_000)
        for number in 1...50 { _ = fill(&room, by: "greedy \(number)") }
        #expect(fill(&room, by: "newcomer") == 100)
        #expect(fill(&room, by: "newcomer") == 0)
    }

    @Test func `The limit holds for all together`() {
        var room = SharedRoom<Int>(limit: 100)
        for peer in 1...1000 { while room.take(for: peer) {} }
        #expect(room.used == 100)
        #expect(!room.allows(to: 1001))
    }

    @Test func `What is given back can be taken again, and a peer without anything is forgotten`() {
        var room = SharedRoom<String>(limit: 1000)
        let most = fill(&room, by: "a", amount: 10)
        room.giveBack(100, of: "a")
        #expect(room.held(by: "a") == most - 100)
        #expect(fill(&room, by: "a", amount: 10) == 100)
        room.giveBack(most, of: "a")
        room.giveBack(5, of: "a")
        #expect(room.used == 0)
        #expect(room.peerCount == 0)
        room.add(2000, for: "restored")
        #expect(!room.allows(to: "other"))
        room.giveBackAll()
        #expect(room.allows(to: "other"))
    }

    @Test func `The smallest limits allow one`() {
        var room = SharedRoom<String>(limit: 1)
        #expect(fill(&room, by: "a") == 1)
        #expect(fill(&room, by: "b") == 0)
        var none = SharedRoom<String>(limit: 0)
        #expect(fill(&none, by: "a") == 0)
    }

    @Test func `While every peer may take more, the peers need not be counted`() {
        let share = FairShare(of: 1000)
        for used in 0...1000 where share.allowsAll(used: used) {
            #expect(share.allows(toPeerWith: used, used: used))
            #expect(share.allows(toPeerWith: 0, used: used))
        }
        #expect(share.allowsAll(used: 449))
        #expect(!share.allowsAll(used: 450))
    }
}
