import Messaging
import Bus
import TestKit
import Testing

@testable import Hub

/// Peers that do not read, and want more all the same.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct UntrueReportsTests {
    /// Sends posts to a peer until there is no room in its window.
    private func fill(_ link: HubLink, of live: LiveHub) {
        var post = Frame(.post)
        post.payload = [UInt8](repeating: 0, count: 1 << 20)[...]
        while live.hub.send(post, to: link) == .sent {}
    }

    @Test("Forty hellos on one connection do not get forty send windows")
    func hellos() async throws {
        try await withHub { live in
            let (raw, link) = try await live.attach("greedy")
            fill(link, of: live)
            var sent = link.traffic.sendWindow.sent
            for number in 1...40 {
                try raw.sendHello("greedy", role: .plugin, life: UInt64(number))
                try await live.until("the hello is handled") {
                    live.hub.counters.values["refused: hello on a connection with unread frames"] == UInt64(number)
                        || live.hub.link(named: "greedy").map { $0 !== link } ?? false
                }
                guard let next = live.hub.link(named: "greedy") else { continue }
                fill(next, of: live)
                sent += next.traffic.sendWindow.sent
            }
            #expect(sent <= SendWindow.standard + 1 << 20)
            // A new connection gets a link at once.
            let (_, other) = try await live.attach("greedy")
            #expect(other.isAttached)
        }
    }

    @Test("A hello after a goodbye does not get a new window either, and one on a read connection gets a link")
    func goodbye() async throws {
        try await withHub { live in
            let (raw, link) = try await live.attach("greedy")
            fill(link, of: live)
            try raw.send(Frame(.goodbye).encoded())
            try raw.sendHello("greedy", role: .plugin)
            let refusal = try await raw.next(.refusal).decodePayload(as: Refusal.self)
            #expect(refusal.code == .full)
            #expect(live.hub.link(named: "greedy") == nil)
            let (modest, _) = try await live.attach("modest")
            for _ in 0..<3 {
                try modest.send(Frame(.goodbye).encoded())
                #expect(try await modest.hello("modest").kind == .welcome)
            }
        }
    }

    @Test("A peer that reports what it has not read loses its link before much waits for it", arguments: [true, false])
    func untrue(returnsFirst: Bool) async throws {
        try await withHub { live in
            let (raw, link) = try await live.attach("liar")
            if returnsFirst {
                // It is honest at first, so that the hub knows that it returns marks.
                for _ in 0..<5 {
                    live.hub.send(Frame(.post).padded(to: 1 << 20), to: link)
                    _ = try await raw.next(.post)
                }
                try raw.report()
                try await raw.returnMark()
                try await live.until("the mark has come back") {
                    link.traffic.marks.unread(sent: link.traffic.sendWindow.sent) < 1000
                }
            }
            let start = link.traffic.sendWindow.sent
            var rounds = 0
            while link.isAttached, rounds < 100 {
                fill(link, of: live)
                let count = link.traffic.receivedBytes.count
                try raw.report(received: link.traffic.sendWindow.sent)
                try await live.until("the report is handled") {
                    link.traffic.receivedBytes.count > count || !link.isAttached
                }
                rounds += 1
            }
            #expect(!link.isAttached)
            #expect(live.hub.counters.values["detached: \(Departure.misreports)"] == 1)
            #expect(link.traffic.sendWindow.sent - start <= (returnsFirst ? 3 : 5) * SendWindow.standard)
        }
    }
}

extension Frame {
    /// Returns the frame with a payload of a size.
    fileprivate func padded(to size: Int) -> Frame {
        var frame = self
        frame.payload = [UInt8](repeating: 0, count: size)[...]
        return frame
    }
}

extension RawPeer {
    /// Waits for the host's next mark and returns it.
    fileprivate func returnMark() async throws {
        while true {
            let frame = try await nextOfAnyKind()
            guard frame.kind == .heartbeat, !frame.payload.isEmpty,
                let mark = try frame.decodePayload(as: Heartbeat.self).mark
            else { continue }
            return try report(mark: mark)
        }
    }
}
