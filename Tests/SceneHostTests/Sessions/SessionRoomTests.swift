import Bus
import CBOR
import Hub
import Messaging
import Testing

@testable import SceneHost

/// What peers may make the host keep as sessions. The tests supply the time.
@Suite(.timeLimit(.minutes(5)))
struct SessionRoomTests {
    private let start = MonotonicInstant.now

    private func record(_ id: String) -> SessionRecord {
        SessionRecord(id: id, role: "r", configuration: "Wall", position: 1)
    }

    private func item(of size: Int, _ byte: UInt8 = 0) -> CBORRaw {
        CBORRaw(unchecked: CBORValue.bytes([UInt8](repeating: byte, count: size)).encoded())
    }

    /// Opens sessions until one is refused.
    private func fill(_ room: inout SessionRoom, links: [CBORRaw] = [], by opener: String) -> [SessionRoom.Share] {
        var shares: [SessionRoom.Share] = []
        while let share = try? room.take(for: record("s"), links: links, by: opener) { shares.append(share) }
        return shares
    }

    @Test func `A peer that opens sessions without end leaves room for others`() throws {
        var room = SessionRoom(sessions: 100)
        let greedy = fill(&room, by: "greedy")
        try #require(greedy.count == 45)
        let error = try #require(throws: SceneCommandError.self) {
            try room.take(for: record("s"), links: [], by: "greedy")
        }
        #expect(error.reason == .overloaded)
        for word in ["'greedy' has opened 45 of", "there may be 100", "sessions close"] {
            #expect(error.description.contains(word), "\(error)")
        }
        #expect(fill(&room, by: "other").count == 23)
        room.giveBack(greedy[0])
        #expect(room.sessionCount == 67)
    }

    @Test func `The links that wait for scenes are bounded, and leave room when the scenes have them`() throws {
        var room = SessionRoom(texts: 1000)
        var shares = fill(&room, links: [item(of: 100)], by: "greedy")
        // A session has 102 bytes of links and 5 of names.
        try #require(shares.count == 4)
        #expect(room.textBytes == 4 * 107)
        let error = try #require(throws: SceneCommandError.self) {
            try room.take(for: record("s"), links: [item(of: 100)], by: "greedy")
        }
        #expect(error.description.contains("107 bytes of names and links"), "\(error)")
        room.keep(links: [], &shares[0])
        #expect(room.textBytes == 3 * 107 + 5)
        #expect(fill(&room, links: [item(of: 100)], by: "greedy").count == 1)
        for share in shares { room.giveBack(share) }
        #expect(room.textBytes == 107)
    }

    @Test func `What an earlier host has stored is counted, and leaves each peer its part of the reserve`() {
        var room = SessionRoom(sessions: 2000)
        for number in 0..<1900 { _ = room.add(record("\(number)")) }
        #expect(room.sessionCount == 1900)
        #expect(fill(&room, by: "newcomer").count == 2)
    }

    @Test func `A worker cannot fill the host with states, and one that does not grow is always kept`() throws {
        var table = SessionTable(epoch: 1)
        table.room = SessionRoom(states: 10 << 20)
        let process = ProcessIdentity(peer: "w", pid: 1)
        _ = table.attached(1, process, offers: ["Wall"], capacity: 8, held: [], at: start)
        var actions = table.synchronized(1, at: start)
        let ids = (0..<6).map { "s\($0)" }
        for id in ids { actions += table.opened(record(id), links: [item(of: 10)], at: start) }
        while !actions.isEmpty {
            guard case .connect(let id, _, let token) = actions.removeFirst() else { continue }
            actions += table.connected(id, token: token)
        }
        #expect(table.faults(at: start) == [])
        let size = 1 << 20
        func checkpoint(_ id: String, _ state: CBORRaw) throws -> Bool {
            try table.checkpoint(id, state: state, token: table.sessions[id]?.token ?? 0)
        }
        // 45 % of the room, up to the next whole state.
        for id in ids.prefix(4) { #expect(try checkpoint(id, item(of: size))) }
        let error = try #require(throws: SceneCommandError.self) { try checkpoint(ids[5], item(of: size)) }
        #expect(error.reason == .overloaded)
        #expect(error.description.contains("machine of 'w'"), "\(error)")
        #expect(table.sessions[ids[5]]?.record.state == nil)
        #expect(try checkpoint(ids[0], item(of: size, 1)))
        #expect(try checkpoint(ids[0], item(of: size / 2)))
        #expect(try checkpoint(ids[5], item(of: size / 2)))
        #expect(table.faults(at: start) == [])
        _ = try table.reset(ids[1])
        #expect(try checkpoint(ids[4], item(of: size)))
        _ = table.closed(ids[2])
        #expect(table.faults(at: start) == [])
    }
}

extension LiveTests {
    /// Peers that open sessions without end.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct GreedyOpenerTests {
        private func open(by client: LiveClient) async throws -> String {
            try await client.chain.hostOpenSession(
                configuration: "Wall", role: "window", link: CBORRaw(encoding: ["url": "x"]), session: nil
            ).session
        }

        @Test("A peer that opens sessions without end is refused, and others still open theirs")
        func greedy() async throws {
            try await withHost { live in
                live.host.life?.sessions.table.room = SessionRoom(sessions: 20)
                let (greedy, other) = (try await live.client(), try await live.client())
                var opened: [String] = []
                let error = try await #require(throws: RemoteError.self) {
                    while opened.count < 20 { opened.append(try await open(by: greedy)) }
                }
                #expect(error.code == "overloaded")
                #expect(error.message.contains("sessions close"))
                try #require(opened.count == 9)
                #expect(live.host.hub.counters.values["refused: session without room"] == 1)
                _ = try await open(by: other)
                try await greedy.chain.hostCloseSession(session: opened[0])
                try await other.chain.hostCloseSession(session: opened[1])
                #expect(try await open(by: greedy) != opened[0])
                #expect(live.host.life?.sessions.table.room.sessionCount == opened.count)
            }
        }
    }
}
