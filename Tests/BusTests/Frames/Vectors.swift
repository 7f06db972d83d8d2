import Messaging
import CBOR
import CoordinatorKit

@testable import Bus

/// At least one frame of each kind, with every field that the kind uses, and each shape of payload. The protocol's
/// document shows the same bytes.
enum Vectors {
    static func frame(_ kind: FrameKind, _ fill: (inout Frame) throws -> Void = { _ in }) throws -> [UInt8] {
        var frame = Frame(kind)
        try fill(&frame)
        return frame.encoded(names: NameTable.maximumCount)
    }

    static let trace = TraceContext(traceHigh: 0x0102_0304_0506_0708, traceLow: 0x090a_0b0c_0d0e_0f10, span: 0x1112)

    /// The list of names to which the vectors with an index refer.
    static let names = ["accountShow", "counterAdd"]

    typealias Vector = (name: String, bytes: [UInt8])

    static let encoder = CBOREncoder()

    /// Encodes a message as a request or post, with the name and fields of the message's type.
    static func message<M: ResponderMessage>(
        _ message: M, as kind: FrameKind = .request, _ fill: (inout Frame) throws -> Void
    ) throws -> [UInt8] {
        try frame(kind) {
            $0.name = M.name
            $0.payload = try encoder.encode(message)[...]
            try fill(&$0)
        }
    }

    /// Encodes a reply with the value that the handler returned.
    static func reply(id: UInt64, _ name: String, _ value: some Encodable) throws -> [UInt8] {
        try frame(.reply) {
            $0.id = id
            $0.name = name
            $0.payload = try encoder.encode(value)[...]
        }
    }

    /// All vectors, in the document's order.
    static func all() throws -> [Vector] {
        var all = try links()
        all += try requests()
        all += try container()
        all += try scenes()
        all += try operators()
        all += try watching()
        all += try taps()
        return all
    }

    private static let nextKey = String(repeating: "0123456789abcdef", count: 4)

