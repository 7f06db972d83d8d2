import Bus
import Testing

@testable import PeerLink

@Suite(.timeLimit(.minutes(5)))
struct RequestQueueTests {
    private typealias Queue = RequestQueue<String>

    private let start = MonotonicInstant.now
    private var queue = Queue()

    /// Makes a request of the named caller.
    private func request(
        _ caller: String, session: String = "", survivesLink: Bool = false, size: Int = 100, seconds: Int = 10
    ) -> Queue.Request {
        var frame = Frame(.request)
        frame.name = "ask"
        frame.payload = ArraySlice(repeating: 0, count: size)
        return Queue.Request(
            message: "ask", caller: caller, session: session, deadline: start + .seconds(seconds),
            survivesLink: survivesLink, bytes: frame.encoded())
    }

    /// Sends the waiting requests and returns their callers.
    private mutating func sendAll(fitting size: Int = .max) -> [String] {
        var sent: [String] = []
        while let (_, request) = queue.next(fitting: { $0 <= size }) { sent.append(request.caller) }
        return sent
    }

    private func end(_ id: UInt64) -> Frame {
        var frame = Frame(.reply)
        frame.id = id
        return frame
    }

    // MARK: - Waiting

    @Test("Waiting requests are sent in order, each once")
    mutating func order() {
        for caller in ["a", "b", "c"] { _ = queue.addWaiting(request(caller)) }
        #expect(queue.unsentCount == 3)
        #expect(queue.hasQueued)
        let sent = sendAll()
        #expect(sent == ["a", "b", "c"])
        #expect(queue.inFlight == 3)
        #expect(queue.unsentCount == 0)
        let again = sendAll()
        #expect(again == [])
    }

    @Test("A request that does not fit waits, and no other request overtakes it")
    mutating func fitting() {
        _ = queue.addWaiting(request("large", size: 1000))
        _ = queue.addWaiting(request("small", size: 10))
        let none = sendAll(fitting: 500)
        #expect(none == [])
        let both = sendAll()
        #expect(both == ["large", "small"])
    }

    @Test("Waiting requests are limited in number and in bytes")
    mutating func room() {
        let size = request("a").bytes.count
        let first = queue.addWaiting(request("a"))
        #expect(queue.hasRoom(for: size, maximum: 2 * size))
        #expect(!queue.hasRoom(for: size + 1, maximum: 2 * size))
        _ = queue.remove(first)
        #expect(queue.hasRoom(for: 2 * size, maximum: 2 * size))
        // A sent request needs no room, unless it survives the link.
        _ = queue.addSent(request("b"))
        _ = queue.addWaiting(request("c"))
        _ = sendAll()
        #expect(queue.hasRoom(for: 2 * size, maximum: 2 * size))
        let sent = queue.addSent(request("d", survivesLink: true))
        let waiting = queue.addWaiting(request("e", survivesLink: true))
        _ = sendAll()
        #expect(!queue.hasRoom(for: 1, maximum: 2 * size))
        _ = queue.linkLost()
        #expect(!queue.hasRoom(for: 1, maximum: 2 * size))
        #expect(queue.hasRoom(for: 1, maximum: 2 * size + 1))
        for id in [sent, waiting] { _ = queue.remove(id) }
        #expect(queue.hasRoom(for: 2 * size, maximum: 2 * size))
    }

    @Test("Requests that end while they wait are skipped, and free their places and bytes")
    mutating func ended() {
        let ids = (0..<500).map { queue.addWaiting(request("\($0)")) }
        for (number, id) in ids.enumerated() where number % 5 > 0 {
            let removed = queue.remove(id)
            #expect(removed?.caller == "\(number)")
            #expect(removed?.mayHaveBeenHandled == false)
        }
        #expect(queue.unsentCount == 100)
        #expect(queue.remove(ids[1])?.caller == nil)
        let sent = sendAll()
        #expect(sent == stride(from: 0, to: 500, by: 5).map { "\($0)" })
        #expect(!queue.hasQueued)
        #expect(queue.hasRoom(for: 1000, maximum: 1000))
    }

    // MARK: - Ends

