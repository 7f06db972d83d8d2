import Bus
import TestKit
import Testing

@testable import Hub
@testable import ZeroMQ

/// The end of a process whose last frames have arrived and are not read yet.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct LastWordsTests {
    private func request(_ id: UInt64, from caller: RawPeer) throws {
        var request = Frame(.request)
        request.id = id
        request.name = "greet"
        try caller.send(request.encoded())
    }

    @Test("What a process has sent is read before it is detached, and it gets nothing more", arguments: [true, false])
    func read(wasKilled: Bool) async throws {
        try await withHub { live in
            let (worker, link) = try await live.attach("worker", handles: ["greet"])
            let (caller, _) = try await live.attach("caller")
            try request(1, from: caller)
            var reply = Frame(.reply)
            reply.id = try await worker.next("greet").id
            while live.hub.bus?.hasUnread == true { await Task.yield() }
            let start = MonotonicInstant.now
            try worker.send(reply.encoded())
            // From here on the loop reads nothing, until the reply has arrived and the process has ended.
            var now = MonotonicInstant.now
            while live.hub.bus?.readUpTo(at: now) == now, now < start + .seconds(60) { now = .now }
            // On a busy machine, the caller may be quiet by now.
            let quiet = live.hub.quiet
            live.hub.processEnded(1, peer: "worker", wasKilled: wasKilled)
            #expect(link.isAttached)
            #expect(live.hub.quiet == quiet.union([link.id]))
            #expect(live.hub.send(Frame(.heartbeat), to: link) == .gone)
            try request(2, from: caller)
            let end = try await caller.next()
            #expect(end.kind == .reply)
            #expect(end.id == 1)
            // The second request does not wait for a process that has ended.
            let failure = try await caller.next()
            #expect(failure.kind == .failure)
            #expect(failure.id == 2)
            #expect(link.traffic.handedOn.isEmpty)
            try await live.until("the peer is detached") { !link.isAttached }
        }
    }
}