    private static func links() throws -> [Vector] {
        let hello = Hello(
            role: .worker, peer: "wall-1", pid: 42, life: 0x2122_2324_2526_2728, endpoint: "tcp://192.0.2.7:5570",
            software: "1.0.0",
            handles: ["counterAdd"], provides: ["total"], services: [], scenes: ["Wall"], capacity: 2)
        let welcome = Welcome(
            version: 1, epoch: 7, link: 3, publisher: "tcp://*:5571", heartbeat: 1000, clock: 5_000_000,
            host: "default",
            pid: 41, credits: 2048)
        let refusal = Refusal(.version, "too old", peerVersions: ProtocolVersionRange(min: 2, max: 3))
        return [
            ("hello", try frame(.hello) { $0.payload = try encoder.encode(hello)[...] }),
            (
                "hello of a worker that comes back",
                try frame(.hello) {
                    var back = hello
                    back.credits = 2048
                    back.held = [HeldScene(session: "k3m9xw2p", token: 11)]
                    $0.payload = try encoder.encode(back)[...]
                }
            ),
            (
                "hello of an operator that accepts batches",
                try frame(.hello) {
                    let operating = Hello(
                        role: .operator, peer: "scenebus-77", pid: 77, endpoint: "ipc:///run/scenebus/bus",
                        batch: 65_536)
                    $0.payload = try encoder.encode(operating)[...]
                }
            ),
            ("welcome", try frame(.welcome) { $0.payload = try encoder.encode(welcome)[...] }),
            (
                "welcome of a host that accepts batches",
                try frame(.welcome) {
                    var accepting = welcome
                    accepting.batch = 65_536
                    $0.payload = try encoder.encode(accepting)[...]
                }
            ),
            (
                "hello of an operator that accepts a list of names",
                try frame(.hello) {
                    let operating = Hello(
                        role: .operator, peer: "scenebus-77", pid: 77, endpoint: "ipc:///run/scenebus/bus", names: 128)
                    $0.payload = try encoder.encode(operating)[...]
                }
            ),
            (
                "hello of a plugin with a secret field",
                try frame(.hello) {
                    let plugin = Hello(
                        role: .plugin, peer: "mail", pid: 43, endpoint: "ipc:///run/scenebus/bus",
                        handles: ["mailConnect"], secrets: ["mailConnect.pin"])
                    $0.payload = try encoder.encode(plugin)[...]
                }
            ),
            (
                "welcome with a list of names",
                try frame(.welcome) {
                    var listing = welcome
                    listing.names = names
                    $0.payload = try encoder.encode(listing)[...]
                }
            ),
            (
                "welcome to a peer with a key, with the next key of the host",
                try frame(.welcome) {
                    var announcing = welcome
                    announcing.nextKey = nextKey
                    $0.payload = try encoder.encode(announcing)[...]
                }
            ),
            ("refusal", try frame(.refusal) { $0.payload = try encoder.encode(refusal)[...] }),
            (
                "refusal of an unknown link",
                try frame(.refusal) { $0.payload = try encoder.encode(Refusal(.unknownLink, "say hello again"))[...] }
            ),
            (
                "refusal of a peer that is to wait for its turn",
                try frame(.refusal) {
                    var busy = Refusal(.busy, "come again")
                    busy.wait = 250
                    $0.payload = try encoder.encode(busy)[...]
                }
            ),
            (
                "heartbeat",
                try frame(.heartbeat) {
                    $0.id = 3_000_000
                    $0.payload = try encoder.encode(Heartbeat(received: 4096))[...]
                }
            ),
            (
                "heartbeat with what was dropped",
                try frame(.heartbeat) {
                    $0.id = 4_000_000
                    $0.payload = try encoder.encode(
                        Heartbeat(received: 8192, drops: PeerDrops(["badPayload": 2])))[...]
                }
            ),
            (
                "heartbeat of the host, with its clock",
                try frame(.heartbeat) {
                    $0.id = 4_000_000
                    $0.payload = try encoder.encode(Heartbeat(received: 12_288, clock: 9_000_000))[...]
                }
            ),
            (
                "heartbeat of the host with a mark",
                try frame(.heartbeat) {
                    $0.payload = try encoder.encode(
                        Heartbeat(received: 12_288, clock: 9_000_000, mark: 0x3132_3334_3536_3738))[...]
                }
            ),
            (
                "heartbeat that returns a mark",
                try frame(.heartbeat) {
                    $0.payload = try encoder.encode(Heartbeat(received: 8 << 20, mark: 0x3132_3334_3536_3738))[...]
                }
            ),
            (
                "heartbeat that wants no answer",
                try frame(.heartbeat) { $0.payload = try encoder.encode(Heartbeat(received: 8 << 20))[...] }
            ),
            (
                "heartbeat of the host, with its next key",
                try frame(.heartbeat) {
                    $0.id = 4_000_000
                    var heartbeat = Heartbeat(received: 12_288, clock: 9_000_000)
                    heartbeat.nextKey = nextKey
                    $0.payload = try encoder.encode(heartbeat)[...]
                }
            ),
            ("goodbye", try frame(.goodbye)),
        ]
    }