    @Test("A request returns its credit, however it ends")
    mutating func credits() {
        let replied = queue.addSent(request("replied"))
        let cancelled = queue.addSent(request("cancelled"))
        _ = queue.addSent(request("expired", seconds: 1))
        let held = queue.addSent(request("held"))
        #expect(queue.inFlight == 4)
        #expect(queue.remove(replied)?.isOnItsWay == true)
        #expect(queue.inFlight == 3)
        #expect(queue.remove(cancelled)?.mayHaveBeenHandled == true)
        #expect(queue.inFlight == 2)
        let expired = queue.removeExpired(at: start + .seconds(2))
        #expect(expired.map(\.request.caller) == ["expired"])
        #expect(expired.map(\.request.isOnItsWay) == [true])
        #expect(queue.inFlight == 1)
        hold(held)
        _ = queue.remove(held)
        #expect(queue.inFlight == 0)
        #expect(queue.count == 0)
    }

    @Test("A request that expires while it waits is not sent, and the next one is")
    mutating func expiredWaiting() {
        _ = queue.addWaiting(request("late", seconds: 1))
        _ = queue.addWaiting(request("early"))
        let expired = queue.removeExpired(at: start + .seconds(1))
        #expect(expired.map(\.request.caller) == ["late"])
        #expect(expired.map(\.request.mayHaveBeenHandled) == [false])
        #expect(queue.inFlight == 0)
        let sent = sendAll()
        #expect(sent == ["early"])
    }

    @Test("An early reply is held once, for a known request, and released once, with the revision to which it refers")
    mutating func held() {
        let id = queue.addSent(request("a"))
        #expect(queue.awaits(end(id)))
        #expect(!queue.awaits(end(id + 1 << 24)))
        hold(id, revision: 5)
        #expect(!queue.awaits(end(id)))
        #expect(queue.hasHeldEnds)
        let waiting = queue.addWaiting(request("b"))
        #expect(!queue.awaits(end(waiting)))
        let later = queue.addSent(request("c"))
        hold(later, revision: 7)
        for (revision, expected) in [(4, []), (6, [id]), (7, [later])] as [(UInt64, [UInt64])] {
            let released = queue.releaseEnds(at: revision)
            #expect(released.map(\.id) == expected)
        }
        #expect(!queue.hasHeldEnds)
        // It may end now.
        #expect(queue.awaits(end(id)))
    }

    @Test("Held replies are bounded in bytes, which their releases, ends and the loss of the link free")
    mutating func heldBytes() {
        let ids = (0..<4).map { queue.addSent(request("\($0)")) }
        hold(ids[0], size: 60)
        hold(ids[1], size: 41, fits: false)
        hold(ids[1], size: 40)
        _ = queue.remove(ids[0])
        hold(ids[2], size: 60)
        _ = queue.releaseEnds(at: .max)
        hold(ids[2], size: 100)
        _ = queue.linkLost()
        hold(queue.addSent(request("next")), size: 100)
    }

    private mutating func hold(_ id: UInt64, revision: UInt64 = 1, size: Int = 0, fits: Bool = true) {
        var end = end(id)
        end.revision = revision
        end.payload = [UInt8](repeating: 0, count: size)[...]
        let isHeld = queue.hold(end, maximum: 100)
        #expect(isHeld == fits)
    }

    @Test("The held reply of a cancelled request is dropped")
    mutating func heldAndCancelled() {
        let id = queue.addSent(request("a"))
        hold(id)
        _ = queue.remove(id)
        #expect(!queue.hasHeldEnds)
    }

    // MARK: - Links

    @Test("When the link is lost, resendable requests go before all waiting ones, in order and as copies")
    mutating func again() throws {
        for caller in ["first", "second"] { _ = queue.addSent(request(caller, survivesLink: true)) }
        _ = queue.addSent(request("once"))
        _ = queue.addWaiting(request("waiting"))
        let ended = queue.linkLost()
        #expect(ended.map(\.caller) == ["once"])
        #expect(ended.map(\.mayHaveBeenHandled) == [true])
        #expect(queue.inFlight == 0)
        #expect(queue.unsentCount == 3)
        var sent: [(caller: String, isCopy: Bool)] = []
        while let (_, request) = queue.next(fitting: { _ in true }) {
            sent.append((request.caller, try Frame(request.bytes).flags.contains(.copy)))
        }
        #expect(sent.map(\.caller) == ["first", "second", "waiting"])
        #expect(sent.map(\.isCopy) == [true, true, false])
        #expect(queue.inFlight == 3)
    }

    @Test("A request that was sent on an earlier link may have been handled, even while it waits for the next")
    mutating func mayHaveBeenHandled() {
        let id = queue.addSent(request("a", survivesLink: true))
        _ = queue.linkLost()
        let request = queue.remove(id)
        #expect(request?.isOnItsWay == false)
        #expect(request?.mayHaveBeenHandled == true)
        #expect(queue.hasRoom(for: 100, maximum: 100))
    }

