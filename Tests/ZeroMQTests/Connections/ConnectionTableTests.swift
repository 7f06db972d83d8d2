import Monotonic
import Testing

@testable import ZeroMQ

@Suite(.timeLimit(.minutes(5)))
final class ConnectionTableTests {
    private let start = MonotonicInstant.now
    /// Of 1,000 descriptors, 48 are reserved, and 238 connections may wait, 119 of one process.
    private var table = ConnectionTable(DescriptorBudget(limit: 1000, processes: 0))

    private func id(_ descriptor: Int32, cookie: UInt64? = nil) -> ConnectionTable.ID {
        ConnectionTable.ID(descriptor: descriptor, cookie: cookie ?? UInt64(descriptor))
    }

    @discardableResult
    private func accept(
        _ descriptor: Int32, of owner: Int = 1, isPublisher: Bool = false, at time: MonotonicInstant? = nil
    ) -> ConnectionTable.Verdict {
        table.accepted(id(descriptor), of: owner, isPublisher: isPublisher, at: time ?? start)
    }

    private func subscribe(_ descriptor: Int32, to topic: [UInt8], isOn: Bool = true) -> ConnectionTable.ID? {
        table.subscribed(descriptor, to: topic, isOn: isOn, at: start)
    }

    private func receive(_ descriptor: Int32, bytes: Int, after time: Duration = .zero) -> Bool {
        table.received(id(descriptor), bytes: bytes, at: start + time)
    }

    private func silent(after time: Duration) -> [ConnectionTable.ID] {
        table.silent(at: start + time, isOpen: { _ in true })
    }

    @Test func `A connection that says nothing is closed after ten seconds, and counted`() {
        #expect(accept(10) == ConnectionTable.Verdict(isKept: true))
        #expect(silent(after: .milliseconds(9999)) == [])
        #expect(silent(after: .seconds(10)) == [id(10)])
        #expect(table.counts.silent == 1)
        #expect(table.waiting == 0)
        #expect(silent(after: .seconds(60)) == [])
    }

    @Test func `A connection that ends during its handshake with a key is counted, however its end is seen`() {
        for descriptor: Int32 in 10...14 {
            _ = table.accepted(id(descriptor), of: -1, isPublisher: false, hasKeys: true, at: start)
        }
        accept(15, of: -1)
        #expect(table.admitted(id(10)) && !table.admitted(id(11, cookie: 7)))
        for descriptor: Int32 in [10, 11, 15] { table.ended(id(descriptor), at: start) }
        #expect(table.counts.unfinished == 1)
        // libzmq has closed it, and its descriptor is another connection's.
        accept(12)
        #expect(table.counts.unfinished == 2)
        table.broken(id(13), by: .tooMuchUnread, at: start)
        #expect(table.counts.unfinished == 2)
        #expect(table.silent(at: start + .seconds(10), isOpen: { $0.descriptor != 14 }) == [id(12)])
        #expect(table.counts.unfinished == 3)
    }

    @Test func `A peer that was told to wait is silent only from then on`() {
        accept(10)
        table.heard(10, at: start + .seconds(8))
        #expect(silent(after: .seconds(17)) == [])
        #expect(silent(after: .seconds(18)) == [id(10)])
    }

    @Test func `The connection of a link is not closed, and is silent again when the link has ended`() throws {
        accept(10)
        let linked = table.linked(10)
        let connection = try #require(linked)
        #expect(silent(after: .seconds(3600)) == [])
        table.unlinked(connection, at: start + .seconds(4000))
        #expect(silent(after: .seconds(4009)) == [])
        #expect(silent(after: .seconds(4010)) == [id(10)])
    }

