import Bus
import Messaging
import TestKit
import Testing

@testable import Hub

/// Flow control: the send window, and what waits for room in it.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct HubFlowControlTests {
    @Test("A snapshot part that exceeds the window is sent when there is room, without being requested again")
    func partLater() async throws {
        try await withHub { live in
            try live.fill()
            let (raw, link) = try await live.attach("busy")
            // Pretend that a full window of bytes is in flight.
            link.traffic.sendWindow.sent(Int(SendWindow.standard), at: .now)
            var ask = Frame(.synchronize)
            ask.epoch = live.hub.epoch
            try raw.send(ask.encoded())
            try await live.until("the part waits for room") { link.unsentPart == 0 }
            // Replies that would fill all the room still come after the part.
            var reply = Frame(.reply)
            reply.id = 9
            reply.payload = [UInt8](repeating: 0, count: 12 << 20)[...]
            let areHeld = (1...3).map { _ in link.traffic.hold(reply.encoded(), .reply) }
            #expect(areHeld == [true, true, true])
            try raw.sendHeartbeat(received: link.traffic.sendWindow.outstanding)
            var first = try await raw.next()
            while first.kind != .snapshot, first.kind != .reply { first = try await raw.next() }
            #expect(first.kind == .snapshot)
            #expect(first.part == 0)
            #expect(link.unsentPart == nil)
        }
    }

    @Test("A request that waits for room at its handler is sent when a heartbeat reports room")
    func requestLater() async throws {
        try await withHub { live in
            let (buyer, _) = try await live.attach("buyer")
            let (first, _) = try await live.attach("first", handles: ["buy"])
            let (second, link) = try await live.attach("second", handles: ["buy"])
            // Pretend that a full window of bytes is in flight.
            link.traffic.sendWindow.sent(Int(SendWindow.standard), at: .now)
            var request = Frame(.request)
            request.id = 7
            request.name = "buy"
            request.delivery = .idempotent
            try buyer.send(request.encoded())
            _ = try await first.next(.request)
            try first.send(Frame(.goodbye).encoded())
            try await live.until("the first handler is detached") { live.hub.link(named: "first") == nil }
            #expect(link.pending == 0)
            try second.sendHeartbeat(received: link.traffic.sendWindow.outstanding)
            // The request comes before the answer to the heartbeat.
            #expect(try await second.next().kind == .request)
            #expect(link.pending == 1)
        }
    }

    @Test("The size of held replies is limited, and replies that have been sent no longer count")
    func held() {
        let link = FakeCarrier().attach("busy")
        let bytes = [UInt8](repeating: 0, count: 12 << 20)
        let areHeld = (1...6).map { _ in link.traffic.hold(bytes, .reply) }
        #expect(areHeld == [true, true, true, true, true, false])
        link.traffic.removeHeld()
        let isHeld = link.traffic.hold(bytes, .reply)
        #expect(isHeld)
    }

    @Test("Large requests and posts do not take the room for which a large reply waits, and other frames do")
    func roomOfHeld() {
        let link = FakeCarrier().attach("busy")
        let others: [FrameKind] = [.reply, .failure, .cancel, .heartbeat, .goodbye, .snapshot]
        let isHeld = link.traffic.hold([UInt8](repeating: 0, count: 12 << 20), .reply)
        #expect(isHeld)
        for kind in [.request, .post] as [FrameKind] {
            #expect(!link.traffic.hasRoom(for: 4097, kind))
            #expect(link.traffic.hasRoom(for: 4096, kind))
        }
        for kind in others { #expect(link.traffic.hasRoom(for: 4097, kind)) }
        link.traffic.removeHeld()
        for kind in [.request, .post] + others { #expect(link.traffic.hasRoom(for: 4097, kind)) }
    }

    @Test("A peer that acknowledges no bytes in flight for ten seconds is detached, and the reason is counted")
    func stuck() async throws {
        try await withHub { live in
            let (_, link) = try await live.attach("stuck")
            // Pretend that one byte was sent 11 seconds ago.
            link.traffic.sendWindow = SendWindow()
            link.traffic.sendWindow.sent(1, at: .now - .seconds(11))
            try await live.until("the peer is detached") { live.hub.link(named: "stuck") == nil }
            #expect(live.hub.counters.values["detached: it does not read what is sent to it"] == 1)
        }
    }

    @Test("A host that stood still does not detach its peers for the bytes that were in flight meanwhile")
    func stoodStill() async throws {
        try await withHub { live in
            let (_, link) = try await live.attach("healthy")
            link.traffic.sendWindow = SendWindow()
            link.traffic.sendWindow.sent(1, at: .now)
            // As if this process had been stopped until then.
            live.hub.tick(at: .now + .seconds(60))
            #expect(link.isAttached)
            #expect(live.hub.counters.values["detached: it does not read what is sent to it"] == nil)
        }
    }
}
