import Messaging
import Bus
import TestKit
import Testing

@testable import Hub

/// Who has opened a peer's connection counts, not what the peer says.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct PeerOwnerTests {
    /// Sends a hello on a new connection, and returns the answer. The test's process has opened the connection.
    private func answer(
        to name: String, role: PeerRole = .plugin, pid: Int32 = 1, of live: LiveHub
    ) async throws -> Frame {
        let raw = try live.raw()
        try raw.send(hello(name, role: role, pid: pid))
        return try await raw.next()
    }

    /// Does the same as a peer whose process is not known, because its hello comes behind another frame.
    private func answerToUnknown(
        _ name: String, role: PeerRole = .plugin, pid: Int32 = 1, of live: LiveHub
    ) async throws -> Frame {
        let raw = try live.raw()
        try raw.send(Frame(.heartbeat).encoded() + hello(name, role: role, pid: pid))
        // The link of the heartbeat is not known.
        let first = try await raw.next()
        #expect(first.kind == .refusal)
        return try await raw.next()
    }

    private func hello(_ name: String, role: PeerRole, pid: Int32) throws -> [UInt8] {
        try Frame(.hello).encoded(payload: Hello(role: role, peer: name, pid: pid, endpoint: ""))
    }

    private func detach(_ name: String, of live: LiveHub) throws {
        guard let link = live.hub.link(named: name) else { throw NotReached(description: "\(name) is attached") }
        live.hub.detach(link, .goodbye)
    }

    @Test("A name and a process ID are not enough to displace a peer; its own process gets the name back")
    func sameNumber() async throws {
        try await withHub { live in
            #expect(try await answer(to: "wall", pid: 7, of: live).kind == .welcome)
            let other = try await answerToUnknown("wall", pid: 7, of: live)
            #expect(other.kind == .refusal)
            #expect(try other.decodePayload(as: Refusal.self).code == .taken)
            #expect(live.hub.link(named: "wall")?.owner.process != nil)
            #expect(try await answer(to: "wall", pid: 7, of: live).kind == .welcome)
        }
    }

    @Test("Operators of one process that state many process IDs do not take the place of another's")
    func statedNumbers() async throws {
        try await withHub { live in
            live.hub.authority = FixedAuthority(maximumLinks: 1)
            for number in 1...16 as ClosedRange<Int32> {
                let reply = try await answer(to: "greedy\(number)", role: .operator, pid: number, of: live)
                #expect(reply.kind == .welcome)
            }
            #expect(try await answerToUnknown("honest", role: .operator, pid: 100, of: live).kind == .welcome)
            for number in 17...40 as ClosedRange<Int32> {
                let reply = try await answer(to: "greedy\(number)", role: .operator, pid: number, of: live)
                #expect(reply.kind == .welcome)
            }
            #expect(live.hub.link(named: "honest") != nil)
            #expect(live.hub.link(named: "greedy1") == nil)
        }
    }

    @Test("One process does not take all places, and what it leaves or gives back is for others and for itself")
    func share() async throws {
        try await withHub { live in
            live.hub.authority = FixedAuthority(maximumLinks: 20)
            for number in 1...9 {
                #expect(try await answer(to: "peer\(number)", of: live).kind == .welcome)
            }
            let refusal = try await answer(to: "peer10", of: live)
            #expect(refusal.kind == .refusal)
            let full = try refusal.decodePayload(as: Refusal.self)
            #expect(full.code == .full)
            #expect(full.reason.contains("9 peers of process"))
            #expect(full.reason.contains("a larger number"))
            #expect(try await answerToUnknown("other", of: live).kind == .welcome)
            try detach("peer1", of: live)
            #expect(try await answer(to: "peer11", of: live).kind == .welcome)
        }
    }

    @Test("A process that the host has started attaches to a full host, and takes no place of others")
    func ownProcess() async throws {
        try await withHub { live in
            live.hub.authority = FixedAuthority(maximumLinks: 1, own: "plugin")
            #expect(try await answer(to: "first", of: live).kind == .welcome)
            #expect(try await answer(to: "second", of: live).kind == .refusal)
            #expect(try await answer(to: "plugin", of: live).kind == .welcome)
            try detach("first", of: live)
            #expect(try await answer(to: "second", of: live).kind == .welcome)
            #expect(live.hub.link(named: "plugin") != nil)
        }
    }
}