    @Test func `A connection keeps its link when that of a dead one with its descriptor ends`() throws {
        accept(10)
        // Both are known by the descriptor alone, whichever hello was read first.
        let first = table.linked(10)
        let second = table.linked(10)
        #expect(first == id(10))
        let connection = try #require(second)
        table.unlinked(connection, at: start)
        #expect(silent(after: .seconds(3600)) == [])
        table.unlinked(connection, at: start + .seconds(4000))
        #expect(silent(after: .seconds(4010)) == [id(10)])
        // It counted as one link: sixteen connections to the publisher, and two more.
        accept(11)
        _ = table.linked(11)
        _ = table.linked(11)
        for descriptor in 20..<38 { #expect(accept(Int32(descriptor), isPublisher: true).isKept) }
        #expect(!accept(40, isPublisher: true).isKept)
    }

    @Test func `A subscriber is not closed, and one that never subscribes is`() {
        accept(10, isPublisher: true)
        accept(11, isPublisher: true)
        accept(12)
        _ = table.linked(12)
        #expect(subscribe(10, to: [1]) == nil)
        #expect(silent(after: .seconds(10)) == [id(11)])
    }

    @Test func `What libzmq has closed itself is not counted`() {
        accept(10)
        let closed = table.silent(at: start + .seconds(10), isOpen: { _ in false })
        #expect(closed == [])
        #expect(table.counts.silent == 0)
        #expect(table.waiting == 0)
    }

    @Test func `The end of a connection does not end the next one with its descriptor`() {
        accept(10)
        table.ended(id(10, cookie: 9), at: start)
        #expect(table.waiting == 1)
        table.ended(id(10), at: start)
        #expect(table.waiting == 0)
    }

    @Test func `One process has half of the places, and takes further ones from itself`() {
        accept(9, of: 2)
        for descriptor in 10..<129 { #expect(accept(Int32(descriptor)).victim == nil) }
        #expect(accept(200) == ConnectionTable.Verdict(isKept: true, victim: id(10)))
        #expect(accept(201, of: 2) == ConnectionTable.Verdict(isKept: true))
        // Links take no places.
        _ = table.linked(11)
        #expect(accept(202) == ConnectionTable.Verdict(isKept: true))
        #expect(accept(203) == ConnectionTable.Verdict(isKept: true, victim: id(12)))
        #expect(table.counts.displaced == 2)
    }

    @Test func `When all places are taken, a newcomer takes that of the connection that was silent longest`() {
        for index in 0..<238 {
            #expect(accept(10 + Int32(index), of: index % 3, at: start + .milliseconds(index)).isKept)
        }
        #expect(!table.isPressed(at: start))
        let verdict = accept(300, of: 4, at: start + .seconds(1))
        #expect(verdict == ConnectionTable.Verdict(isKept: true, victim: id(10)))
        #expect(table.waiting == 238)
        #expect(table.counts.displaced == 1)
        #expect(table.isPressed(at: start + .seconds(60)))
        #expect(!table.isPressed(at: start + .seconds(61)))
    }

    @Test func `The process with the most connections that wait is known, and one of these`() throws {
        #expect(table.greediest?.owner == nil)
        accept(10, of: 2)
        for descriptor in 11..<14 { accept(Int32(descriptor), of: 3) }
        _ = table.linked(11)
        let found = table.greediest
        let greediest = try #require(found)
        #expect(greediest.owner == 3)
        #expect(greediest.waiting == 2)
        #expect(greediest.example == id(12))
    }

    @Test func `No connection takes a reserved descriptor`() {
        #expect(accept(951).isKept)
        #expect(accept(952) == ConnectionTable.Verdict(isKept: false, victim: id(951)))
        #expect(table.counts.reserved == 1)
    }

    @Test func `Beyond sixteen, and two for each link, a process gets no publisher connection`() {
        for descriptor in 10..<26 { #expect(accept(Int32(descriptor), isPublisher: true).isKept) }
        #expect(accept(30, isPublisher: true) == ConnectionTable.Verdict(isKept: false))
        #expect(table.counts.beyondShare == 1)
        #expect(accept(31, of: 2, isPublisher: true).isKept)
        accept(32)
        _ = table.linked(32)
        #expect(accept(33, isPublisher: true).isKept)
        #expect(accept(34, isPublisher: true).isKept)
        #expect(!accept(35, isPublisher: true).isKept)
        table.ended(id(12), at: start)
        #expect(accept(36, isPublisher: true).isKept)
    }

    @Test func `A process that connects to the publisher again and again is refused until some time has passed`() {
        func kept(of owner: Int = 1, after time: Duration = .zero) -> Int {
            (0..<1000).filter { _ in
                let verdict = accept(10, of: owner, isPublisher: true, at: start + time)
                table.ended(id(10), at: start + time)
                return verdict.isKept
            }.count
        }
        #expect(kept() == 32)
        #expect(table.counts.tooOften == 968)
        #expect(kept(of: 2) == 32)
        #expect(kept(after: .seconds(1)) == 8)
        #expect(kept(after: .seconds(60)) == 32)
        // Two more places for a link are four more at once.
        accept(11)
        _ = table.linked(11)
        #expect(kept(after: .seconds(60)) == 4)
    }

    @Test func `Some handshakes of a machine may fail, and those that succeed are not counted`() {
        func tryKeys(_ count: Int, of owner: Int = -1, succeed: Bool = false, after time: Duration = .zero) -> Int {
            (0..<count).count { _ in
                let verdict = table.accepted(id(10), of: owner, isPublisher: false, hasKeys: true, at: start + time)
                if succeed { _ = table.admitted(id(10)) }
                table.ended(id(10), at: start + time)
                return verdict.isKept
            }
        }
        #expect(tryKeys(1000, succeed: true) == 1000)
        #expect(tryKeys(1000) == 128)
        #expect(table.counts.failsTooOften == 872)
        #expect(table.isPressed(at: start))
        #expect(tryKeys(10, succeed: true) == 0)
        #expect(tryKeys(1000, of: -2) == 128)
        #expect(tryKeys(1000, after: .seconds(1)) == 64)
        #expect(tryKeys(1000, after: .seconds(60)) == 128)
        // Without keys there is no handshake to fail.
        #expect(accept(10, of: -1, at: start + .seconds(60)).isKept)
    }

    @Test func `Handshakes that take too long have failed, and a machine waits for half a minute at most`() {
        var table = ConnectionTable(DescriptorBudget(limit: 20_000, processes: 0))
        func begin(_ descriptor: Int, after time: Duration) -> Bool {
            table.accepted(
                id(Int32(descriptor)), of: -1, isPublisher: false, hasKeys: true, at: start + time
            ).isKept
        }
        for descriptor in 10..<2400 { #expect(begin(descriptor, after: .zero)) }
        #expect(table.silent(at: start + .seconds(10), isOpen: { _ in true }).count == 2390)
        #expect(!begin(5000, after: .seconds(10)))
        #expect(!begin(5000, after: .seconds(39)))
        #expect(begin(5000, after: .seconds(41)))
    }

    @Test func `What is remembered of processes that connect to the publisher is bounded`() {
        var counts = RecentCounts()
        for owner in 0..<100_000 {
            let now = start + .milliseconds(owner)
            counts.add(owner, forgetting: 8, at: now)
            #expect(counts.count(of: owner, at: now) == 1)
            #expect(counts.owners <= RecentCounts.maximumOwners)
        }
        // Those that come at once are all remembered, until others come later.
        for owner in 0..<5000 { counts.add(owner, forgetting: 8, at: start + .seconds(200)) }
        #expect(counts.owners >= 5000)
        for owner in 5000..<7000 { counts.add(owner, forgetting: 8, at: start + .seconds(300)) }
        for owner in 7000..<12_000 { counts.add(owner, forgetting: 8, at: start + .seconds(400)) }
        #expect(counts.owners <= 7000)
    }

    @Test func `Beyond sixteen, and two for each link, a new publisher connection of a machine displaces another`() {
        let machine = -7
        accept(9, of: machine)
        let linked = table.linked(9)
        for descriptor in 10..<28 { #expect(accept(Int32(descriptor), of: machine, isPublisher: true).victim == nil) }
        // Those that have subscribed to nothing go first, and then the oldest.
        for descriptor in 10..<28 where descriptor != 15 { #expect(subscribe(Int32(descriptor), to: [1]) == nil) }
        let displacing = accept(30, of: machine, isPublisher: true)
        #expect(displacing == ConnectionTable.Verdict(isKept: true, victim: id(15)))
        #expect(table.counts.beyondShare == 1)
        #expect(subscribe(30, to: [1]) == nil)
        #expect(accept(31, of: machine, isPublisher: true).victim == id(10))
        #expect(accept(32, of: 2, isPublisher: true).victim == nil)
        // The link's connection has ended, and with it two places.
        table.ended(id(9), at: start)
        #expect(linked != nil)
        #expect(accept(33, of: machine, isPublisher: true).victim != nil)
    }

    @Test func `A subscriber of a process without a link is closed after ten seconds`() throws {
        accept(10, isPublisher: true)
        #expect(subscribe(10, to: [1]) == nil)
        #expect(table.waiting == 1)
        // The process gets a link, and loses it.
        accept(11)
        let linked = table.linked(11)
        let connection = try #require(linked)
        #expect(table.waiting == 0)
        #expect(silent(after: .seconds(3600)) == [])
        table.unlinked(connection, at: start + .seconds(4000))
        #expect(silent(after: .seconds(4009)) == [])
        #expect(silent(after: .seconds(4010)) == [id(10), id(11)])
        #expect(table.waiting == 0)
    }

    @Test func `Subscribers whose processes have ended make room for newcomers`() {
        for index in 0..<238 {
            let descriptor = 10 + Int32(index)
            accept(descriptor, of: index, isPublisher: true)
            #expect(subscribe(descriptor, to: [1]) == nil)
        }
        #expect(accept(300, of: 1000) == ConnectionTable.Verdict(isKept: true, victim: id(10)))
        // The connection of a link ends, and its process's subscriber waits.
        _ = table.linked(300)
        accept(301, of: 1000, isPublisher: true)
        #expect(subscribe(301, to: [1]) == nil)
        #expect(table.waiting == 237)
        table.ended(id(300), at: start)
        #expect(table.waiting == 238)
    }

    @Test func `A connection that says hello again and again does not make the table grow`() {
        accept(10)
        accept(11)
        for index in 0..<100_000 { table.heard(11, at: start + .microseconds(index)) }
        #expect(silent(after: .seconds(10)) == [id(10)])
        #expect(silent(after: .seconds(11)) == [id(11)])
    }

    @Test func `What ZeroMQ must not read ends its connection, and is counted with its reason`() {
        for (index, reason) in ConnectionTable.Break.allCases.enumerated() {
            accept(10 + Int32(index))
            table.broken(id(10 + Int32(index)), by: reason, at: start)
            #expect(table.counts.broken[reason] == 1)
        }
        #expect(table.waiting == 0)
        #expect(table.isPressed(at: start))
        // Another connection with the descriptor stays.
        accept(10)
        table.broken(id(10, cookie: 9), by: .severalParts, at: start)
        #expect(table.waiting == 1)
    }

    @Test func `Only a connection without a link is heard, and only that of a link loses it`() throws {
        accept(10)
        let isHeard = table.heard(10, at: start)
        #expect(isHeard != nil)
        let linked = table.linked(10)
        let connection = try #require(linked)
        let isHeardWithLink = table.heard(10, at: start)
        #expect(isHeardWithLink == nil)
        let isUnlinked = table.unlinked(connection, at: start)
        #expect(isUnlinked)
        let isUnlinkedAgain = table.unlinked(connection, at: start)
        #expect(!isUnlinkedAgain)
    }

    // MARK: - Subscriptions

    @Test func `A connection with too many subscriptions is closed and counted`() {
        accept(10, isPublisher: true)
        for number in 0..<64 { #expect(subscribe(10, to: [UInt8(number)]) == nil) }
        // It has this one already.
        #expect(subscribe(10, to: [0]) == nil)
        // What was not subscribed makes no room.
        #expect(subscribe(10, to: [99], isOn: false) == nil)
        #expect(subscribe(10, to: [0], isOn: false) == nil)
        #expect(subscribe(10, to: [64]) == nil)
        #expect(subscribe(10, to: [65]) == id(10))
        #expect(table.counts.greedy == 1)
    }

    @Test func `The topics of a connection have at most 1,024 bytes together`() {
        accept(10, isPublisher: true)
        #expect(subscribe(10, to: [UInt8](repeating: 1, count: 1000)) == nil)
        #expect(subscribe(10, to: [UInt8](repeating: 2, count: 25)) == id(10))
    }

    @Test func `What arrives for the publisher is limited before libzmq reads it`() {
        accept(10, isPublisher: true)
        #expect(receive(10, bytes: 4096))
        #expect(receive(10, bytes: 128, after: .seconds(1)))
        #expect(!receive(10, bytes: 1, after: .seconds(1)))
        #expect(table.counts.greedy == 1)
        // Heartbeats may arrive for ever.
        accept(11, isPublisher: true)
        for second in 0..<10_000 { #expect(receive(11, bytes: 11, after: .seconds(second))) }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct DescriptorBudgetTests {
    @Test(arguments: [128, 200, 256, 1024, 4096, 20_000, 1 << 20, 1 << 30])
    func `All parts fit into the limit`(limit: Int) {
        for processes in [0, 1, 4, 16, 30] {
            let budget = DescriptorBudget(limit: limit, processes: processes)
            guard budget.isEnough else { continue }
            #expect(budget.reserve >= 32)
            #expect(budget.waiting >= 16)
            #expect(2 * budget.maximumLinks + budget.reserve <= limit)
            // The processes and 16 operators have links, too.
            if limit >= 1024 { #expect(2 * (budget.maximumLinks + processes + 16) + budget.reserve <= limit) }
        }
    }
}
