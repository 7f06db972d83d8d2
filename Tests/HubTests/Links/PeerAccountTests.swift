import Testing
import ZeroMQ

@testable import Hub

@Suite(.timeLimit(.minutes(5)))
struct PeerAccountTests {
    @Test func `All reasons together have one limit`() {
        var account = PeerAccount(limit: 100)
        for reason in PeerAccount.Reason.allCases { #expect(account.keep(15, for: reason) == true) }
        #expect(account.total == 15 * PeerAccount.Reason.allCases.count)
        #expect(account.keep(41, for: .replies) == false)
        #expect(account.limit(for: .entries) == 55)
        #expect(account.keep(40, for: .entries) == true)
        #expect(account.keep(1, for: .hello) == false)
        account.release(15, for: .requests)
        #expect(account.keep(15, for: .replies) == true)
        account.set(0, for: .entries)
        #expect(account.total == 45)
        #expect(account[.replies] == 30)
    }

    @Test func `An ended link's connection is remembered, and the oldest of too many is forgotten`() {
        var ended = EndedLinks(maximumCount: 3)
        for number in 1...4 as ClosedRange<UInt8> { ended.add(RoutingID([number]), unread: UInt64(number)) }
        ended.add(RoutingID([4]), unread: 40)
        let unread = (1...4 as ClosedRange<UInt8>).map { ended.unread(on: RoutingID([$0])) }
        #expect(unread == [0, 2, 3, 40])
    }
}