    private static func requests() throws -> [Vector] {
        let unhandled = MessageError(.unhandled, message: "wallExplode", path: ["Screen", "AppDelegate"])
        let thrown = RemoteError(type: "LoginRequired", message: "log in", code: "loginRequired")
        return [
            (
                "request",
                try frame(.request) {
                    $0.id = 9
                    $0.deadline = 6_000_000
                    $0.token = 11
                    $0.trace = trace
                    $0.name = "counterAdd"
                    $0.session = "k3m9xw2p"
                    $0.sender = "CounterScreen"
                    $0.payload = try encoder.encode(["amount": 1])[...]
                }
            ),
            (
                "request with a secret",
                try frame(.request) {
                    $0.id = 13
                    $0.deadline = 6_000_000
                    $0.name = "mailConnect"
                    $0.session = "k3m9xw2p"
                    $0.sender = "MailScreen"
                    $0.payload = try encoder.encode(["pin": Secret("2468")])[...]
                }
            ),
            (
                "request idempotent",
                try frame(.request) {
                    $0.id = 11
                    $0.deadline = 6_000_000
                    $0.delivery = .idempotent
                    $0.messageID = MessageID(high: 0x2122_2324_2526_2728, low: 0x292a_2b2c_2d2e_2f30)
                    $0.name = "clock/clockRead"
                    $0.sender = "ClockScreen"
                    $0.payload = try encoder.encode(NoReply())[...]
                }
            ),
            (
                "request once",
                try frame(.request) {
                    $0.id = 10
                    $0.deadline = 6_000_000
                    $0.token = 11
                    $0.delivery = .once
                    $0.messageID = MessageID(high: 0x1112_1314_1516_1718, low: 0x191a_1b1c_1d1e_1f20)
                    $0.name = "orderPlace"
                    $0.session = "k3m9xw2p"
                    $0.sender = "ShopScreen"
                    $0.payload = try encoder.encode(["item": "tea"])[...]
                }
            ),
            (
                "request with an actor",
                try frame(.request) {
                    $0.id = 13
                    $0.deadline = 6_000_000
                    $0.trace = trace
                    $0.name = "counterAdd"
                    $0.actor = "operator desk-7 desk"
                    $0.payload = try encoder.encode(["amount": 2])[...]
                }
            ),
            (
                "request passed on",
                try frame(.request) {
                    $0.flags = .passedOn
                    $0.id = 12
                    $0.parent = 9
                    $0.deadline = 6_000_000
                    $0.trace = TraceContext(traceHigh: trace.traceHigh, traceLow: trace.traceLow, span: 0x1314)
                    $0.name = "counterAdd"
                    $0.session = "k3m9xw2p"
                    $0.sender = "CounterScreen"
                    $0.payload = try encoder.encode(["amount": 2])[...]
                }
            ),
            (
                "reply",
                try frame(.reply) {
                    $0.session = "k3m9xw2p"
                    $0.id = 9
                    $0.revision = 12
                    $0.name = "counterAdd"
                    $0.payload = try encoder.encode(5)[...]
                }
            ),
            ("reply without a value", try reply(id: 12, "counterAdd", NoReply())),
            (
                "request with the index of its name",
                try frame(.request) {
                    $0.id = 13
                    $0.deadline = 6_000_000
                    $0.setName("counterAdd", NameIndex(rawValue: 1))
                    $0.sender = "CounterScreen"
                    $0.payload = try encoder.encode(["amount": 1])[...]
                }
            ),
            (
                "reply with the index of its name",
                try frame(.reply) {
                    $0.id = 13
                    $0.revision = 12
                    $0.setName("counterAdd", NameIndex(rawValue: 1))
                    $0.payload = try encoder.encode(6)[...]
                }
            ),
            (
                "failure unhandled",
                try frame(.failure) {
                    $0.id = 9
                    $0.name = "wallExplode"
                    $0.payload = try encoder.encode(FailureEncoding(unhandled))[...]
                }
            ),
            (
                "failure peerLost",
                try frame(.failure) {
                    $0.id = 10
                    $0.name = "orderPlace"
                    let lost = MessageError(
                        .peerLost, message: "orderPlace", detail: "the host died while it was handled",
                        mayHaveBeenHandled: true)
                    $0.payload = try encoder.encode(FailureEncoding(lost))[...]
                }
            ),
            (
                "failure thrown",
                try frame(.failure) {
                    $0.id = 9
                    $0.name = "alertAcknowledge"
                    $0.payload = try encoder.encode(FailureEncoding(thrown))[...]
                }
            ),
            (
                "failure thrown without a code",
                try frame(.failure) {
                    $0.id = 12
                    $0.name = "counterAdd"
                    let error = RemoteError(type: "Overflow", message: "the counter is full")
                    $0.payload = try encoder.encode(FailureEncoding(error))[...]
                }
            ),
            (
                "post",
                try frame(.post) {
                    $0.flags = .passedOn
                    $0.parent = 8
                    $0.name = "accountShow"
                    $0.payload = try encoder.encode(["page": "settings"])[...]
                }
            ),
            (
                "copy of a request once",
                try frame(.request) {
                    $0.flags = [.once, .copy]
                    $0.id = 2
                    $0.deadline = 6_000_000
                    $0.token = 11
                    $0.name = "orderPlace"
                    $0.session = "k3m9xw2p"
                    $0.sender = "ShopScreen"
                    $0.messageID = MessageID(high: 0x1112_1314_1516_1718, low: 0x191a_1b1c_1d1e_1f20)
                    $0.payload = try encoder.encode(["item": "tea"])[...]
                }
            ),
            ("cancel", try frame(.cancel) { $0.id = 9 }),
        ]
    }

