@testable import Hub
import Bus
import CBOR
import CoordinatorKit
import Testing

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct OnceTableTests {
    private let key = RequestKey(peer: "wall", id: MessageID(high: 1, low: 2))
    private let waiter = OnceTable.Waiter(link: 1, id: 9, session: "s")
    /// The sender of a copy that arrives after a reconnect.
    private let later = OnceTable.Waiter(link: 2, id: 9, session: "s")

    private var request: Frame {
        var frame = Frame(.request)
        frame.name = "orderPlace"
        return frame
    }

    private var reply: Frame {
        var frame = Frame(.reply)
        frame.payload = [1]
        return frame
    }

    private struct Failed: Error {}

    private func words(_ actions: [OnceTable.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .write: "write"
            case .handOn(_, _, let link): "hand on from \(link)"
            case .delete: "delete"
            case .writeReply: "write reply"
            case .answer(let waiter, _): "answer \(waiter.link)"
            case .answerFromRecord(let waiter, _, _): "answer \(waiter.link) from record"
            case .fail(let waiter, let error):
                "fail \(waiter.link) \(error.code.rawValue)\(error.mayHaveBeenHandled ? " maybe" : "")"
            case .forget(let time): "forget before \(time)"
            case .redate(let times, let time): "redate those outside \(times) to \(time)"
            }
        }
    }

    @Test func `A request is recorded before it is handed on, and its reply before it is sent`() {
        var table = OnceTable()
        #expect(words(table.received(request, key: key, from: waiter, timeLeft: 10, at: 100)) == ["write"])
        #expect(words(table.written(key, error: nil)) == ["hand on from 1"])
        #expect(words(table.ended(key, with: reply)) == ["write reply"])
        #expect(words(table.replyWritten(key, error: nil)) == ["answer 1"])
    }

    @Test func `A copy is never handed on, whenever it arrives`() {
        var table = OnceTable()
        _ = table.received(request, key: key, from: waiter, timeLeft: 10, at: 100)
        #expect(words(table.received(request, key: key, from: later, timeLeft: 10, at: 100)) == [])
        _ = table.written(key, error: nil)
        #expect(words(table.received(request, key: key, from: later, timeLeft: 10, at: 100)) == [])
        _ = table.ended(key, with: reply)
        #expect(words(table.received(request, key: key, from: later, timeLeft: 10, at: 100)) == [])
        // Only the sender of the newest copy still waits for the reply.
        #expect(words(table.replyWritten(key, error: nil)) == ["answer 2"])
        #expect(
            words(table.received(request, key: key, from: waiter, timeLeft: 10, at: 100)) == ["answer 1 from record"])
    }

    @Test func `A request that cannot be recorded is not handed on`() {
        var table = OnceTable()
        _ = table.received(request, key: key, from: waiter, timeLeft: 10, at: 100)
        #expect(words(table.written(key, error: Failed())) == ["fail 1 overloaded"])
        // Nothing was handled, so the request may be sent again.
        #expect(words(table.received(request, key: key, from: waiter, timeLeft: 10, at: 100)) == ["write"])
    }

    @Test func `A withdrawn request leaves no record, and a copy of it is a new request`() {
        var table = OnceTable(limits: .init(window: 60))
        _ = table.received(request, key: key, from: waiter, timeLeft: 10, at: 100)
        #expect(table.has(key))
        #expect(words(table.withdrawn(key)) == [])
        _ = table.written(key, error: nil)
        #expect(words(table.withdrawn(key)) == ["delete"])
        #expect(!table.has(key))
        #expect(words(table.ended(key, with: reply)) == [])
        #expect(words(table.received(request, key: key, from: later, timeLeft: 10, at: 105)) == ["write"])
        #expect(words(table.written(key, error: nil)) == ["hand on from 2"])
        _ = table.ended(key, with: reply)
        _ = table.replyWritten(key, error: nil)
        // The record is kept for its own window, not for that of the earlier one.
        #expect(words(table.expire(at: 231)) == [])
        #expect(
            words(table.received(request, key: key, from: waiter, timeLeft: 1, at: 235)) == ["answer 1 from record"])
        #expect(words(table.expire(at: 236)) == ["forget before 106"])
        #expect(table.count == 0)
        #expect(table.nextExpiry(at: 236) == nil)
    }

    @Test func `A large batch of requests that cannot be recorded leaves nothing behind`() {
        var table = OnceTable(limits: .init(window: 60))
        let keys = (1...50_000).map { RequestKey(peer: "wall", id: MessageID(high: 1, low: $0)) }
        for round in 0..<3 as Range<Int64> {
            for key in keys { _ = table.received(request, key: key, from: waiter, timeLeft: 10, at: 100 + round) }
            for key in keys { _ = table.written(key, error: Failed()) }
            #expect(table.count == 0)
            #expect(table.orderCount <= 64)
        }
    }

    @Test func `A reply with a secret goes to its sender, and a failure is recorded in its place`() throws {
        var table = OnceTable()
        var secret = reply
        secret.payload = try CBOREncoder().encode(["token": Secret("difference")])[...]
        _ = table.received(request, key: key, from: waiter, timeLeft: 10, at: 100)
        _ = table.written(key, error: nil)
        guard case .writeReply(_, let kept) = table.ended(key, with: secret).first else {
            Issue.record("nothing is recorded")
            return
        }
        #expect(kept.kind == .failure)
        let error = try kept.decodePayload(as: FailureEncoding.self).error as? MessageError
        #expect(error?.code == .peerLost && error?.mayHaveBeenHandled == true)
        #expect(table.bytes == Frame.headerSize + kept.payload.count)
        guard case .answer(_, let sent) = table.replyWritten(key, error: nil).first else {
            Issue.record("nothing is sent")
            return
        }
        #expect(sent.payload == secret.payload)
    }

    @Test func `If a reply cannot be recorded, the request and its copies fail as perhaps handled`() {
        var table = OnceTable()
        _ = table.received(request, key: key, from: waiter, timeLeft: 10, at: 100)
        _ = table.written(key, error: nil)
        _ = table.ended(key, with: reply)
        #expect(words(table.replyWritten(key, error: Failed())) == ["fail 1 peerLost maybe"])
        #expect(
            words(table.received(request, key: key, from: later, timeLeft: 10, at: 100)) == ["fail 2 peerLost maybe"])
    }

    @Test func `After a host crash, a copy gets the recorded reply or fails as perhaps handled`() {
        var table = OnceTable()
        #expect(table.restore([restored(key, at: 90, hasReply: true)], at: 95).isEmpty)
        #expect(
            words(table.received(request, key: key, from: later, timeLeft: 10, at: 100)) == ["answer 2 from record"])
        let other = RequestKey(peer: "wall", id: MessageID(high: 1, low: 3))
        #expect(table.restore([restored(other, at: 90, hasReply: false)], at: 95).isEmpty)
        #expect(
            words(table.received(request, key: other, from: later, timeLeft: 10, at: 100)) == ["fail 2 peerLost maybe"])
    }

    @Test func `Records are forgotten after the window, and a request may not wait for longer than that`() {
        var table = OnceTable(limits: .init(window: 60, count: 10))
        #expect(words(table.received(request, key: key, from: waiter, timeLeft: 61, at: 100)) == ["fail 1 malformed"])
        _ = table.received(request, key: key, from: waiter, timeLeft: 60, at: 100)
        _ = table.written(key, error: nil)
        _ = table.ended(key, with: reply)
        _ = table.replyWritten(key, error: nil)
        #expect(words(table.received(request, key: key, from: later, timeLeft: 1, at: 225)) == ["answer 2 from record"])
        let other = RequestKey(peer: "wall", id: MessageID(high: 1, low: 3))
        #expect(
            words(table.received(request, key: other, from: waiter, timeLeft: 1, at: 231)) == [
                "forget before 101", "write",
            ])
        #expect(table.count == 1)
    }

    @Test func `Peers of one key have one share, whatever their names`() {
        var table = OnceTable(limits: .init(window: 60, count: 100))
        func receive(_ number: UInt64, share: String?) -> [String] {
            let key = RequestKey(peer: "wall-\(number)", id: MessageID(high: 1, low: number))
            return words(table.received(request, key: key, share: share, from: waiter, timeLeft: 9, at: 100))
        }
        var recorded = 0
        for number in 0..<200 where receive(UInt64(number), share: "key wall") == ["write"] { recorded += 1 }
        #expect(recorded > 0 && recorded < 100)
        // The others have theirs.
        #expect(receive(1000, share: "key hall") == ["write"])
        #expect(receive(1001, share: nil) == ["write"])
    }

    @Test func `A copy finds its record until the latest deadline that a host accepts`() {
        var table = OnceTable(limits: .init(window: 5))
        _ = table.received(request, key: key, from: waiter, timeLeft: 5, at: 100)
        _ = table.written(key, error: nil)
        _ = table.ended(key, with: reply)
        _ = table.replyWritten(key, error: nil)
        // A host accepts deadlines up to this long after the window.
        let last = 100 + 5 + RequestRouter.clockMargin.components.seconds
        #expect(words(table.expire(at: last)) == [])
        #expect(
            words(table.received(request, key: key, from: later, timeLeft: 1, at: last)) == ["answer 2 from record"])
    }

    @Test func `A request in flight stays on record until it ends, even beyond the window`() {
        var table = OnceTable(limits: .init(window: 60, count: 10))
        _ = table.received(request, key: key, from: waiter, timeLeft: 60, at: 100)
        _ = table.written(key, error: nil)
        let done = RequestKey(peer: "wall", id: MessageID(high: 1, low: 3))
        _ = table.received(request, key: done, from: waiter, timeLeft: 60, at: 101)
        _ = table.written(done, error: nil)
        _ = table.ended(done, with: reply)
        _ = table.replyWritten(done, error: nil)
        let other = RequestKey(peer: "wall", id: MessageID(high: 1, low: 4))
        #expect(
            words(table.received(request, key: other, from: waiter, timeLeft: 1, at: 260)) == [
                "forget before 100", "write",
            ])
        #expect(words(table.received(request, key: key, from: later, timeLeft: 1, at: 261)) == [])
        #expect(words(table.ended(key, with: reply)) == ["write reply"])
        #expect(words(table.replyWritten(key, error: nil)) == ["answer 2"])
        #expect(
            words(table.received(request, key: done, from: waiter, timeLeft: 1, at: 262)) == [
                "forget before 132", "write",
            ])
    }

    private func restored(_ key: RequestKey, at time: Int64, hasReply: Bool) -> OnceTable.Restored {
        OnceTable.Restored(key: key, message: "orderPlace", time: time, replySize: hasReply ? 100 : nil)
    }

    @Test(arguments: [9999, 160] as [Int64])
    func `A record with an impossible time is kept for one window from now`(time: Int64) {
        var table = OnceTable(limits: .init(window: 60, count: 10))
        let young = RequestKey(peer: "wall", id: MessageID(high: 1, low: 3))
        let old = [restored(key, at: time, hasReply: true), restored(young, at: 290, hasReply: true)]
        #expect(words(table.restore(old, at: 300)) == ["redate those outside 170...300 to 300"])
        #expect(words(table.received(request, key: key, from: later, timeLeft: 1, at: 420)) == ["answer 2 from record"])
        #expect(
            words(table.received(request, key: young, from: later, timeLeft: 1, at: 421)) == [
                "forget before 291", "write",
            ])
        #expect(words(table.received(request, key: key, from: later, timeLeft: 1, at: 425)) == ["answer 2 from record"])
        #expect(
            words(table.received(request, key: key, from: later, timeLeft: 1, at: 431)).first == "forget before 301")
    }

    @Test func `A request that is cancelled before it is recorded is not handed on`() {
        var table = OnceTable()
        _ = table.received(request, key: key, from: waiter, timeLeft: 10, at: 100)
        table.cancelled(key)
        #expect(words(table.written(key, error: nil)) == ["write reply"])
        #expect(words(table.replyWritten(key, error: nil)) == ["answer 1"])
    }

    @Test func `A request that is cancelled and sent again before it is recorded is handed on`() {
        var table = OnceTable()
        _ = table.received(request, key: key, from: waiter, timeLeft: 10, at: 100)
        table.cancelled(key)
        #expect(words(table.received(request, key: key, from: later, timeLeft: 10, at: 100)) == [])
        #expect(words(table.written(key, error: nil)) == ["hand on from 1"])
    }

    @Test func `When a copy arrives on the same link, the earlier request fails as perhaps handled`() {
        var table = OnceTable()
        _ = table.received(request, key: key, from: waiter, timeLeft: 10, at: 100)
        let again = OnceTable.Waiter(link: 1, id: 10, session: "s")
        #expect(
            words(table.received(request, key: key, from: again, timeLeft: 10, at: 100)) == ["fail 1 peerLost maybe"])
    }

    @Test func `The bytes of replies are bounded, and a reply without room is sent but not recorded`() {
        var table = OnceTable(limits: .init(window: 60, bytes: 2000))
        var large = reply
        large.payload = Array(repeating: 7, count: 1400)[...]
        let keys = (1...4).map { RequestKey(peer: "wall", id: MessageID(high: 1, low: $0)) }
        func handOn(_ key: RequestKey, at time: Int64) {
            #expect(words(table.received(request, key: key, from: waiter, timeLeft: 1, at: time)) == ["write"])
            _ = table.written(key, error: nil)
        }
        for key in keys[..<3] { handOn(key, at: 100) }
        #expect(words(table.ended(keys[0], with: large)) == ["write reply"])
        #expect(words(table.replyWritten(keys[0], error: nil)) == ["answer 1"])
        #expect(table.bytes == Frame.headerSize + 1400)
        #expect(words(table.ended(keys[1], with: large)) == ["answer 1"])
        #expect(
            words(table.received(request, key: keys[1], from: later, timeLeft: 1, at: 100)) == ["fail 2 peerLost maybe"]
        )
        #expect(
            words(table.received(request, key: keys[3], from: waiter, timeLeft: 1, at: 100)) == ["fail 1 overloaded"])
        // A reply that could not be written takes no room, and a removed record returns its room.
        let other = RequestKey(peer: "door", id: MessageID(high: 1, low: 1))
        handOn(other, at: 100)
        #expect(words(table.ended(other, with: reply)) == ["write reply"])
        #expect(table.bytes == 2 * Frame.headerSize + 1401)
        #expect(words(table.replyWritten(other, error: Failed())) == ["fail 1 peerLost maybe"])
        #expect(table.bytes == Frame.headerSize + 1400)
        #expect(words(table.ended(keys[2], with: reply)) == ["answer 1"])
        #expect(words(table.expire(at: 231)) == ["forget before 101"])
        #expect(table.bytes == 0)
        handOn(keys[3], at: 231)
    }

    @Test func `Recorded replies of earlier hosts count toward the limit`() {
        var table = OnceTable(limits: .init(window: 60, bytes: 100))
        _ = table.restore([restored(key, at: 90, hasReply: true)], at: 95)
        let other = RequestKey(peer: "wall", id: MessageID(high: 1, low: 3))
        #expect(words(table.received(request, key: other, from: waiter, timeLeft: 1, at: 100)) == ["fail 1 overloaded"])
    }

    @Test func `The next expiry is known even when no other request arrives`() {
        var table = OnceTable(limits: .init(window: 60))
        #expect(table.nextExpiry(at: 100) == nil)
        _ = table.received(request, key: key, from: waiter, timeLeft: 10, at: 100)
        #expect(table.nextExpiry(at: 100) == 231)
        // A request that is still in flight is checked again later, and stays.
        #expect(table.expire(at: 231).isEmpty)
        #expect(table.nextExpiry(at: 231) == 241)
        _ = table.written(key, error: nil)
        _ = table.ended(key, with: reply)
        _ = table.replyWritten(key, error: nil)
        #expect(words(table.expire(at: 241)) == ["forget before 111"])
        #expect(table.count == 0)
        #expect(table.nextExpiry(at: 241) == nil)
    }

    @Test func `Many records are forgotten in parts`() {
        var table = OnceTable(limits: .init(window: 60))
        _ = table.restore(
            (0..<2500).map {
                restored(RequestKey(peer: "wall", id: MessageID(high: 2, low: $0)), at: 100, hasReply: true)
            }, at: 110)
        #expect(words(table.expire(at: 231)) == ["forget before 100"])
        #expect(table.count == 1500)
        #expect(table.nextExpiry(at: 231) == 231)
        _ = table.expire(at: 231)
        #expect(words(table.expire(at: 231)) == ["forget before 101"])
        #expect(table.count == 0)
    }

    @Test func `The number of records is bounded`() {
        var table = OnceTable(limits: .init(window: 60, count: 1))
        _ = table.received(request, key: key, from: waiter, timeLeft: 1, at: 100)
        let other = RequestKey(peer: "wall", id: MessageID(high: 1, low: 3))
        #expect(words(table.received(request, key: other, from: waiter, timeLeft: 1, at: 100)) == ["fail 1 overloaded"])
    }

    // MARK: - Shares

    /// Lets a peer have requests recorded until one is refused.
    private func fill(_ table: inout OnceTable, by peer: String, high: UInt64) -> Int {
        var count = 0
        while true {
            let key = RequestKey(peer: peer, id: MessageID(high: high, low: UInt64(count)))
            let actions = table.received(request, key: key, from: waiter, timeLeft: 1, at: 100)
            guard words(actions) == ["write"] else { return count }
            count += 1
        }
    }

    @Test func `A peer that fills the records leaves room for others, also when it has left and after a restart`() {
        var table = OnceTable(limits: .init(window: 60, count: 10_000))
        let filled = fill(&table, by: "filler", high: 1)
        #expect(filled == 4500)
        #expect(words(table.received(request, key: key, from: waiter, timeLeft: 1, at: 100)) == ["write"])
        var next = OnceTable(limits: .init(window: 60, count: 10_000))
        _ = next.restore(
            (0..<filled).map {
                restored(RequestKey(peer: "filler", id: MessageID(high: 1, low: UInt64($0))), at: 100, hasReply: false)
            }, at: 100)
        #expect(fill(&next, by: "filler", high: 2) == 0)
        #expect(fill(&next, by: "door", high: 3) == 2250)
        // What has expired counts no more.
        while !next.expire(at: 231).isEmpty {}
        #expect(fill(&next, by: "filler", high: 4) == 3375)
    }

    @Test func `A peer whose names change does not fill the records for a newcomer`() {
        var table = OnceTable(limits: .init(window: 60, count: 10_000))
        for life in 1...50 { _ = fill(&table, by: "filler \(life)", high: UInt64(life)) }
        #expect(fill(&table, by: "newcomer", high: 99) == 10)
    }

    @Test func `The replies to one peer leave room for those to others`() {
        var table = OnceTable(limits: .init(window: 60, bytes: 100_000))
        var large = reply
        large.payload = Array(repeating: 7, count: 1000)[...]
        var low: UInt64 = 0
        func answer(_ peer: String) -> [String] {
            low += 1
            let key = RequestKey(peer: peer, id: MessageID(high: 5, low: low))
            let actions = table.received(request, key: key, from: waiter, timeLeft: 1, at: 100)
            guard words(actions) == ["write"] else { return words(actions) }
            _ = table.written(key, error: nil)
            return words(table.ended(key, with: large))
        }
        while answer("filler") == ["write reply"] {}
        #expect(table.bytes > 40_000 && table.bytes < 50_000)
        #expect(answer("door") == ["write reply"])
    }
}
