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

        private func again() {
            guard !isReleased else { return }
            hub.bus?.continueLater { self.again() }
        }
    }

    @Test("A peer whose message is paused is neither silent nor stuck, and learns that the hub is not silent")
    func excused() async throws {
        try await withHub { live in
            // However late the ticks are.
            live.hub.backlog = Backlog(heartbeat: .seconds(3600), now: .now)
            let (raw, link) = try await live.attach("busy")
            let pause = Pause(live.hub)
            let start = MonotonicInstant.now
            link.liveness = Liveness(interval: Hub.heartbeat, now: start)
            link.sendWindow = SendWindow()
            link.sendWindow.sent(100, at: start)
            for second in 1...30 { live.hub.tick(at: start + .seconds(second)) }
            #expect(link.isAttached)
            for _ in 1...30 {
                let frame = try await raw.next()
                #expect(frame.kind == .heartbeat)
                #expect(frame.id == 0)
            }
            pause.isReleased = true
            try await live.until("the message is handled") { !live.hub.isPaused(link) }
            for second in 31...40 { live.hub.tick(at: start + .seconds(second)) }
            #expect(!link.isAttached)
        }
    }

    @Test("A peer that reports no progress while its message is paused is not stuck, but is afterwards")
    func stuck() async throws {
        try await withHub { live in
            live.hub.backlog = Backlog(heartbeat: .seconds(3600), now: .now)
            let (_, link) = try await live.attach("busy")
            let pause = Pause(live.hub)
            let start = MonotonicInstant.now
            link.sendWindow = SendWindow()
            link.sendWindow.sent(100, at: start)
            live.hub.tick(at: start + .seconds(11))
            #expect(link.isAttached)
            pause.isReleased = true
            try await live.until("the message is handled") { !live.hub.isPaused(link) }
            live.hub.tick(at: start + .seconds(20))
            #expect(link.isAttached)
            live.hub.tick(at: start + .seconds(22))
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
}