    private static func container() throws -> [Vector] {
        [
            ("synchronize from nothing", try frame(.synchronize) { $0.epoch = 7 }),
            (
                "synchronize the next part",
                try frame(.synchronize) {
                    $0.epoch = 7
                    $0.part = 1
                    $0.revision = 12
                }
            ),
            (
                "synchronize from what is known",
                try frame(.synchronize) {
                    $0.epoch = 7
                    $0.previous = 11
                }
            ),
            (
                "snapshot whose parts go on",
                try frame(.snapshot) {
                    $0.epoch = 7
                    $0.revision = 12
                    $0.payload = DependencyPayload.encode(["greeting": try encoder.encode("hello")])[...]
                }
            ),
            (
                "snapshot",
                try frame(.snapshot) {
                    $0.flags = .last
                    $0.epoch = 7
                    $0.part = 1
                    $0.revision = 12
                    $0.payload = DependencyPayload.encode(["total": [0x05]])[...]
                }
            ),
            (
                "snapshot of what changed",
                try frame(.snapshot) {
                    $0.flags = .last
                    $0.epoch = 7
                    $0.previous = 11
                    $0.revision = 13
                    $0.payload = DependencyPayload.encode(["account": nil, "total": [0x06]])[...]
                }
            ),
            (
                "delta",
                try frame(.delta) {
                    $0.epoch = 7
                    $0.previous = 12
                    $0.revision = 13
                    $0.payload = DependencyPayload.encode(["account": nil, "total": [0x06]])[...]
                }
            ),
            (
                "beacon",
                try frame(.beacon) {
                    $0.epoch = 7
                    $0.revision = 13
                }
            ),
            ("publish", try frame(.publish) { $0.payload = DependencyPayload.encode(["total": [0x06]])[...] }),
            (
                "publish a removal",
                try frame(.publish) { $0.payload = DependencyPayload.encode(["total": nil])[...] }
            ),
        ]
    }

    /// The state of a scene with two screens.
    static let state = UserActivity(
        activityType: "scenebus.scene-state",
        userInfo: [
            "screens": [
                ["page": "home", "kept": [:]],
                ["page": ["details": ["_0": 7]], "kept": ["draft": "tea"]],
            ]
        ])

    static let content = ScreenContent(
        title: "Shop", texts: ["Choose."],
        items: [
            ScreenContent.Item(id: "tea", title: "Tea", detail: "green", action: "choose-tea"),
            ScreenContent.Item(id: "sold", title: "Coffee"),
        ],
        fields: [
            ScreenContent.Field(name: "note", label: "Note", value: "warm"),
            ScreenContent.Field(name: "pin", label: "PIN", value: "1234", isSecret: true),
        ],
        actions: [ScreenContent.Action(name: "order", label: "Order", isEnabled: false)])

