import Access
import Bus
import CBOR
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

    /// The configuration of a session, as a host with two sessions knows it.
    private func configuration(of session: String) -> String? { ["a": "Wall", "b": "Kiosk"][session] }

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
            ("operator", [.operator, .monitor]), ("administrator", [.operator, .monitor]),
            ("invitation as=worker", [.operator]),
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
            let error = access.refusal(of: frame(message), provesSession: true, configuration: configuration(of:))
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
        ("administrator", true), ("invitation as=worker", false),
    ])
    func `The application's messages are for those that act`(role: String, isAllowed: Bool) throws {
        for kind in [FrameKind.request, .post] {
            let error = try access("p \(role)").refusal(
                of: frame("accountLogin", kind), provesSession: true, configuration: configuration(of:))
            #expect((error == nil) == isAllowed)
        }
    }

    @Test(arguments: [
        ("worker", true), ("plugin handle=a", true), ("operator read=a", true), ("operator watch=a", true),
        ("operator send=*", false), ("operator session=Wall", false), ("viewer", false), ("monitor", false),
        ("invitation as=worker", false),
    ])
    func `Who sends all messages is known beforehand, and is refused none`(role: String, sendsAll: Bool) throws {
        let access = try access("p \(role)")
        #expect(access.sendsAll == sendsAll)
        guard sendsAll else { return }
        for kind in [FrameKind.request, .post] {
            for name in ["accountLogin", "", "hostess", "scenery"] {
                let error = access.refusal(
                    of: frame(name, kind), provesSession: true, configuration: configuration(of:))
                #expect(error == nil)
            }
        }
    }

    @Test func `A grant narrows what is sent to what its patterns match, also to a service`() throws {
        let some = try access("p operator send=account* send=alertShow")
        for name in ["accountLogin", "alertShow", "bank/accountLogin"] {
            #expect(
                some.refusal(of: frame(name), provesSession: true, configuration: configuration(of:)) == nil, "\(name)")
        }
        for name in ["alertShowAll", "bank/alertHide", "mail"] {
            #expect(
                some.refusal(of: frame(name), provesSession: true, configuration: configuration(of:))?.code
                    == .unauthorized, "\(name)")
        }
    }

    @Test func `A grant widens a role by a message of the protocol only by its whole name`() throws {
        #expect(
            try access("p plugin send=*").refusal(
                of: frame("hostOpenSession"), provesSession: true, configuration: configuration(of:)) != nil)
        #expect(
            try access("p plugin send=host*").refusal(
                of: frame("hostOpenSession"), provesSession: true, configuration: configuration(of:)) != nil)
        #expect(
            try access("p plugin send=hostOpenSession").refusal(
                of: frame("hostOpenSession"), provesSession: true, configuration: configuration(of:))
                == nil)
        // Workers, invited machines and administrators alone send these.
        for name in ["sceneCheckpoint", "hostEnroll", "hostAllowKey", "hostRevokeKey", "hostKeys"] {
            #expect(
                try access("p plugin send=\(name)").refusal(
                    of: frame(name), provesSession: true, configuration: configuration(of:)) != nil)
        }
    }

    @Test func `Every role replaces its own key but an invitation, and only an administrator decides about others`() {
        for role in KeyRole.allCases {
            #expect(role.hostRights.contains(.rotate) == (role != .invitation), "\(role)")
            #expect(role.hostRights.contains(.keys) == (role == .administrator), "\(role)")
        }
        #expect(KeyRole.administrator.hostRights.isSuperset(of: KeyRole.operator.hostRights))
    }

    @Test func `A grant that matches none of the names that there are is found`() throws {
        let grants = try Keys.entry(
            "p plugin send=account* send=foo* send=hostStatus send=host* handle=mail provide=outbox offer=Wall"
        ).grants
        let names: [Grants.Kind: Set<String>] = [
            .send: ["accountLogin", "fo"], .handle: ["mailSend"], .provide: ["outbox"],
        ]
        #expect(grants.unmatched(among: names) == ["handle=mail", "send=foo*", "send=host*"])
        #expect(Grants().unmatched(among: names).isEmpty)
    }

    @Test func `A message of a session is refused unless the peer has a part in it`() throws {
        let worker = try access("p worker")
        #expect(
            worker.refusal(of: frame("a", session: "s"), provesSession: true, configuration: configuration(of:)) == nil)
        let error = worker.refusal(
            of: frame("a", session: "s"), provesSession: false, configuration: configuration(of:))
        #expect(error?.detail.contains("'s'") == true)
        #expect(worker.refusal(of: frame("a"), provesSession: false, configuration: configuration(of:)) == nil)
    }

    @Test(arguments: FrameKind.allCases)
    func `Only messages and published entries need more than a link`(kind: FrameKind) throws {
        let viewer = try access("p viewer").refusal(
            of: frame("a", kind), provesSession: true, configuration: configuration(of:))
        #expect((viewer != nil) == [.request, .post, .publish].contains(kind))
        let invitation = try access("p invitation as=worker").refusal(
            of: frame("a", kind), provesSession: true, configuration: configuration(of:))
        #expect((invitation != nil) == [.request, .post, .publish, .synchronize].contains(kind))
        let plugin = try access("p plugin").refusal(
            of: frame("a", kind), provesSession: true, configuration: configuration(of:))
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

    @Test(arguments: KeyRole.allCases)
    func `Only a grant lets a peer act for users of its own`(role: KeyRole) throws {
        let words = "p \(role.rawValue)" + (role == .invitation ? " as=plugin" : "")
        let error = try #require(try access(words).refusal(ofActingFor: "anna", with: "greetingSay"))
        #expect(error.code == .unauthorized && error.message == "greetingSay" && error.detail.contains("'anna'"))
        for (grant, user, isAllowed) in [
            ("user=*", "anna", true), ("user=anna", "anna", true), ("user=an*", "anna", true),
            ("user=*", "Anna Müller", true), ("user=anna", "ben", false), ("user=ann", "anna", false),
        ] {
            let error = try access("\(words) \(grant)").refusal(ofActingFor: user, with: "greetingSay")
            #expect((error == nil) == (isAllowed && role != .invitation), "\(grant) \(user)")
        }
    }

    // MARK: - Entries, sessions and the traffic

    @Test func `Who reads the container reads each entry, unless a grant narrows that`() throws {
        #expect(try access("p worker").readsAll)
        #expect(try access("p worker").mayRead("anything", configuration: configuration(of:)))
        let some = try access("p worker read=wall* read=total")
        #expect(!some.readsAll)
        func mayRead(_ key: String) -> Bool { some.mayRead(key, configuration: configuration(of:)) }
        for key in ["wallTitle", "total", AppDependency.absentKey] { #expect(mayRead(key), "\(key)") }
        for key in ["totals", "account", "wal"] { #expect(!mayRead(key), "\(key)") }
        let invited = try access("p invitation as=worker")
        #expect(!invited.readsAll)
        for key in ["total", AppDependency.absentKey] {
            #expect(!invited.mayRead(key, configuration: configuration(of:)), "\(key)")
        }
    }

    @Test func `Entries are hidden that some key may not read`() throws {
        var table = KeyTable().next(KeyList(try Keys.entry("p worker read=wall*").line))
        #expect(table.hides("account", configuration: configuration(of:)))
        #expect(!table.hides("wallTitle", configuration: configuration(of:)))
        table = table.next(KeyList(try Keys.entry("p worker").line))
        #expect(!table.hides("account", configuration: configuration(of:)))
    }

    @Test func `An entry of a session is for those who may read its name and the session`() throws {
        func reads(_ words: String) throws -> [String] {
            let access = try access(words)
            return ["account@a", "account@b", "theme@a"].filter {
                access.mayRead($0, configuration: configuration(of:))
            }
        }
        #expect(try reads("p worker") == ["account@a", "account@b", "theme@a"])
        #expect(try reads("p worker read=account") == ["account@a", "account@b"])
        #expect(try reads("p worker read=account@a") == [])
        #expect(try reads("p operator session=b") == ["account@b"])
        #expect(try reads("p operator session=Wall read=account") == ["account@a"])
        #expect(try reads("p worker offer=Wall") == ["account@a", "theme@a"])
        #expect(try reads("p invitation as=worker") == [])
        for words in ["p operator session=Wall", "p worker offer=Wall"] {
            let ofWall = try access(words)
            #expect(!ofWall.readsAll && ofWall.mayRead("total", configuration: configuration(of:)))
        }
    }

    @Test func `That a closed session has no entries is for all who may read their name`() throws {
        let ofWall = try access("p operator session=Wall read=account")
        #expect(ofWall.mayRead("account@closed", configuration: configuration(of:)))
        #expect(!ofWall.mayRead("theme@closed", configuration: configuration(of:)))
        let table = KeyTable().next(KeyList(try Keys.entry("p operator session=Wall").line))
        #expect(table.hides("account@b", configuration: configuration(of:)))
        #expect(!table.hides("account@a", configuration: configuration(of:)))
    }

    private func request(_ name: String, _ fields: [String: String]) throws -> Frame {
        var frame = frame(name)
        frame.payload = try CBOREncoder().encode(fields)[...]
        return frame
    }

    @Test(
        arguments: [
            ("hostCloseSession", ["session": "a"], true), ("hostCloseSession", ["session": "b"], false),
            ("hostCloseSession", ["session": "kiosk-1"], true), ("hostCloseSession", ["session": "none"], false),
            ("hostCloseSession", [:], false), ("hostSceneContent", ["session": "b"], false),
            ("hostScenePicture", ["session": "b"], false), ("hostScenePicture", ["session": "a"], true),
            ("hostStatus", [:], true),
            ("hostSceneImage", ["session": "a"], true), ("hostSceneImage", ["session": "b"], false),
            ("hostOpenSession", ["configuration": "Wall"], true),
            ("hostOpenSession", ["configuration": "Kiosk"], false),
            ("hostOpenSession", ["session": "kiosk-2"], false), ("hostDrain", ["worker": "w"], false),
            ("hostOpen", [:], false), ("hostOpen", ["session": "a"], true), ("hostAudit", [:], false),
            // Fields that the host does not read.
            ("hostDrain", ["worker": "w", "session": "a"], false), ("hostAudit", ["session": "a"], false),
            ("hostLogs", ["instance": "w", "session": "a"], false), ("hostSessions", [:], true),
        ] as [(String, [String: String], Bool)])
    func `A grant of sessions narrows each message to the host`(
        name: String, fields: [String: String], isAllowed: Bool
    ) throws {
        let some = try access("p operator session=Wall session=kiosk-*")
        let error = try some.refusal(
            of: request(name, fields), provesSession: true, configuration: configuration(of:))
        #expect((error == nil) == isAllowed, "\(name) \(fields)")
        #expect(
            try access("p operator").refusal(
                of: request(name, fields), provesSession: true, configuration: configuration(of:)) == nil)
    }

    @Test func `A message that the check cannot read is refused`() throws {
        let some = try access("p viewer session=Wall")
        for name in ["hostSession", "hostSceneContent", "hostSceneImage"] {
            var frame = frame(name)
            // {"session": 5}
            frame.payload = ([0xA1, 0x67] + Array("session".utf8) + [5])[...]
            #expect(
                some.refusal(of: frame, provesSession: true, configuration: configuration(of:))?.code == .unauthorized)
        }
    }

    @Test func `A key for some sessions decides about no keys`() throws {
        let some = try access("p administrator session=Wall")
        for name in ["hostKeys", "hostAllowKey", "hostRevokeKey", "hostUnmatchedGrants"] {
            let error = try some.refusal(
                of: request(name, ["session": "a"]), provesSession: true, configuration: configuration(of:))
            #expect(error?.code == .unauthorized, "\(name)")
        }
    }

    @Test func `The grants of an invitation are not its own`() throws {
        let invitation = try access(
            "p invitation as=operator send=* send=hostDrain handle=* provide=* read=* session=*")
        for name in ["accountLogin", "hostDrain", "hostStatus"] {
            #expect(
                invitation.refusal(of: frame(name), provesSession: true, configuration: configuration(of:)) != nil,
                "\(name)")
        }
        #expect(
            invitation.refusal(of: frame("", .publish), provesSession: true, configuration: configuration(of:)) != nil)
        #expect(
            invitation.refusal(of: frame("hostEnroll"), provesSession: true, configuration: configuration(of:)) == nil)
        #expect(invitation.refusal(of: hello(.operator, handles: ["a"])) != nil)
        #expect(invitation.refusal(of: hello(.operator, provides: ["a"])) != nil)
        #expect(!invitation.mayRead("a", configuration: configuration(of:)))
    }

    @Test(arguments: [
        ("operator", true), ("administrator", true), ("viewer", false), ("monitor", false), ("worker", false),
        ("viewer send=hostLogs", true), ("operator session=Wall", false),
    ])
    func `What processes print is for operators of all sessions`(words: String, isAllowed: Bool) throws {
        #expect(try access("p \(words)").readsOutput == isAllowed)
    }

    @Test func `Two sessions in one message are none`() throws {
        let some = try access("p operator session=Wall")
        var frame = frame("hostCloseSession")
        // {"session": "a", "session": "b"}
        let name: [UInt8] = [0x67] + Array("session".utf8)
        let payload: [UInt8] = [0xA2] + name + [0x61, 0x61] + name + [0x61, 0x62]
        frame.payload = payload[...]
        #expect(some.refusal(of: frame, provesSession: true, configuration: configuration(of:))?.code == .unauthorized)
    }

    @Test func `A watcher sees what its grants let it see`() throws {
        func record(_ name: String, _ session: String) -> TapRecord {
            TapRecord(
                sequence: 1, time: 1, from: "a", to: "host", kind: "request", name: name, session: session, sender: "",
                size: 1, latency: nil, trace: nil)
        }
        let some = try access("p monitor watch=account* session=Wall")
        #expect(some.maySee(record("accountLogin", "a"), configuration: configuration(of:)))
        #expect(some.maySee(record("", ""), configuration: configuration(of:)))
        #expect(!some.maySee(record("accountLogin", "b"), configuration: configuration(of:)))
        #expect(!some.maySee(record("mailSend", "a"), configuration: configuration(of:)))
        #expect(try access("p monitor").maySee(record("mailSend", "b"), configuration: configuration(of:)))
    }

    @Test func `A worker's sessions are granted by what it may run`() throws {
        #expect(throws: KeyEntry.Invalid.self) { try access("p worker session=Wall") }
        #expect(throws: KeyEntry.Invalid.self) { try access("p invitation as=worker session=Wall") }
    }
}
