@testable import Hub
import TestKit
import Bus
import CBOR
import CoordinatorKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// The host carries states and links between operators, workers and its store without decoding them.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct CarryingTests {
        private func connect(_ frame: Frame) throws -> SceneMessagesList.sceneConnect {
            try frame.decodePayload(as: SceneMessagesList.sceneConnect.self)
        }

        private func report(_ state: CBORRaw, of connected: Frame, by raw: RawPeer) throws {
            var post = Frame(.post)
            post.name = SceneReportMessagesList.sceneCheckpoint.name
            post.session = connected.session
            post.token = connected.token
            try raw.send(
                post.encoded(
                    payload: SceneReportMessagesList.sceneCheckpoint(session: connected.session, state: state)))
        }

        private func openSession(_ link: CBORRaw?, by client: LiveClient) async throws -> SessionStatus {
            try await client.chain.hostOpenSession(configuration: "Wall", role: "window", link: link, session: nil)
        }

        @Test("Every RFC 8949 item in a state or a link arrives byte for byte, also in the next host")
        func bytes() async throws {
            #expect(RFC8949Items.all.count == 81)
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/sessions.sqlite"
            let reported = try RFC8949Items.item(named: "reported")
            let frozen = try RFC8949Items.item(named: "frozen")
            let link = try RFC8949Items.item(named: "link")
            let id = try await withHost(in: folder, configure: { $0.store = path }) { live in
                let client = try await live.client()
                let one = try await live.rawWorker(named: "one", capacity: 1)
                let opening = Task { try await openSession(link, by: client) }
                let first = try await one.next("sceneConnect")
                #expect(try connect(first).links == [link])
                #expect(try connect(first).state == nil)
                try one.reply(to: first)
                let id = try await opening.value.session

                let showing = Task { try await client.chain.hostOpen(link: link, session: id) }
                let open = try await one.next("sceneOpen")
                #expect(try open.decodePayload(as: SceneMessagesList.sceneOpen.self).link == link)
                try one.reply(to: open)
                _ = try await showing.value

                try report(reported, of: first, by: one)
                try await live.until("the host has the state") {
                    try await client.chain.hostSessionState(session: id) == reported
                }

                let two = try await live.rawWorker(named: "two", capacity: 1)
                let moving = Task { try await client.chain.hostMove(session: id, worker: "two") }
                try one.reply(to: try await one.next("sceneFreeze"), with: frozen.bytes)
                let second = try await two.next("sceneConnect")
                #expect(try connect(second).state == frozen)
                #expect(try connect(second).links == [])
                try two.reply(to: second)
                try one.reply(to: try await one.next("sceneDiscard"))
                #expect(try await moving.value.worker == "two")
                for raw in [one, two] { try raw.send(Frame(.goodbye).encoded()) }
                try await live.until("both workers are detached") {
                    live.link(named: "one") == nil && live.link(named: "two") == nil
                }
                return id
            }
            #expect(try await HostStore(path: path).sessions().map(\.state) == [frozen])
            try await withHost(in: folder, configure: { $0.store = path }) { live in
                let three = try await live.rawWorker(named: "three", capacity: 1)
                let third = try await three.next("sceneConnect")
                #expect(third.session == id)
                #expect(try connect(third).state == frozen)
                try three.reply(to: third)
                #expect(try await live.client().chain.hostSessionState(session: id) == frozen)
            }
        }

        @Test(
            "A session whose state a worker cannot read waits for one that can, and the state is kept",
            arguments: [
                ("05", "the value is not an object"), ("f7", nil),
                // An activity with a key that is a byte string or a number.
                ("a2 6c 6163746976697479 54797065 6178 68 75736572496e666f a1 4101 00", "a byte string"),
                ("a2 6c 6163746976697479 54797065 6178 68 75736572496e666f a1 01 00", "an integer"),
            ] as [(String, String?)])
        func unreadableState(hexadecimal: String, reason: String?) async throws {
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/sessions.sqlite"
            let digits = hexadecimal.compactMap(\.hexDigitValue)
            let state = try CBORRaw(
                stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
            try await HostStore(path: path).write([
                .saveSessions([SessionRecord(id: "old", role: "r", configuration: "Wall", position: 1, state: state)]),
                .beginLife(epoch: 1), .endLife,
            ])
            try await withHost(in: folder, configure: { $0.store = path }) { live in
                try await live.worker("wall")
                let client = try await live.client()
                guard let reason else {
                    // A null value counts as no state.
                    return try await live.until("the session has its scene") {
                        try await client.chain.hostSession(session: "old").state == .running
                    }
                }
                try await live.until("the session has its problem") {
                    try await client.chain.hostSession(session: "old").problem?.contains(reason) == true
                }
                #expect(try live.host.life?.sessions.session("old").refusedBy.count == 1)
                #expect(try await client.chain.hostSessionState(session: "old") == state)
            }
        }

        @Test("A link that a worker cannot read is refused with the reason, when opened and with a new session")
        func unreadableLink() async throws {
            try await withHost { live in
                try await live.worker("wall", capacity: 2)
                let client = try await live.client()
                let link = try CBORRaw(encoding: ["telegram": "stop"])
                let id = try await client.open()
                let error = try await #require(throws: RemoteError.self) {
                    try await client.chain.hostOpen(link: link, session: id)
                }
                #expect(error.code == "refused")
                #expect(error.message.contains("a link is one of url, notification, activity"))
                let session = try await openSession(link, by: client)
                #expect(session.state == .waiting)
                #expect(session.problem?.contains("a link is one of url, notification, activity") == true)
            }
        }

        /// Returns an array nested to the given depth.
        private func nest(_ depth: Int) throws -> CBORRaw {
            try CBORRaw([UInt8](repeating: 0x81, count: depth) + [0])
        }

        @Test("A state or a link that cannot be sent to any worker is refused on arrival, and the scene continues")
        func beyondMeasure() async throws {
            try await withHost { live in
                let client = try await live.client()
                let error = try await #require(throws: MessageError.self) {
                    try await openSession(try nest(31), by: client)
                }
                #expect(error.code == .malformed)
                #expect(try await client.chain.hostSessions().isEmpty)

                let one = try await live.rawWorker(named: "one", capacity: 1)
                let opening = Task { try await openSession(try nest(30), by: client) }
                let first = try await one.next("sceneConnect")
                #expect(try connect(first).links == [nest(30)])
                try one.reply(to: first)
                let id = try await opening.value.session
                try report(try nest(31), of: first, by: one)
                try await live.until("the deepest state is stored") {
                    try await client.chain.hostSessionState(session: id) == nest(31)
                }
                let many = try CBORRaw([0x9A, 0, 0x0E, 0, 0] + [UInt8](repeating: 0, count: 0xE0000))
                try report(many, of: first, by: one)
                try await live.until("a state of too many items is refused") {
                    live.host.hub.counters.values["refused: state beyond measure"] == 1
                }

                _ = try await live.rawWorker(named: "two", capacity: 1)
                let moving = Task { try await client.chain.hostMove(session: id, worker: "two") }
                try one.reply(to: try await one.next("sceneFreeze"), with: try nest(32).bytes)
                try one.reply(to: try await one.next("sceneResume"))
                let refusal = try await #require(throws: RemoteError.self) { try await moving.value }
                #expect(refusal.message.contains("its state cannot be carried"))
                #expect(try await client.chain.hostSessionState(session: id) == nest(31))
            }
        }

        @Test("A link is dropped when the session's state leaves no room for it, and the scene is made without it")
        func noRoomForLink() async throws {
            try await withHost(
                configure: { $0.retry = Retry.Timing(first: .milliseconds(20), maximum: .milliseconds(40)) }
            ) { live in
                let client = try await live.client()
                let one = try await live.rawWorker(named: "one", capacity: 1)
                let link = try CBORRaw(CBORValue.bytes([UInt8](repeating: 0, count: 8_000_000)).encoded())
                let opening = Task { try await openSession(link, by: client) }
                let first = try await one.next("sceneConnect")
                #expect(try connect(first).links == [link])
                // The host has the scene's state before its worker refuses to continue.
                let state = try CBORRaw(CBORValue.bytes([UInt8](repeating: 1, count: 9_000_000)).encoded())
                try report(state, of: first, by: one)
                var refusal = Frame(.failure)
                refusal.id = first.id
                refusal.payload = try CBOREncoder().encode(FailureEncoding(SceneCommandError(.refused, "no")))[...]
                try one.send(refusal.encoded())
                let second = try await one.next("sceneConnect")
                #expect(try connect(second).links == [])
                #expect(try connect(second).state == state)
                try one.reply(to: second)
                let id = try await opening.value.session
                try await live.until("the session has its scene") {
                    try await client.chain.hostSession(session: id).state == .running
                }
                #expect(live.host.hub.counters.values["dropped: link beside a large state"] == 1)
            }
        }

        @Test("A request to the host itself may have 1 MiB of payload, and one with a link or fields may have more")
        func ownRequests() async throws {
            try await withHost { live in
                try await live.worker("wall")
                let client = try await live.client()
                let id = try await client.open()
                let long = String(repeating: "x", count: 1 << 20)
                for own in 0..<3 {
                    let error = try await #require(throws: MessageError.self) {
                        switch own {
                        case 0: _ = try await client.chain.hostSession(session: long)
                        case 1: _ = try await client.chain.hostMove(session: id, worker: long)
                        default: _ = try await client.chain.hostDependency(key: long)
                        }
                    }
                    #expect(error.code == .malformed)
                    #expect(error.detail.contains("1048576"))
                }
                #expect(live.host.hub.counters.values["refused: request beyond measure"] == 3)
                let link = try CBORRaw(encoding: DeepLink.url("wall://item/1?note=" + long))
                #expect(try await client.chain.hostOpen(link: link, session: id).session == id)
                #expect(try await client.act(id, "keep", long).texts.contains(long))
                try await live.until("the host has the state") {
                    try await client.chain.hostSessionState(session: id).map { $0.bytes.count > 1 << 20 } == true
                }
            }
        }
    }
}