    private static func scenes() throws -> [Vector] {
        let id = "k3m9xw2p"
        func scene(_ frame: inout Frame, id request: UInt64, token: UInt64) {
            frame.id = request
            frame.deadline = 6_000_000
            frame.token = token
            frame.session = id
            frame.sender = "Host"
        }
        let links = try [
            DeepLink.url("shop://order/tea"), .notification(["order": 7]),
            .activity(UserActivity(activityType: "shop.order", title: "Tea")),
        ].map { try CBORRaw(encoding: $0) }
        let state = try CBORRaw(encoding: Self.state)
        let connect = SceneMessagesList.sceneConnect(
            session: id, role: "windowApplication", configuration: "Wall", token: 11, state: state, links: links)
        let first = SceneMessagesList.sceneConnect(
            session: id, role: "windowApplication", configuration: "Wall", token: 11, state: nil, links: [])
        let act = SceneMessagesList.sceneAct(
            session: id, layer: nil, action: "order", fields: ["note": "hot", "pin": "1234"], content: nil)
        let checkpoint = SceneReportMessagesList.sceneCheckpoint(session: id, state: state)
        let unknown = RemoteError(
            type: "SceneCommandError", message: "no session 'k3m9xw2p' runs here", code: "unknownSession")
        let nothing: CBORRaw? = nil
        return [
            ("scene connect", try message(connect) { scene(&$0, id: 20, token: 11) }),
            ("scene connect of a new session", try message(first) { scene(&$0, id: 20, token: 11) }),
            (
                "scene freeze",
                try message(SceneMessagesList.sceneFreeze(session: id)) { scene(&$0, id: 21, token: 11) }
            ),
            ("reply to scene freeze", try reply(id: 21, "sceneFreeze", state)),
            ("reply to scene freeze without a state", try reply(id: 21, "sceneFreeze", nothing)),
            (
                "scene resume",
                try message(SceneMessagesList.sceneResume(session: id, token: 12)) { scene(&$0, id: 22, token: 12) }
            ),
            (
                "failure of scene resume",
                try frame(.failure) {
                    $0.id = 22
                    $0.name = "sceneResume"
                    $0.payload = try encoder.encode(FailureEncoding(unknown))[...]
                }
            ),
            (
                "scene discard",
                try message(SceneMessagesList.sceneDiscard(session: id, token: 12)) { scene(&$0, id: 23, token: 12) }
            ),
            (
                "scene open",
                try message(SceneMessagesList.sceneOpen(session: id, link: links[0])) {
                    scene(&$0, id: 24, token: 12)
                }
            ),
            (
                "scene acceptance",
                try message(SceneMessagesList.sceneAcceptance(session: id, link: links[0])) {
                    scene(&$0, id: 27, token: 12)
                    $0.delivery = .idempotent
                }
            ),
            (
                "reply to scene acceptance",
                try reply(id: 27, "sceneAcceptance", SceneAcceptance(answer: SceneAcceptance.preferred))
            ),
            (
                "reply to scene acceptance of a scene that declines",
                try reply(
                    id: 27, "sceneAcceptance",
                    SceneAcceptance(answer: SceneAcceptance.declined, reason: "another room"))
            ),
            (
                "scene content",
                try message(SceneMessagesList.sceneContent(session: id)) {
                    scene(&$0, id: 26, token: 12)
                    $0.delivery = .idempotent
                }
            ),
            ("scene act", try message(act) { scene(&$0, id: 25, token: 12) }),
            ("reply to scene act", try reply(id: 25, "sceneAct", content)),
            (
                "scene checkpoint",
                try message(checkpoint, as: .post) {
                    $0.token = 11
                    $0.session = id
                    $0.sender = "Scene"
                }
            ),
        ]
    }

