import Bus
import TestKit
import Testing

@testable import Hub
@testable import ZeroMQ

/// Peers whose frames have arrived and are not handled yet, because a message of theirs is paused.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct UnreadPeerTests {
    /// The handling of a peer's message that pauses until it is released.
    @MainActor
    private final class Pause {
        private let hub: Hub
        var isReleased = false

        /// Pauses the message that the hub has received last.
        init(_ hub: Hub) {
            self.hub = hub
            again()
        }

        /// Pauses the message that the hub has received last, too.
        func again() {
            guard !isReleased else { return }
            hub.bus?.continueLater { self.again() }
        }
    }

    @Test("A peer whose message is paused is not silent, and learns that the hub is not silent either")
    func excused() async throws {
        try await withHub { live in
            // However late the ticks are.
            live.hub.backlog = Backlog(heartbeat: .seconds(3600), now: .now)
            let (raw, link) = try await live.attach("busy")
            let pause = Pause(live.hub)
            let start = MonotonicInstant.now
            link.traffic.liveness = Liveness(interval: Hub.heartbeat, now: start)
            for second in 1...30 { live.hub.tick(at: start + .seconds(second)) }
            #expect(link.isAttached)
            for _ in 1...30 { try await raw.nextUnsolicitedHeartbeat() }
            pause.isReleased = true
            try await live.until("the message is handled") { !live.hub.isPaused(link) }
            while live.hub.bus?.hasUnread == true { await Task.yield() }
            for second in 31...40 { live.hub.tick(at: start + .seconds(second)) }
            #expect(!link.isAttached)
        }
    }

    @Test("A peer without reports is not stuck while its message is paused, but is afterwards")
    func stuck() async throws {
        try await withHub { live in
            live.hub.backlog = Backlog(heartbeat: .seconds(3600), now: .now)
            let (_, link) = try await live.attach("busy")
            let pause = Pause(live.hub)
            let start = MonotonicInstant.now
            link.traffic.sendWindow = SendWindow()
            link.traffic.sendWindow.sent(100, at: start)
            live.hub.tick(at: start + .seconds(600))
            #expect(link.isAttached)
            pause.isReleased = true
            try await live.until("the message is handled") { !live.hub.isPaused(link) }
            while live.hub.bus?.hasUnread == true { await Task.yield() }
            live.hub.tick(at: start + .seconds(601))
            #expect(!link.isAttached)
        }
    }

    @Test("A peer that sends more than its window behind a paused message loses its link, and what waits is dropped")
    func overrun() async throws {
        try await withHub { live in
            live.hub.backlog = Backlog(heartbeat: .seconds(3600), now: .now)
            let (greedy, link) = try await live.attach("greedy")
            let pause = Pause(live.hub)
            var post = Frame(.post)
            post.payload = [UInt8](repeating: 0, count: 1 << 20)[...]
            let bytes = post.encoded()
            // What its window allows waits.
            for _ in 0..<32 { try greedy.send(bytes) }
            try await live.until("they wait") { live.hub.bus?.unhandledBytes(of: link.routingID) == 32 * bytes.count }
            #expect(link.isAttached)
            for _ in 0..<16 { try greedy.send(bytes) }
            try await live.until("the link has ended") { !link.isAttached }
            #expect(live.hub.counters.values["detached: \(Departure.sendsTooMuch)"] == 1)
            #expect(try #require(live.hub.bus?.unhandledBytes(of: link.routingID)) <= 8 * bytes.count)
            pause.isReleased = true
            try await live.until("the message is handled") { !live.hub.isPaused(link) }
        }
    }

    @Test("A peer is not silent while its messages may be left in the socket, and hears from the hub")
    func unread() async throws {
        try await withHub { live in
            live.hub.backlog = Backlog(heartbeat: .seconds(3600), now: .now)
            let (silent, link) = try await live.attach("silent")
            let pause = try await leaveUnread(in: live)
            let start = MonotonicInstant.now
            link.traffic.liveness = Liveness(interval: Hub.heartbeat, now: start)
            for second in 0...30 { live.hub.tick(at: start + .seconds(second)) }
            #expect(link.isAttached)
            for _ in 1...30 { try await silent.nextUnsolicitedHeartbeat() }
            pause.isReleased = true
            while live.hub.bus?.hasUnread == true { await Task.yield() }
            for second in 31...40 { live.hub.tick(at: start + .seconds(second)) }
            #expect(!link.isAttached)
        }
    }

    @Test("The hub is behind when messages are left in the socket for longer than half a heartbeat")
    func behind() async throws {
        try await withHub { live in
            let pause = try await leaveUnread(in: live)
            #expect(live.hub.isBehind(at: .now + .milliseconds(500)))
            #expect(live.hub.counters.values["detached: \(Departure.sendsTooMuch)"] == nil)
            pause.isReleased = true
            while live.hub.bus?.hasUnread == true { await Task.yield() }
            live.hub.backlog = Backlog(heartbeat: .seconds(1), now: .now)
            #expect(!live.hub.isBehind(at: .now + .milliseconds(500)))
        }
    }

    @Test("A peer is not silent whose frames have arrived while the loop was busy with something else")
    func arrivedMeanwhile() async throws {
        try await withHub { live in
            live.hub.backlog = Backlog(heartbeat: .seconds(3600), now: .now)
            let (raw, link) = try await live.attach("punctual")
            while live.hub.bus?.hasUnread == true { await Task.yield() }
            let start = MonotonicInstant.now
            link.traffic.liveness = Liveness(interval: Hub.heartbeat, now: start)
            try raw.sendHeartbeat()
            // From here on the loop reads nothing, until the frame has arrived and after that.
            var now = MonotonicInstant.now
            while live.hub.bus?.readUpTo(at: now) == now, now < start + .seconds(60) { now = .now }
            for second in 1...30 { live.hub.tick(at: start + .seconds(second)) }
            #expect(link.isAttached)
            // The answer shows that the frame is read although nothing else arrives.
            _ = try await raw.next(.heartbeat)
            while live.hub.bus?.hasUnread == true { await Task.yield() }
            for second in 31...40 { live.hub.tick(at: start + .seconds(second)) }
            #expect(!link.isAttached)
        }
    }

    @Test("The last frames of a process that has ended are read, however long its message is paused")
    func lastWords() async throws {
        try await withHub { live in
            let (_, link) = try await live.attach("ended")
            let pause = Pause(live.hub)
            live.hub.processEnded(1, peer: "ended", wasKilled: false)
            let first = link.end?.deadline
            try await live.until("the time for its last frames is over") { link.end?.deadline != first }
            #expect(link.isAttached)
            pause.isReleased = true
            try await live.until("the peer is detached") { !link.isAttached }
        }
    }

    /// Makes peers send more than the hub keeps for later, so that messages are left in its socket until the pause ends.
    /// Each of them keeps to its window.
    private func leaveUnread(in live: LiveHub) async throws -> Pause {
        let (first, _) = try await live.attach("busy")
        let pause = Pause(live.hub)
        var raws = [first]
        for number in 2...3 {
            raws.append(try await live.attach("busy\(number)").raw)
            pause.again()
        }
        let post = Frame(.post).encoded() + [UInt8](repeating: 0, count: 8 << 20)
        for raw in raws { for _ in 0..<4 { try raw.send(post) } }
        while live.hub.bus?.hasUnread == false { await Task.yield() }
        return pause
    }

    @Test("The last frames of a process that has ended are read, although they are left in the socket")
    func lastWordsUnread() async throws {
        try await withHub { live in
            let (ended, link) = try await live.attach("ended")
            // It was heard long ago.
            link.traffic.liveness = Liveness(interval: .seconds(3600), now: .now - .seconds(60))
            let pause = try await leaveUnread(in: live)
            let count = link.traffic.receivedBytes.count
            try ended.sendHeartbeat()
            live.hub.processEnded(1, peer: "ended", wasKilled: false)
            let first = link.end?.deadline
            while link.end?.deadline == first { await Task.yield() }
            #expect(link.isAttached)
            pause.isReleased = true
            try await live.until("its last frame is read") { link.traffic.receivedBytes.count > count }
            try await live.until("the peer is detached") { !link.isAttached }
        }
    }
}
