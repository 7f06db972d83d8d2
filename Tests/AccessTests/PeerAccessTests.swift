import Access
import Bus
import Messaging
import Testing

/// What each role may do, as the operator's reference says it.
struct PeerAccessTests {
    private func access(_ words: String) throws -> PeerAccess { PeerAccess(try Keys.entry(words)) }

    private func hello(
        _ role: PeerRole, _ name: String = "p", handles: [String] = [], provides: [String] = [],
        services: [String] = [],
        scenes: [String] = []
    ) -> Hello {
        Hello(
            role: role, peer: name, pid: 1, endpoint: "", handles: handles, provides: provides, services: services,
            scenes: scenes)
    }

    private func frame(_ name: String, _ kind: FrameKind = .request, session: String = "") -> Frame {
        var frame = Frame(kind, name: name)
        frame.session = session
        return frame
    }

    // MARK: - The hello

    @Test(arguments: [
        ("p", true), ("p-1", true), ("p-1-2", true), ("p-", false), ("q", false), ("pp", false), ("q-p", false),
    ])
    func `A peer has the name of its key, or one that begins with it and a dash`(name: String, isAllowed: Bool) throws {
        let refusal = try access("p worker").refusal(of: hello(.worker, name))
        #expect((refusal == nil) == isAllowed)
        if let refusal {
            #expect(refusal.code == .unauthorized)
            #expect(refusal.reason.contains("'\(name)'") && refusal.reason.contains("--name"))
        }
    }

    @Test(
        arguments: [
            ("worker", [PeerRole.worker]), ("plugin", [.plugin]), ("monitor", [.monitor, .operator]),
            ("viewer", [.operator]),
            ("operator", [.operator, .monitor]), ("invitation as=worker", [.operator]),
        ] as [(String, [PeerRole])])
    func `A key's role decides as what its peers attach`(role: String, allowed: [PeerRole]) throws {
        for peerRole in PeerRole.allCases {
            let refusal = try access("p \(role)").refusal(of: hello(peerRole))
            #expect((refusal == nil) == allowed.contains(peerRole), "\(role) as \(peerRole)")
        }
    }

    @Test func `What a peer declares is within its role and its grants`() throws {
        let all = try access("p worker")
        #expect(all.refusal(of: hello(.worker, handles: ["a"], provides: ["b"], services: ["c"], scenes: ["D"])) == nil)
        let plugin = try access("p plugin")
        #expect(plugin.refusal(of: hello(.plugin, handles: ["a"], provides: ["b"], services: ["c"])) == nil)
        #expect(plugin.refusal(of: hello(.plugin, scenes: ["D"]))?.reason.contains("offer=D") == true)
        #expect(try access("p operator").refusal(of: hello(.operator, handles: ["a"])) != nil)
        let some = try access("p plugin handle=mail* provide=outbox")
        #expect(some.refusal(of: hello(.plugin, handles: ["mailSend"], provides: ["outbox"])) == nil)
        #expect(
            some.refusal(of: hello(.plugin, handles: ["accountLogin"]))?.reason.contains("handle=accountLogin") == true)
        #expect(some.refusal(of: hello(.plugin, provides: ["account"])) != nil)
        #expect(some.refusal(of: hello(.plugin, services: ["bank"])) != nil)
    }

    // MARK: - Frames

    @Test(arguments: KeyRole.allCases)
    func `Each message of the protocol is for the roles that have its right`(role: KeyRole) throws {
        let access = try access("p \(role.rawValue)" + (role == .invitation ? " as=worker" : ""))
        for message in ProtocolMessages.names {
            let right = HostMessageRights.right(for: message)
            let isAllowed = right.map(role.hostRights.contains) ?? false
            let error = access.refusal(of: frame(message), provesSession: true)
            #expect((error == nil) == isAllowed, "\(role): \(message)")
            #expect(error == nil || error?.code == .unauthorized)
        }
    }

    @Test func `Every message to the host has a right, and none that the host sends to a worker`() {
        for message in HostMessagesList.messages {
            #expect(HostMessageRights.right(for: message.name) != nil, "\(message.name)")
        }
        for message in SceneMessagesList.messages { #expect(HostMessageRights.right(for: message.name) == nil) }
    }

    @Test(arguments: [
        ("worker", true), ("plugin", true), ("monitor", false), ("viewer", false), ("operator", true),
        ("invitation as=worker", false),
    ])
    func `The application's messages are for those that act`(role: String, isAllowed: Bool) throws {
        for kind in [FrameKind.request, .post] {
            let error = try access("p \(role)").refusal(of: frame("accountLogin", kind), provesSession: true)
            #expect((error == nil) == isAllowed)
        }
    }

    @Test func `A grant narrows what is sent to what its patterns match, also to a service`() throws {
        let some = try access("p operator send=account* send=alertShow")
        for name in ["accountLogin", "alertShow", "bank/accountLogin"] {
            #expect(some.refusal(of: frame(name), provesSession: true) == nil, "\(name)")
        }
        for name in ["alertShowAll", "bank/alertHide", "mail"] {
            #expect(some.refusal(of: frame(name), provesSession: true)?.code == .unauthorized, "\(name)")
        }
    }

    @Test func `A grant widens a role by a message of the protocol only by its whole name`() throws {
        #expect(try access("p plugin send=*").refusal(of: frame("hostOpenSession"), provesSession: true) != nil)
        #expect(try access("p plugin send=host*").refusal(of: frame("hostOpenSession"), provesSession: true) != nil)
        #expect(
            try access("p plugin send=hostOpenSession").refusal(of: frame("hostOpenSession"), provesSession: true)
                == nil)
        // Workers and invited machines alone send these.
        for name in ["sceneCheckpoint", "hostEnroll"] {
            #expect(try access("p plugin send=\(name)").refusal(of: frame(name), provesSession: true) != nil)
        }
    }

    @Test func `A message of a session is refused unless the peer has a part in it`() throws {
        let worker = try access("p worker")
        #expect(worker.refusal(of: frame("a", session: "s"), provesSession: true) == nil)
        let error = worker.refusal(of: frame("a", session: "s"), provesSession: false)
        #expect(error?.detail.contains("'s'") == true)
        #expect(worker.refusal(of: frame("a"), provesSession: false) == nil)
    }

    @Test(arguments: FrameKind.allCases)
    func `Only messages and published entries need more than a link`(kind: FrameKind) throws {
        let viewer = try access("p viewer").refusal(of: frame("a", kind), provesSession: true)
        #expect((viewer != nil) == [.request, .post, .publish].contains(kind))
        let invitation = try access("p invitation as=worker").refusal(of: frame("a", kind), provesSession: true)
        #expect((invitation != nil) == [.request, .post, .publish, .synchronize].contains(kind))
        let plugin = try access("p plugin").refusal(of: frame("a", kind), provesSession: true)
        #expect(plugin == nil)
    }

    @Test func `A change of a line that means the same changes nothing`() throws {
        let one = try access("p worker send=a")
        var entry = one.entry
        entry.comment = "in the lobby"
        #expect(PeerAccess(entry).allowsSame(as: one))
        #expect(!(try access("p viewer send=a")).allowsSame(as: one))
        #expect(!(try access("p worker send=b")).allowsSame(as: one))
    }
}