    private static func operators() throws -> [Vector] {
        func ask(_ frame: inout Frame, id: UInt64) {
            frame.id = id
            frame.deadline = 6_000_000
        }
        let status = HostStatus(
            name: "default", pid: 41, epoch: 7, uptimeSeconds: 61.5, endpoints: ["ipc:///run/scenebus/default/bus"],
            revision: 13, openSessions: 1, connectedScenes: 1,
            linkCount: 1,
            counters: ["frames in": 12], unhandledPosts: ["accountShow": 1], problems: [])
        let links = LinkList(
            links: [
                LinkStatus(
                    link: 3, peer: "wall-1", role: .worker, pid: 42, sessions: 1, silentSeconds: 0.25,
                    pendingRequests: 0, drops: ["send queue full": 2])
            ], next: nil)
        let running = SessionStatus(
            session: "k3m9xw2p", configuration: "Wall", role: "windowApplication", worker: "wall-1", pid: 42,
            token: 11, state: .running, problem: nil)
        let waiting = SessionStatus(
            session: "k3m9xw2p", configuration: "Wall", role: "windowApplication", worker: nil, pid: nil,
            token: 11, state: .waiting, problem: "no worker has room")
        let held = SessionStatus(
            session: "k3m9xw2p", configuration: "Wall", role: "windowApplication", worker: nil, pid: nil,
            token: 11, state: .waiting, problem: "crashed 2 workers")
        let worker = WorkerStatus(
            worker: "wall-1", pid: 42, software: "1.0.0", scenes: ["Wall"], capacity: 2, sessions: 1,
            ending: 0, isDraining: true)
        let entry = DependencyStatus(key: "total", value: [6], revision: 13, owner: "wall-1")
        let gone = DependencyStatus(key: "total", value: [6], revision: 13, owner: "wall-1", ownerGoneSeconds: 1.5)
        let plugin = PluginStatus(
            id: "clock", instance: "clock-2", version: "1.0.0", state: .attached, pid: 43, restarts: 1,
            handles: ["clockRead"], provides: ["time"], scenes: [], problem: nil)
        let open = HostMessagesList.hostOpenSession(
            configuration: nil, role: "windowApplication", link: nil, session: nil)
        let link = HostMessagesList.hostOpen(
            link: try CBORRaw(
                encoding: DeepLink.activity(UserActivity(activityType: "shop.order", userInfo: ["item": "tea"]))),
            session: "k3m9xw2p")
        let drain = HostMessagesList.hostDrain(worker: "wall-1", isDraining: true)
        return [
            ("host status", try message(HostMessagesList.hostStatus()) { ask(&$0, id: 30) }),
            ("reply to host status", try reply(id: 30, "hostStatus", status)),
            (
                "host links",
                try message(HostMessagesList.hostLinks(after: nil, limit: 1)) { ask(&$0, id: 37) }
            ),
            ("reply to host links", try reply(id: 37, "hostLinks", links)),
            ("host open session", try message(open) { ask(&$0, id: 31) }),
            ("reply to host open session", try reply(id: 31, "hostOpenSession", running)),
            (
                "host sessions",
                try message(HostMessagesList.hostSessions(worker: nil, after: nil, limit: 1)) { ask(&$0, id: 32) }
            ),
            (
                "reply to host sessions",
                try reply(id: 32, "hostSessions", SessionList(sessions: [waiting], next: "7.k3m9xw2p"))
            ),
            ("host open", try message(link) { ask(&$0, id: 33) }),
            ("host drain", try message(drain) { ask(&$0, id: 34) }),
            ("reply to host drain", try reply(id: 34, "hostDrain", worker)),
            (
                "host dependencies",
                try message(HostMessagesList.hostDependencies(after: DependencyPlace(revision: 9, key: "clock"))) {
                    ask(&$0, id: 35)
                }
            ),
            (
                "reply to host dependencies",
                try reply(
                    id: 35, "hostDependencies",
                    DependencyPage(entries: [entry], next: DependencyPlace(revision: 13, key: "total")))
            ),
            ("reply to host plugins", try reply(id: 36, "hostPlugins", PluginList(plugins: [plugin], next: nil))),
            (
                "host logs",
                try message(HostMessagesList.hostLogs(instance: "clock-2", previous: false, after: 41)) {
                    ask(&$0, id: 38)
                }
            ),
            (
                "reply to host logs",
                try reply(
                    id: 38, "hostLogs",
                    LogPage(
                        lines: [LogLine(number: 42, start: 1, isError: true, text: "it is late")], last: 42,
                        hasMore: false))
            ),
            (
                "host move",
                try message(HostMessagesList.hostMove(session: "k3m9xw2p", worker: "wall-2")) { ask(&$0, id: 39) }
            ),
            (
                "host restart", try message(HostMessagesList.hostRestart(worker: "wall-1")) { ask(&$0, id: 40) }
            ),
            (
                "reply to host workers", try reply(id: 41, "hostWorkers", WorkerList(workers: [worker], next: nil))
            ),
            (
                "host scene content",
                try message(HostMessagesList.hostSceneContent(session: "k3m9xw2p")) { ask(&$0, id: 42) }
            ),
            ("reply to host scene content", try reply(id: 42, "hostSceneContent", content)),
            (
                "host session state",
                try message(HostMessagesList.hostSessionState(session: "k3m9xw2p")) { ask(&$0, id: 43) }
            ),
            (
                "host close session",
                try message(HostMessagesList.hostCloseSession(session: "k3m9xw2p")) { ask(&$0, id: 44) }
            ),
            (
                "host retry session",
                try message(HostMessagesList.hostRetrySession(session: "k3m9xw2p")) { ask(&$0, id: 49) }
            ),
            ("reply to host retry session", try reply(id: 49, "hostRetrySession", running)),
            (
                "host reset session",
                try message(HostMessagesList.hostResetSession(session: "k3m9xw2p")) { ask(&$0, id: 50) }
            ),
            ("reply to host reset session", try reply(id: 50, "hostResetSession", held)),
            (
                "host session",
                try message(HostMessagesList.hostSession(session: "k3m9xw2p")) { ask(&$0, id: 45) }
            ),
            (
                "host scene act",
                try message(
                    HostMessagesList.hostSceneAct(session: "k3m9xw2p", action: "order", fields: ["note": "hot"])
                ) { ask(&$0, id: 46) }
            ),
            (
                "host scene perform",
                try message(
                    HostMessagesList.hostScenePerform(
                        session: "k3m9xw2p", layer: "screen shop", action: "order", fields: ["note": "hot"])
                ) {
                    ask(&$0, id: 54)
                    $0.delivery = .once
                    $0.messageID = MessageID(high: 0x1112_1314_1516_1718, low: 0x191A_1B1C_1D1E_1F20)
                }
            ),
            (
                "host workers",
                try message(HostMessagesList.hostWorkers(after: "3", limit: nil)) { ask(&$0, id: 41) }
            ),
            (
                "host worker", try message(HostMessagesList.hostWorker(worker: "wall-1")) { ask(&$0, id: 47) }
            ),
            (
                "host dependency", try message(HostMessagesList.hostDependency(key: "total")) { ask(&$0, id: 48) }
            ),
            ("reply to host dependency", try reply(id: 48, "hostDependency", gone)),
            (
                "host plugins",
                try message(HostMessagesList.hostPlugins(after: nil, limit: nil)) { ask(&$0, id: 36) }
            ),
            ("reply to host session state", try reply(id: 43, "hostSessionState", state)),
            (
                "host secret fields",
                try message(HostMessagesList.hostSecretFields(message: "mailConnect")) { ask(&$0, id: 51) }
            ),
            ("reply to host secret fields", try reply(id: 51, "hostSecretFields", [SecretField("pin")])),
        ]
    }

    private static func taps() throws -> [Vector] {
        let request = TapRecord(
            sequence: 1, time: 5_000_000, from: "wall-1", to: "host", kind: "request", name: "counterAdd",
            session: "k3m9xw2p",
            sender: "CounterScreen", size: 120, latency: nil, trace: trace.hex)
        let reply = TapRecord(
            sequence: 2, time: 5_000_400, from: "host", to: "wall-1", kind: "reply", name: "counterAdd",
            session: "k3m9xw2p", sender: "", size: 95, latency: 400, trace: nil)
        return [
            (
                "tap",
                try frame(.tap) {
                    $0.id = 1
                    $0.payload = try encoder.encode(request)[...]
                }
            ),
            (
                "tap of a reply",
                try frame(.tap) {
                    $0.id = 2
                    $0.payload = try encoder.encode(reply)[...]
                }
            ),
        ]
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func bytes(_ hex: String) -> [UInt8] {
        var digits = hex.filter { !$0.isWhitespace }[...]
        var bytes: [UInt8] = []
        while let byte = UInt8(digits.prefix(2), radix: 16) {
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        return bytes
    }
}