    @Test("A held reply of an earlier link is not released on the next")
    mutating func heldAcrossLinks() {
        let id = queue.addSent(request("a", survivesLink: true))
        hold(id)
        _ = queue.linkLost()
        #expect(!queue.hasHeldEnds)
        let sent = sendAll()
        #expect(sent == ["a"])
        #expect(queue.awaits(end(id)))
    }

    @Test("A request that is resent and lost again is sent a third time")
    mutating func thrice() {
        _ = queue.addSent(request("a", survivesLink: true))
        for _ in 0..<3 {
            let ended = queue.linkLost()
            #expect(ended.isEmpty)
            let sent = sendAll()
            #expect(sent == ["a"])
            #expect(queue.inFlight == 1)
        }
    }

    @Test("After all requests are removed nothing is left, and no id is reused")
    mutating func removeAll() {
        let first = queue.addSent(request("sent"))
        queue.suspend("s")
        _ = queue.addWaiting(request("waiting"))
        _ = queue.addWaiting(request("suspended", session: "s"))
        let all = queue.removeAll()
        #expect(all.map(\.caller) == ["sent", "waiting", "suspended"])
        #expect(queue.count == 0)
        #expect(queue.inFlight == 0)
        #expect(!queue.isSuspended("s"))
        #expect(queue.addSent(request("next")) != first)
    }

    // MARK: - Sessions

    @Test("Requests of a suspended session wait, and those of other sessions do not")
    mutating func suspended() {
        queue.suspend("s")
        _ = queue.addWaiting(request("of s", session: "s"))
        _ = queue.addWaiting(request("of another", session: "t"))
        _ = queue.addWaiting(request("of none"))
        let others = sendAll()
        #expect(others == ["of another", "of none"])
        queue.resume("s")
        let rest = sendAll()
        #expect(rest == ["of s"])
    }

    @Test("Suspending a session keeps its waiting requests in order")
    mutating func suspendedWhileWaiting() {
        for caller in ["1", "2"] { _ = queue.addWaiting(request(caller, session: "s")) }
        queue.suspend("s")
        let none = sendAll()
        #expect(none == [])
        _ = queue.addWaiting(request("3", session: "s"))
        queue.resume("s")
        let all = sendAll()
        #expect(all == ["1", "2", "3"])
    }

    @Test("A request that was on its way stays ahead of those that its session adds while the link is lost")
    mutating func suspendedWithTheLink() {
        var first = request("1", session: "s")
        first.survivesLink = true
        _ = queue.addSent(first)
        _ = queue.linkLost()
        queue.suspend("s")
        _ = queue.addWaiting(request("2", session: "s"))
        let none = sendAll()
        #expect(none == [])
        queue.resume("s")
        let all = sendAll()
        #expect(all == ["1", "2"])
    }

    @Test("Revoking a session ends its unsent requests, and no others")
    mutating func revoked() {
        queue.suspend("s")
        _ = queue.addWaiting(request("1", session: "s"))
        let ended = queue.addWaiting(request("2", session: "s"))
        _ = queue.addWaiting(request("other", session: "t"))
        _ = queue.remove(ended)
        let revoked = queue.revoke("s")
        #expect(revoked.map(\.caller) == ["1"])
        #expect(revoked.map(\.mayHaveBeenHandled) == [false])
        #expect(!queue.isSuspended("s"))
        #expect(queue.unsentCount == 1)
        let sent = sendAll()
        #expect(sent == ["other"])
    }

    @Test("Revoking a session that was not suspended ends its waiting requests")
    mutating func revokedWhileWaiting() {
        _ = queue.addWaiting(request("1", session: "s"))
        _ = queue.addWaiting(request("other"))
        let revoked = queue.revoke("s")
        #expect(revoked.map(\.caller) == ["1"])
        let sent = sendAll()
        #expect(sent == ["other"])
    }

    @Test("A request of a suspended session that does not fit is not in the way of others")
    mutating func suspendedAndLarge() {
        var large = request("large", session: "s")
        large.bytes = Array(repeating: 0, count: 1000)
        _ = queue.addWaiting(large)
        _ = queue.addWaiting(request("small"))
        queue.suspend("s")
        let sent = queue.next { $0 < 1000 }
        #expect(sent?.request.caller == "small")
    }

    @Test("Suspending a session twice loses no request")
    mutating func suspendedTwice() {
        queue.suspend("s")
        _ = queue.addWaiting(request("1", session: "s"))
        queue.suspend("s")
        queue.resume("s")
        let sent = sendAll()
        #expect(sent == ["1"])
    }
}
