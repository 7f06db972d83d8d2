import Bus
import Messaging
import TestKit
import Testing
import ZeroMQ

@testable import Hub

/// Several frames in one message, between a hub and a peer that declares that it accepts them.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct BatchTests {
    private func request(_ name: String, id: UInt64) -> [UInt8] {
        var frame = Frame(.request)
        frame.name = name
        frame.id = id
        return frame.encoded()
    }

    private func heartbeat(_ id: UInt64) -> [UInt8] {
        var frame = Frame(.heartbeat)
        frame.id = id
        return frame.encoded()
    }

    @Test func `Frames in one message are handled in order, and their replies share messages`() async throws {
        try await withHub { live in
            let (raw, link) = try await live.attach("batching", batch: 64 << 10)
            let (frames, messages) = (live.hub.counters.framesIn, raw.messageCount)
            try raw.send(Array((1...50).map { heartbeat($0) }.joined()))
            for id in 1...50 as ClosedRange<UInt64> { #expect(try await raw.next().id == id) }
            // On a slow machine the hub pauses in the middle of the message, and sends the replies so far.
            #expect(raw.messageCount <= messages + 25)
            #expect(live.hub.counters.framesIn == frames + 50)
            #expect(live.hub.counters.framesOut >= 50)
            #expect(link.traffic.receivedBytes.count >= 50 * UInt64(Frame.headerSize))
        }
    }

    @Test func `A peer that does not declare it gets each frame in a message of its own, and may still batch`()
        async throws
    {
        try await withHub { live in
            let (raw, _) = try await live.attach("single")
            let messages = raw.messageCount
            try raw.send(heartbeat(1) + heartbeat(2) + heartbeat(3))
            for id in 1...3 as ClosedRange<UInt64> { #expect(try await raw.next().id == id) }
            #expect(raw.messageCount == messages + 3)
        }
    }

    @Test func `What follows a goodbye or an unreadable frame in the same message is handled as if it came by itself`()
        async throws
    {
        try await withHub { live in
            let (raw, link) = try await live.attach("leaving", batch: 64 << 10)
            try raw.send(heartbeat(1) + Frame(.goodbye).encoded() + heartbeat(2))
            #expect(try await raw.next().kind == .heartbeat)
            #expect(try await raw.next(.refusal).decodePayload(as: Refusal.self).code == .unknownLink)
            #expect(!link.isAttached)
            let (other, otherLink) = try await live.attach("broken", batch: 64 << 10)
            let received = otherLink.traffic.receivedBytes.count
            let message = heartbeat(1) + [UInt8](repeating: 7, count: 300)
            try other.send(message)
            #expect(try await other.next().id == 1)
            try other.send(heartbeat(2))
            #expect(try await other.next().id == 2)
            // Bytes that cannot be read used the window, too.
            #expect(otherLink.traffic.receivedBytes.count == received + UInt64(message.count + heartbeat(2).count))
            #expect(live.hub.counters.values["dropped: notOurs"] == 1)
        }
    }

    @Test func `Requests that could not be sent to a peer that is gone fail as not handled, or go to another peer`()
        async throws
    {
        try await withHub { live in
            let (sender, _) = try await live.attach("sender", batch: 64 << 10)
            let (gone, link) = try await live.attach("gone", handles: ["ask"], batch: 64 << 10)
            var again = Frame(.request)
            again.name = "ask"
            again.id = 3
            again.delivery = .idempotent
            again.messageID = .new()
            try await live.loseUnnoticed(gone, link)
            let bytes = request("ask", id: 1) + request("ask", id: 2) + again.encoded()
            try sender.send(bytes)
            for id in 1...2 as ClosedRange<UInt64> {
                let failure = try await sender.next(.failure)
                #expect(failure.id == id)
                guard case .message(let error) = try failure.decodePayload(as: FailureEncoding.self) else {
                    Issue.record("another failure")
                    return
                }
                #expect(error.code == .peerLost)
                #expect(!error.mayHaveBeenHandled)
            }
            #expect(link.traffic.handedOn.isEmpty)
            #expect(link.isGone)
            let (other, _) = try await live.attach("other", handles: ["ask"])
            let carried = try await other.next("ask")
            #expect(carried.messageID == again.messageID)
            #expect(!carried.flags.contains(.copy))
        }
    }
}
