import Access
import Bus
import CBOR
import CoordinatorKit
import Foundation
import PeerLink
import TestKit
import Testing

@testable import Hub
@testable import Messaging
@testable import SceneHost

extension LiveTests {
    /// What the key of each role may do, tried over real sockets.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct KeyMatrixTests {
        // MARK: - What a key may do

        /// What each role may do with each message of the protocol, and with one of the application.
        @Test("Every role is allowed or refused every message as its rights say", arguments: KeyRole.allCases)
        func matrix(role: KeyRole) async throws {
            try await KeyedHost.with { host in
                try await host.allow("p \(role.rawValue)" + (role == .invitation ? " as=worker" : ""))
                for peerRole in PeerRole.allCases {
                    let answer = try await host.raw("p").hello("p-\(peerRole)", role: peerRole, endpoint: host.address)
                    #expect((answer.kind == .welcome) == role.peerRoles.contains(peerRole), "\(peerRole)")
                }
                let peerRole = try #require(role.peerRoles.sorted { $0.rawValue > $1.rawValue }.first)
                let raw = try await host.attached("p", role: peerRole)
                var id: UInt64 = 0
                for message in ProtocolMessages.names.sorted() + ["nowhereGo"] {
                    id += 1
                    var frame = Frame(.request, name: message)
                    frame.id = id
                    // No message has these parameters, so that an allowed one changes nothing.
                    frame.payload = [0xA1, 0x61, 0x78, 0x01]
                    try raw.send(frame.encoded())
                    var end = try await raw.next()
                    while end.kind != .reply && end.kind != .failure { end = try await raw.next() }
                    let code =
                        end.kind == .failure
                        ? (try end.decodePayload(as: FailureEncoding.self).error as? MessageError)?.code : nil
                    let isAllowed =
                        ProtocolMessages.names.contains(message)
                        ? HostMessageRights.right(for: message).map(role.hostRights.contains) ?? false
                        : [.worker, .plugin, .operator, .administrator].contains(role)
                    #expect(
                        (code != .unauthorized) == isAllowed,
                        "\(role): \(message): \(end.kind) \(String(describing: code))")
                }
            }
        }

        @Test("A session is acted for only by its worker, and by a peer that passes on what it was handed")
        func sessions() async throws {
            try await KeyedHost.with { host in
                try await host.allow("greeter plugin")
                try await host.live.worker("local")
                let client = try await host.live.client()
                let session = try await client.open()
                let raw = try await host.attached("greeter", role: .plugin, handles: ["greetingSay"])
                @MainActor func send(_ change: (inout Frame) -> Void) async throws -> MessageError.Code? {
                    var frame = Frame(.request, name: "nowhereGo")
                    frame.id = .random(in: 1...UInt64(Int64.max))
                    frame.session = session
                    frame.payload = [0xA0]
                    change(&frame)
                    try raw.send(frame.encoded())
                    let failure = try await raw.next(.failure)
                    return (try failure.decodePayload(as: FailureEncoding.self).error as? MessageError)?.code
                }
                #expect(try await send { _ in } == .unauthorized)
                #expect(try await send { $0.token = 1 } == .unauthorized)
                #expect(try await send { ($0.flags, $0.parent) = (.passedOn, 1) } == .unauthorized)
                let act = Task { try await client.act(session, "greet", "Ada") }
                let handed = try await raw.next("greetingSay")
                #expect(handed.session == session)
                #expect(try await send { ($0.flags, $0.parent) = (.passedOn, handed.id) } == .unhandled)
                // Not in another session's name.
                #expect(
                    try await send { ($0.flags, $0.parent, $0.session) = (.passedOn, handed.id, "other") }
                        == .unauthorized)
                act.cancel()
                _ = try? await act.value
            }
        }

        /// Whose session a frame names.
        enum Session: CaseIterable {
            case none, own, others, unknown
        }

        /// How often something was refused: by the rights of the key, or by the token of a worker.
        private func refusals(of host: KeyedHost) -> UInt64 {
            host.live.host.hub.counters.values.filter { $0.key.hasPrefix("refused: ") }.map(\.value).reduce(0, +)
        }

        @Test("A message of each role is carried in the sender's own session, or in none", arguments: KeyRole.allCases)
        func whose(role: KeyRole) async throws {
            try await KeyedHost.with { host in
                try await host.allow("p \(role.rawValue)" + (role == .invitation ? " as=worker" : ""))
                let client = try await host.live.client()
                try await host.live.worker("local")
                let others = try await client.open()
                let peerRole = try #require(role.peerRoles.sorted { $0.rawValue > $1.rawValue }.first)
                let raw = try await host.attached("p", role: peerRole)
                let acts: Set<KeyRole> = [.worker, .plugin, .operator, .administrator]
                for kind in [FrameKind.request, .post] {
                    for session in Session.allCases where session != .own {
                        var frame = Frame(kind, name: "nowhereGo")
                        frame.id = .random(in: 1...UInt64(Int64.max))
                        frame.session = session == .none ? "" : session == .others ? others : "nobody"
                        frame.token = session == .none ? 0 : 1
                        frame.payload = [0xA0]
                        let before = refusals(of: host)
                        try raw.send(frame.encoded())
                        // What was sent before it has been handled when it is answered.
                        try raw.sendHeartbeat()
                        var code: MessageError.Code?
                        while true {
                            let answer = try await raw.next()
                            if answer.kind == .heartbeat { break }
                            guard answer.kind == .failure else { continue }
                            code = (try answer.decodePayload(as: FailureEncoding.self).error as? MessageError)?.code
                        }
                        let isRefused = refusals(of: host) > before
                        #expect(isRefused == (session != .none || !acts.contains(role)), "\(role), \(kind), \(session)")
                        if kind == .request { #expect((code == .unauthorized) == isRefused, "\(role), \(session)") }
                    }
                }
            }
        }

        @Test("A worker acts for the session that was given to it, with its token alone")
        func ownSession() async throws {
            try await KeyedHost.with { host in
                try await host.allow("wall worker")
                let raw = try await host.rawWorker("wall")
                let client = try await host.live.client()
                let opening = Task { try await client.open() }
                let connect = try await raw.makeScene().decodePayload(as: SceneMessagesList.sceneConnect.self)
                let session = try await opening.value
                #expect(connect.session == session)
                for (token, isAllowed) in [(connect.token, true), (connect.token + 1, false), (0, false)] {
                    var frame = Frame(.request, name: "nowhereGo")
                    frame.id = .random(in: 1...UInt64(Int64.max))
                    (frame.session, frame.token, frame.payload) = (session, token, [0xA0])
                    try raw.send(frame.encoded())
                    let failure = try await raw.next(.failure)
                    let code = (try failure.decodePayload(as: FailureEncoding.self).error as? MessageError)?.code
                    #expect(code == (isAllowed ? .unhandled : .unauthorized), "\(token)")
                }
            }
        }

        // MARK: - Ways around

        @Test("The host's own messages are not on record, so none is handled when its sender is gone")
        func onceToHost() async throws {
            try await KeyedHost.with { host in
                try await host.allow("desk operator")
                let raw = try await host.attached("desk", role: .operator)
                var frame = Frame(.request, name: HostMessagesList.hostStatus.name)
                (frame.id, frame.flags, frame.messageID, frame.payload) = (1, .once, .new(), [0xA0])
                try raw.send(frame.encoded())
                let failure = try await raw.next(.failure)
                #expect(
                    (try failure.decodePayload(as: FailureEncoding.self).error as? MessageError)?.code == .malformed)
            }
        }

        @Test("A peer that handles no such message cannot go past those that do, as if it passed it on")
        func passedOnByNobody() async throws {
            try await KeyedHost.with { host in
                for line in ["guard plugin", "desk operator"] { try await host.allow(line) }
                let raw = try await host.attached("guard", role: .plugin, handles: ["doorOpen"])
                let desk = try await host.attached("desk", role: .operator)
                var frame = Frame(.request, name: "doorOpen")
                (frame.id, frame.flags, frame.payload) = (1, .passedOn, [0xA0])
                try desk.send(frame.encoded())
                #expect(try await raw.next("doorOpen").kind == .request)
            }
        }

        @Test("A message whose sender is gone is not taken for one of this process")
        func senderIsGone() async throws {
            try await KeyedHost.with { host in
                let remote = MessageContext.Remote(
                    sender: "", session: nil, requestID: 1, trace: .none, token: 0, link: 4711)
                let context = MessageContext("hostStatus", from: remote, timeout: nil, at: nil, session: nil)
                var error: MessageError?
                do {
                    _ = try MessageContext.with(context) { try host.live.host.hub.linkOfSender }
                } catch let caught as MessageError {
                    error = caught
                }
                #expect(error?.code == .unauthorized)
                // The application acts on its own account.
                let post = MessageContext("orderPlaced", from: remote, timeout: nil, at: nil, session: nil)
                let none = try MessageContext.with(post) { try host.live.host.hub.linkOfSender }
                #expect(none == nil)
                let own = try host.live.host.hub.linkOfSender
                #expect(own == nil)
            }
        }

        @Test("An invitation with grants does nothing with them before the machine has joined")
        func invitationWithGrants() async throws {
            try await KeyedHost.with { host in
                try await host.allow(
                    "inv invitation as=operator send=secretSay send=hostSessions handle=stealMe provide=fake")
                let raw = try await host.attached("inv", role: .operator)
                for message in ["secretSay", "hostSessions", "hostStatus"] {
                    var frame = Frame(.request, name: message)
                    (frame.id, frame.payload) = (.random(in: 1...UInt64(Int64.max)), [0xA0])
                    try raw.send(frame.encoded())
                    let failure = try await raw.next(.failure)
                    let code = (try failure.decodePayload(as: FailureEncoding.self).error as? MessageError)?.code
                    #expect(code == .unauthorized, "\(message)")
                }
                let refusal = await #expect(throws: Refusal.self) {
                    try await host.attached("inv", role: .operator, as: "inv-2", handles: ["stealMe"])
                }
                #expect(refusal?.code == .unauthorized)
            }
        }

        @Test("A worker gets no session back that was given to another key's", arguments: [true, false])
        func claims(isOwn: Bool) async throws {
            try await KeyedHost.with { host in
                for line in ["wall worker", "hall worker"] { try await host.allow(line) }
                let raw = try await host.rawWorker("wall")
                let client = try await host.live.client()
                let opening = Task { try await client.open() }
                let connect = try await raw.makeScene().decodePayload(as: SceneMessagesList.sceneConnect.self)
                let session = try await opening.value
                // The line says something else now, so the worker attaches anew, and for a moment nobody has the session.
                try await host.allow("wall worker send=some*")
                _ = try await raw.next(.refusal)
                let other = try await host.rawWorker(
                    isOwn ? "wall" : "hall", held: [HeldScene(session: session, token: connect.token)])
                if isOwn {
                    #expect(try await other.next("sceneResume").session == session)
                } else {
                    #expect(try await other.next("sceneDiscard").session == session)
                }
            }
        }
    }
}
