import Messaging
import Bus
import TestKit
import Testing

@testable import Hub

/// Snapshots that a peer requests part by part.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct SnapshotTests {
    /// Requests a part of the snapshot up to a revision, by default the newest.
    private func ask(
        _ raw: RawPeer, of live: LiveHub, after known: UInt64 = 0, part: UInt64, reaching revision: UInt64? = nil
    ) async throws -> Frame {
        var frame = Frame(.synchronize)
        frame.epoch = live.hub.epoch
        frame.previous = known
        frame.part = part
        frame.revision = revision ?? live.entries.revision
        // The peer has received the part before. Otherwise the hub would take it for being on its way.
        try raw.report()
        try raw.send(frame.encoded())
        return try await raw.next(.snapshot)
    }

    /// Requests all parts, beginning with the given one.
    private func askForAll(_ raw: RawPeer, of live: LiveHub, from first: UInt64) async throws {
        var part = try await ask(raw, of: live, part: first)
        #expect(part.part == first)
        while part.flags != .last { part = try await ask(raw, of: live, part: part.part + 1) }
    }

    @Test("A snapshot's parts are numbered, the last is marked, and together they are the container")
    func parts() async throws {
        try await withHub { live in
            try live.fill()
            let (raw, _) = try await live.attach("behind")
            var parts: [Frame] = []
            repeat {
                parts.append(try await ask(raw, of: live, part: UInt64(parts.count)))
            } while parts.last?.flags != .last
            #expect(parts.count > 2)
            #expect(parts.map(\.part) == (0..<UInt64(parts.count)).map { $0 })
            #expect(Set(parts.map(\.revision)) == [live.entries.revision])
            let keys = try parts.flatMap { try DependencyPayload.decode($0.payload).keys }
            #expect(keys.sorted() == (0..<8).map { "key\($0)" })
        }
    }

    @Test("No part is sent without a request")
    func oneByOne() async throws {
        try await withHub { live in
            try live.fill()
            let (raw, link) = try await live.attach("slow")
            #expect(try await ask(raw, of: live, part: 0).part == 0)
            // Two frames of a connection without a link: an unrequested part would have been sent by now.
            let heard = live.hub.counters.framesIn
            try await live.until("two frames were handled") { live.hub.counters.framesIn >= heard + 2 }
            #expect(link.sentPart?.number == 0)
            #expect(try await ask(raw, of: live, part: 1).part == 1)
        }
    }

    @Test("A peer that waits for its turn after requesting part 0 again can continue its first snapshot")
    func askedAgain() async throws {
        try await withHub { live in
            try live.fill()
            let (raw, link) = try await live.attach("slow")
            #expect(try await ask(raw, of: live, part: 0).part == 0)
            // Pretend that the link waits for its turn.
            link.waitsForSnapshot = 0
            #expect(try await ask(raw, of: live, part: 1).part == 1)
            #expect(link.waitsForSnapshot == nil)
        }
    }

    @Test("A snapshot keeps the values of its start although entries change meanwhile")
    func consistent() async throws {
        try await withHub { live in
            try live.fill()
            let revision = live.entries.revision
            let (raw, _) = try await live.attach("behind")
            let first = try await ask(raw, of: live, part: 0)
            try live.fill("y")
            var last = first
            while last.flags != .last {
                last = try await ask(raw, of: live, part: last.part + 1, reaching: revision)
            }
            #expect(last.revision == revision)
            #expect(try DependencyPayload.decode(last.payload)["key7"]??.last == UInt8(ascii: "x"))
            #expect(try await ask(raw, of: live, part: 0).revision == revision + 1)
        }
    }

    /// Sends the same request again and again, and returns how many parts were sent for them.
    private func parts(for request: Frame, from raw: RawPeer, link: HubLink, of live: LiveHub) async throws -> UInt64 {
        let sent = live.hub.counters.framesOut
        let bytes = request.encoded()
        let count = link.traffic.receivedBytes.count
        for _ in 0..<100 { try raw.send(bytes) }
        while link.traffic.receivedBytes.count < count + 100 * UInt64(bytes.count) { await Task.yield() }
        return live.hub.counters.framesOut - sent
    }

    @Test("A peer that asks a hundred times gets a part once, also when the part has been on its way for long")
    func askedOften() async throws {
        try await withHub { live in
            try live.fill()
            let (raw, link) = try await live.attach("greedy")
            var request = Frame(.synchronize)
            request.epoch = live.hub.epoch
            #expect(try await parts(for: request, from: raw, link: link, of: live) == 1)
            let part = try #require(link.sentPart)
            link.sentPart = SentPart(
                number: 0, revision: part.revision, end: part.end, time: part.time - .seconds(11))
            #expect(try await parts(for: request, from: raw, link: link, of: live) == 1)
            // The same holds for a later part, and for parts that do not exist.
            request.revision = live.entries.revision
            request.part = 1
            #expect(try await parts(for: request, from: raw, link: link, of: live) == 1)
            request.part = 4711
            #expect(try await parts(for: request, from: raw, link: link, of: live) == 0)
            // What has arrived may be asked for again.
            for _ in 0..<3 { _ = try await raw.next(.snapshot) }
            try raw.report()
            #expect(try await parts(for: request, from: raw, link: link, of: live) == 1)
        }
    }

    @Test("A peer that does not go on with its snapshot begins anew")
    func givenUp() async throws {
        try await withHub { live in
            try live.fill()
            let (raw, link) = try await live.attach("asleep")
            // Not after the reply, which may take long on a busy machine.
            let asked = MonotonicInstant.now
            #expect(try await ask(raw, of: live, part: 0).part == 0)
            live.hub.dropOldSnapshots(at: asked + .seconds(29))
            #expect(link.snapshot != nil)
            live.hub.dropOldSnapshots(at: .now + .seconds(31))
            #expect(link.snapshot == nil)
            #expect(try await ask(raw, of: live, part: 1).part == 0)
        }
    }

    @Test("A request for a part that does not exist begins a new snapshot")
    func unknownPart() async throws {
        try await withHub { live in
            try live.fill()
            let (raw, _) = try await live.attach("confused")
            for part in [1, 7, UInt64.max] {
                let frame = try await ask(raw, of: live, part: part)
                #expect(frame.part == 0)
                #expect(frame.flags != .last)
                // The snapshot that was begun has no such part either.
                #expect(try await ask(raw, of: live, part: 4711).part == 0)
            }
            let nothing = try await ask(raw, of: live, after: live.entries.revision, part: 5)
            #expect(nothing.part == 0)
            #expect(nothing.flags == .last)
        }
    }

    /// Attaches as many workers as get a large snapshot at a time, and sends each its first part.
    private func attachAll(to live: LiveHub) async throws -> [RawPeer] {
        // A busy machine may be slow, so no turn may expire here.
        live.hub.snapshotTurns = SnapshotTurns(
            pause: .seconds(600), longestWay: .seconds(600), longestTurn: .seconds(600))
        try live.fill(count: 300)
        var raws: [RawPeer] = []
        for number in 0..<SnapshotTurns.limit {
            let (raw, _) = try await live.attach("peer\(number)", role: .worker)
            #expect(try await ask(raw, of: live, part: 0).part == 0)
            // A link over which nothing seems to arrive for seconds would be ended, and with it its turn.
            try raw.report()
            raws.append(raw)
        }
        return raws
    }

    @Test("Only a few peers get large snapshots at a time; the next begins when one of them has all parts")
    func turns() async throws {
        try await withHub { live in
            let raws = try await attachAll(to: live)
            // A peer that leaves again uses up no turn.
            let (gone, _) = try await live.attach("gone", role: .worker)
            let (next, link) = try await live.attach("next", role: .worker)
            var question = Frame(.synchronize)
            question.epoch = live.hub.epoch
            // A waiting peer that asks twice gets one reply.
            try gone.send(question.encoded())
            try await live.until("the peer waits for its turn") { live.hub.link(named: "gone")?.waitsForSnapshot == 0 }
            try gone.send(Frame(.goodbye).encoded())
            for _ in 0..<2 { try next.send(question.encoded()) }
            try await live.until("the next peer waits for its turn") {
                live.hub.link(named: "gone") == nil && link.waitsForSnapshot == 0
            }
            // Only workers wait: they need what plugins provide, so plugins are served at once.
            let (plugin, _) = try await live.attach("plugin")
            try await askForAll(plugin, of: live, from: 0)
            // A peer that lacks few entries does not wait.
            let (small, _) = try await live.attach("small")
            #expect(try await ask(small, of: live, after: live.entries.revision, part: 0).flags == .last)
            #expect(link.waitsForSnapshot == 0)
            try await askForAll(raws[3], of: live, from: 1)
            #expect(try await next.next(.snapshot).part == 0)
            // A request that was sent before the reply arrived does not begin a new snapshot.
            try live.fill("y", count: 300)
            try next.send(question.encoded())
            let revision = live.entries.revision - 1
            #expect(try await ask(next, of: live, part: 1, reaching: revision).part == 1)
        }
    }

    @Test("A plugin's first snapshot does not wait; a later one that is large waits for its turn as a worker's does")
    func laterSnapshot() async throws {
        try await withHub { live in
            let raws = try await attachAll(to: live)
            let (plugin, link) = try await live.attach("plugin")
            try await askForAll(plugin, of: live, from: 0)
            try live.fill("y", count: 300)
            var question = Frame(.synchronize)
            question.epoch = live.hub.epoch
            try plugin.report()
            try plugin.send(question.encoded())
            try await live.until("the plugin waits for its turn") { link.waitsForSnapshot == 0 }
            #expect(link.snapshot == nil)
            try raws[3].send(Frame(.goodbye).encoded())
            #expect(try await plugin.next(.snapshot).part == 0)
        }
    }

    @Test("A peer that waits for its turn gets it when a peer before it has left, although nobody asks for a part")
    func turnOfTheGone() async throws {
        try await withHub { live in
            let raws = try await attachAll(to: live)
            let (next, link) = try await live.attach("next", role: .worker)
            var question = Frame(.synchronize)
            question.epoch = live.hub.epoch
            try next.send(question.encoded())
            try await live.until("the next peer waits for its turn") { link.waitsForSnapshot == 0 }
            try raws[3].send(Frame(.goodbye).encoded())
            try await live.until("its snapshot has begun") { link.snapshot != nil }
            #expect(try await next.next(.snapshot).part == 0)
        }
    }

    @Test("A peer counts as synchronized when the last part has been sent, not before")
    func synchronized() async throws {
        try await withHub { live in
            try live.fill()
            let (raw, link) = try await live.attach("large")
            var part = try await ask(raw, of: live, part: 0)
            while part.flags != .last {
                #expect(!link.isSynchronized)
                part = try await ask(raw, of: live, part: part.part + 1)
            }
            #expect(link.isSynchronized)
        }
    }

    @Test("Peers that request the same revisions share one snapshot; a later revision makes a new one")
    func shared() {
        var cache = SnapshotCache()
        var asked: [UInt64] = []
        func snapshot(after known: UInt64, head: UInt64) -> Snapshot {
            cache.snapshot(after: known, head: head) {
                asked.append(known)
                var table = DependencyRevisions()
                for revision in 0..<head { _ = table.apply(["a": [UInt8(revision)]], owner: "") }
                return Snapshot(table.snapshot(after: known), epoch: 1)
            }
        }
        let first = snapshot(after: 0, head: 5)
        #expect(snapshot(after: 0, head: 5) === first)
        let other = snapshot(after: 3, head: 5)
        let newer = snapshot(after: 0, head: 6)
        #expect(other !== first && newer !== first)
        #expect(snapshot(after: 0, head: 6) === newer)
        #expect(asked == [0, 3, 0])
        #expect(first.part(0)?.bytes == first.part(0)?.bytes)
        #expect(first.part(1) == nil)
        // Slow peers that go on with an old one do not make the hub keep its parts.
        #expect(newer.part(0) != nil)
        #expect(first.encodedSize == 0)
        #expect(other.encodedSize == 0)
        #expect(newer.encodedSize > 0)
    }
}
