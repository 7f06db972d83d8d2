import Bus
import Messaging
import TestKit
import Testing
import ZeroMQ

@testable import Hub

/// Indices in place of names, between a hub and peers that accept a list of names.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct NameIndexTests {
    private func request(_ name: String, _ index: UInt8? = nil, id: UInt64) -> [UInt8] {
        var frame = Frame(.request)
        frame.setName(name, index.map { NameIndex(rawValue: $0) } ?? .none)
        frame.id = id
        return frame.encoded(names: index == nil ? 0 : NameTable.maximumCount)
    }

    /// The names in the welcome of a new peer.
    private func listed(
        _ name: String, handles: [String] = [], names: Int? = nil, by live: LiveHub
    ) async throws -> [String]? {
        try await live.raw().hello(name, handles: handles, names: names).decodePayload(as: Welcome.self).names
    }

    /// Sends a request to a peer that handles it, and lets that peer reply.
    private func roundTrip(
        _ bytes: [UInt8], from sender: RawPeer, to handler: RawPeer, repliesWithIndex: Bool = true
    ) async throws -> (carried: Frame, reply: Frame) {
        try sender.send(bytes)
        let carried = try await handler.next(.request)
        var reply = Frame(.reply)
        reply.id = carried.id
        reply.setName(carried.name, carried.nameIndex)
        reply.payload = [0xA0]
        try handler.send(reply.encoded(names: repliesWithIndex ? NameTable.maximumCount : 0))
        return (carried, try await sender.next(.reply))
    }

    @Test func `A welcome lists as many names as the peer accepts`() async throws {
        try await withHub { live in
            live.hub.addNames(["one", "two"])
            #expect(try await listed("none", by: live) == nil)
            #expect(try await listed("zero", names: 0, by: live) == nil)
            #expect(try await listed("negative", names: -5, by: live) == nil)
            #expect(try await listed("first", names: 1, by: live) == ["one"])
            let all = try await listed("all", handles: ["two", "three"], names: .max, by: live)
            #expect(all == ["one", "two", "three"])
        }
    }

    @Test func `The names of one peer leave room in the list for those of others`() async throws {
        try await withHub { live in
            live.hub.addNames(["own"])
            let many = (1...1000).map { "greedy\($0)" }
            let greedy = try #require(try await listed("greedy", handles: many, names: .max, by: live))
            #expect(greedy.count > 40 && greedy.count <= 64)
            let long = (1...200).map { "\($0)" + String(repeating: "x", count: 240) }
            _ = try await listed("long", handles: long, names: .max, by: live)
            let names = try #require(try await listed("other", handles: ["ask", "tell"], names: .max, by: live))
            #expect(names.first == "own")
            #expect(names.contains("ask") && names.contains("tell"))
            // It comes back with other names, and they are counted with the earlier ones.
            let again = try #require(
                try await listed("greedy", handles: (1...1000).map { "again\($0)" }, names: .max, by: live))
            #expect(again.count == names.count)
        }
    }

    @Test func `A request and its reply have an index where the peer knows it, and the name elsewhere`() async throws {
        try await withHub { live in
            live.hub.addNames(["other"])
            let (handler, _) = try await live.attach("handler", handles: ["ask"], names: 128)
            let (sender, _) = try await live.attach("sender", names: 128)
            let (plain, _) = try await live.attach("plain")
            let ask = NameIndex(rawValue: 1)
            for repliesWithIndex in [true, false] {
                var (carried, reply) = try await roundTrip(
                    request("ask", 1, id: 5), from: sender, to: handler, repliesWithIndex: repliesWithIndex)
                #expect(carried.name == "ask" && carried.nameIndex == ask)
                #expect(reply.name == "ask" && reply.nameIndex == ask)
                (carried, reply) = try await roundTrip(
                    request("ask", id: 6), from: plain, to: handler, repliesWithIndex: repliesWithIndex)
                #expect(carried.name == "ask")
                #expect(reply.name == "ask" && reply.nameIndex == .none)
            }
        }
    }

    @Test func `A handler that knows no index, or attached before the name was listed, gets the name`() async throws {
        try await withHub { live in
            let (early, _) = try await live.attach("early", handles: ["ask"], names: 1)
            let (sender, _) = try await live.attach("sender", handles: ["late"], names: 128)
            let late = NameIndex(rawValue: 1)
            let (plain, _) = try await live.attach("plain", handles: ["late"])
            let (_, link) = try await live.attach("last", names: 128)
            #expect(link.names == 2)
            let (carried, reply) = try await roundTrip(request("late", 1, id: 5), from: sender, to: plain)
            #expect(carried.name == "late" && carried.nameIndex == .none)
            #expect(reply.nameIndex == late)
            var frame = Frame(.post)
            frame.setName("late", late)
            guard let link = live.hub.link(named: "early") else { throw NotReached(description: "it stays attached") }
            live.hub.send(frame, to: link)
            let post = try await early.next(.post)
            #expect(post.name == "late" && post.nameIndex == .none)
        }
    }

    @Test func `An index that the link does not have is dropped, counted, and harms no other frame`() async throws {
        try await withHub { live in
            live.hub.addNames(["one", "two"])
            let (raw, link) = try await live.attach("peer", batch: 64 << 10, names: 1)
            let (plain, _) = try await live.attach("plain")
            var heartbeat = Frame(.heartbeat)
            heartbeat.id = 9
            let before = link.traffic.receivedBytes.count
            let bytes = request("two", 1, id: 5) + heartbeat.encoded()
            try raw.send(bytes)
            #expect(try await raw.next().id == 9)
            #expect(link.traffic.receivedBytes.count == before + UInt64(bytes.count))
            try plain.send(request("one", 0, id: 5))
            try plain.send(heartbeat.encoded())
            #expect(try await plain.next().id == 9)
            #expect(live.hub.counters.values["dropped: badText"] == 2)
        }
    }

    @Test func `A peer whose link the host does not know is told so at once, whatever names its frames have`()
        async throws
    {
        try await withHub { live in
            live.hub.addNames(["one"])
            for index in [nil, 0, 1, 100] as [UInt8?] {
                let raw = try live.raw()
                try raw.send(request("one", index, id: 5))
                let refusal = try await raw.next(.refusal).decodePayload(as: Refusal.self)
                #expect(refusal.code == .unknownLink)
            }
            #expect(live.hub.counters.values["dropped: unknown link"] == 4)
            #expect(live.hub.counters.values["dropped: badText"] == nil)
            // Other bytes get no reply.
            let raw = try live.raw()
            var bytes = request("one", id: 5)
            bytes[Frame.headerSize] = 0xFF
            try raw.send(bytes)
            try raw.sendHeartbeat()
            #expect(try await raw.next(.refusal).decodePayload(as: Refusal.self).code == .unknownLink)
            #expect(live.hub.counters.values["dropped: badText"] == 1)
            #expect(live.hub.counters.values["dropped: unknown link"] == 5)
        }
    }

    @Test func `A request by index that could not be sent to a peer that is gone fails as not handled`() async throws {
        try await withHub { live in
            let (gone, link) = try await live.attach("gone", handles: ["ask"], batch: 64 << 10, names: 128)
            let (again, _) = try await live.attach("again", names: 128)
            try await live.loseUnnoticed(gone, link)
            try again.send(request("ask", 0, id: 1))
            let failure = try await again.next(.failure)
            #expect(failure.id == 1)
            #expect(failure.name == "ask")
            guard case .message(let error) = try failure.decodePayload(as: FailureEncoding.self) else {
                Issue.record("another failure")
                return
            }
            #expect(error.code == .peerLost)
            #expect(!error.mayHaveBeenHandled)
            #expect(link.traffic.handedOn.isEmpty)
        }
    }

    @Test func `The tap shows names`() async throws {
        try await withHub { live in
            let (handler, _) = try await live.attach("handler", handles: ["ask"], names: 128)
            let (sender, _) = try await live.attach("sender", names: 128)
            var records: [TapRecord] = []
            live.hub.tap.send = { record, _ in records.append(record) }
            live.hub.tap.subscriptionChanged(Frame.topic(.tap), isOn: true)
            _ = try await roundTrip(request("ask", 0, id: 5), from: sender, to: handler)
            live.hub.tap.subscriptionChanged(Frame.topic(.tap), isOn: false)
            let shown = records.filter { ["request", "reply"].contains($0.kind) }
            #expect(shown.map(\.name) == ["ask", "ask", "ask", "ask"])
            #expect(shown.map(\.from) == ["sender", "host", "handler", "host"])
        }
    }
}
