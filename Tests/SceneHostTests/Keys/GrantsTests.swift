import Bus
import CoordinatorKit
import Messaging
import OperatorKit
import PeerLink
import PluginKit
import TestKit
import Testing
import ZeroMQ

@testable import Hub
@testable import SceneHost

extension LiveTests {
    /// What grants narrow, and who acts, with peers over TCP.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct GrantsTests {
        // MARK: - Who acts

        @Test("An operator's act in a scene stays the operator's in the worker, in a plugin and in the host")
        func actor() async throws {
            try await KeyedHost.with { host in
                let greeter = Greeter("plugin", passesOn: true)
                let (desk, session) = try await host.open(with: greeter)
                defer { desk.close() }
                // It attaches later, and so it is above the other one.
                let last = Greeter("last")
                try await host.live.plugin("last") { $0.respond(last, to: GreetingMessagesList.self) }
                for action in ["greet", "shout"] {
                    _ = try await desk.chain.hostSceneAct(session: session, action: action, fields: ["text": "Ada"])
                }
                try await host.live.until("the post has arrived") { greeter.heard.count == 2 }
                for heard in greeter.heard + last.heard {
                    #expect(heard.actor?.role == .operator)
                    #expect(heard.actor?.key == "desk")
                    #expect(heard.actor?.peer.hasPrefix("desk-") == true)
                    #expect(heard.session == session)
                }
                #expect(last.heard.count == 2)
                let local = try await host.live.client(named: "local")
                _ = try await local.act(session, "greet", "Ben")
                #expect(last.heard.last?.actor == MessageActor(role: .operator, peer: "local-1"))
            }
        }

        @Test("What a plugin does of its own accord is its own act, and the host's delegate reads it")
        func ownAct() async throws {
            let delegate = GreetingDelegate()
            try await withHost(delegate: delegate, handles: [GreetingMessagesList.self]) { live in
                let plugin = try await live.plugin("clock")
                _ = try await plugin.chain.greetingSay(name: "Ada")
                #expect(delegate.heard.first?.actor == MessageActor(role: .plugin, peer: "clock"))
            }
        }

        @Test("A program with the grant acts for its users in scenes, plugins, the host's delegate and the audit")
        func users() async throws {
            let delegate = GreetingDelegate()
            try await KeyedHost.with(delegate: delegate, handles: [GreetingMessagesList.self]) { host in
                let greeter = Greeter("plugin", passesOn: true)
                let (opener, session) = try await host.open(with: greeter)
                opener.close()
                try await host.allow("desk operator user=anna user=b*")
                let desk = try await host.client("desk")
                defer { desk.close() }
                let peer = desk.link.configuration.peer
                for user in ["anna", "ben"] {
                    _ = try await desk.chain(actingFor: user).hostSceneAct(
                        session: session, action: "greet", fields: ["text": "Ada"])
                    let actor = MessageActor(role: .operator, peer: peer, key: "desk", user: user)
                    #expect(greeter.heard.last?.actor == actor)
                    #expect(delegate.heard.last?.actor == actor)
                }
                let heard = greeter.heard.count
                let error = try await #require(throws: MessageError.self) {
                    try await desk.chain(actingFor: "carla").hostSceneAct(
                        session: session, action: "greet", fields: ["text": "Ada"])
                }
                #expect(error.code == .unauthorized && error.detail.contains("'carla'"))
                #expect(greeter.heard.count == heard)
                await #expect(throws: RemoteError.self) {
                    try await desk.chain(actingFor: "ben").hostSession(session: "none")
                }
                let kept = try await host.live.client().chain.hostAudit(since: nil)
                #expect(kept.filter { $0.action == "hostSceneAct" }.map(\.user) == ["anna", "ben", nil])
                #expect(kept.last?.outcome.contains("'carla'") == true)
            }
        }

        @Test("A program without the grant acts for itself only, whatever its role")
        func noUsers() async throws {
            try await KeyedHost.with { host in
                for role in ["operator", "administrator", "viewer", "monitor"] {
                    try await host.allow("desk \(role)")
                    let desk = try await host.client("desk")
                    let error = try await #require(throws: MessageError.self) {
                        try await desk.chain(actingFor: "anna").hostStatus()
                    }
                    #expect(error.code == .unauthorized && error.detail.contains("'anna'"))
                    _ = try await desk.chain.hostStatus()
                    desk.close()
                }
                for role in ["worker", "plugin"] {
                    try await host.allow("desk \(role)")
                    let raw = try host.raw("desk")
                    _ = try await raw.hello("desk", role: role == "worker" ? .worker : .plugin)
                    var frame = Frame(.request, name: "greetingSay")
                    (frame.id, frame.actor, frame.payload) = (1, "anna", [0xA0])
                    try raw.send(frame.encoded())
                    let failure = try await raw.next(.failure)
                    let error = try failure.decodePayload(as: FailureEncoding.self).error as? MessageError
                    #expect(error?.code == .unauthorized && error?.detail.contains("'anna'") == true)
                }
            }
        }

        @Test("A plugin's user has no part in the session whose message the plugin handles")
        func userOfPlugin() async throws {
            let delegate = GreetingDelegate()
            try await KeyedHost.with(delegate: delegate, handles: [GreetingMessagesList.self]) { host in
                for line in ["greeter plugin user=*", "wall worker", "desk operator"] { try await host.allow(line) }
                try await host.live.plugin("greeter", at: host.reference(for: "greeter")) {
                    $0.respond(ActingGreeter(), to: GreetingMessagesList.self)
                }
                try await host.live.worker("wall-1", at: host.reference(for: "wall"))
                let desk = try await host.client("desk")
                defer { desk.close() }
                let session = try await desk.chain.hostOpenSession(
                    configuration: nil, role: "windowApplication", link: nil, session: nil
                ).session
                _ = try await desk.chain.hostSceneAct(session: session, action: "greet", fields: ["text": "Ada"])
                #expect(
                    delegate.heard.map(\.actor)
                        == [MessageActor(role: .plugin, peer: "greeter", key: "greeter", user: "anna")])
                #expect(delegate.heard.allSatisfy { $0.session != session && $0.sender != "WallScreen" })
            }
        }

        @Test("An input that waited for its scene is the act of the one who sent it, whatever lets it go on")
        func waitingInput() async throws {
            try await KeyedHost.with { host in
                let greeter = Greeter("plugin")
                for line in ["wall worker", "greeter plugin", "desk operator", "door operator user=anna"] {
                    try await host.allow(line)
                }
                try await host.live.plugin("greeter", at: host.reference(for: "greeter")) {
                    $0.respond(greeter, to: GreetingMessagesList.self)
                }
                try await host.live.worker("wall-1", at: host.reference(for: "wall"))
                let desk = try await host.client("desk")
                let door = try await host.client("door")
                defer { for client in [desk, door] { client.close() } }
                let session = try await desk.chain.hostOpenSession(
                    configuration: nil, role: "windowApplication", link: nil, session: nil
                ).session
                func act(_ chain: ResponderChain, _ action: String) -> Task<Void, any Error> {
                    Task { @MainActor in
                        _ = try await chain.hostSceneAct(session: session, action: action, fields: ["text": "Ada"])
                    }
                }
                // The scene cannot move before this has ended, and what comes meanwhile waits.
                let busy = act(desk.chain, "wait")
                try await host.live.until("the scene is busy") { greeter.waiting == 1 }
                try await host.live.worker("wall-2", at: host.reference(for: "wall"))
                let move = Task { try await desk.chain.hostMove(session: session, worker: "wall-2") }
                let sessions = try #require(host.live.host.life?.sessions)
                try await host.live.until("the scene moves") {
                    try await desk.chain.hostSession(session: session).state == .moving
                }
                let waiting = act(door.chain(actingFor: "anna"), "greet")
                try await host.live.until("the input waits") { sessions.inputs.nextDeadline != nil }
                busy.cancel()
                _ = await busy.result
                _ = try await move.value
                try await waiting.value
                let peer = door.link.configuration.peer
                #expect(
                    greeter.heard.map(\.actor)
                        == [MessageActor(role: .operator, peer: peer, key: "door", user: "anna")])
            }
        }

        // MARK: - Entries

        @Test("A peer that may not read an entry gets no byte of it, and all that it may read")
        func entries() async throws {
            try await KeyedHost.with { host in
                for line in ["some plugin read=total", "all plugin"] { try await host.allow(line) }
                let some = try await host.live.plugin("some", at: host.reference(for: "some"))
                let all = try await host.live.plugin("all", at: host.reference(for: "all"))
                let publisher = try #require(host.live.host.hub.endpoints.last?.publisher)
                let subscriber = try host.raw("some", .subscriber, to: publisher)
                try subscriber.subscribe(Frame.topic(.delta))
                try subscriber.subscribe(Frame.topic(.beacon))
                _ = try await subscriber.next(.beacon)
                let delegate = host.live.host.application.delegate
                for number in 1...3 {
                    delegate.appDependency?.setValue("geheim \(number)", of: "account")
                    delegate.appDependency?.total = number
                    try await host.live.until("all have what they may read") {
                        some.appDependency.total == number && all.appDependency.total == number
                            && all.appDependency.value(of: "account", as: String.self) == "geheim \(number)"
                    }
                    #expect(some.appDependency.entry(of: "account") == nil)
                }
                let head = host.live.host.hub.head
                var frames: [Frame] = []
                while frames.last?.revision ?? 0 < head { frames.append(try await subscriber.next()) }
                #expect(frames.contains { $0.kind == .delta })
                for frame in frames {
                    #expect(!String(decoding: frame.encoded(), as: UTF8.self).contains("geheim"))
                }
            }
        }

        @Test("An operator's lists and questions leave out the entries that it may not read")
        func questions() async throws {
            try await KeyedHost.with { host in
                try await host.allow("desk operator read=total")
                let delegate = host.live.host.application.delegate
                delegate.appDependency?.setValue("geheim", of: "account")
                delegate.appDependency?.total = 1
                let desk = try await host.client("desk")
                defer { desk.close() }
                #expect(try await desk.chain.hostDependencies().map(\.key) == ["total"])
                #expect(try await desk.chain.hostDependency(key: "total") != nil)
                let error = try await #require(throws: MessageError.self) {
                    try await desk.chain.hostDependency(key: "account")
                }
                #expect(error.code == .unauthorized && error.detail.contains("'account'"))
            }
        }

        // MARK: - Sessions

        @Test("An operator with grants of sessions reads them, acts for them, and does not see others")
        func sessions() async throws {
            try await KeyedHost.with { host in
                try await host.allow("desk operator session=desk-*")
                try await host.live.worker("local", capacity: 3)
                let client = try await host.live.client()
                let other = try await client.open()
                let own = try await client.chain.hostOpenSession(
                    configuration: "Wall", role: "windowApplication", link: nil, session: "desk-1"
                ).session
                let desk = try await host.client("desk")
                defer { desk.close() }
                let listed = try await desk.chain.hostSessions(worker: nil, after: nil, limit: nil).sessions
                #expect(listed.map(\.session) == [own])
                #expect(try await desk.chain.hostSession(session: own).session == own)
                _ = try await desk.chain.hostSceneAct(session: own, action: "keep", fields: ["text": "Ada"])
                let refusals: [@MainActor () async throws -> Void] = [
                    { _ = try await desk.chain.hostSession(session: other) },
                    { _ = try await desk.chain.hostSceneAct(session: other, action: "keep", fields: [:]) },
                    { _ = try await desk.chain.hostCloseSession(session: other) },
                    {
                        _ = try await desk.chain.hostOpenSession(
                            configuration: "Wall", role: "windowApplication", link: nil, session: "desk-2")
                    },
                    { _ = try await desk.chain.hostDrain(worker: "local", isDraining: true) },
                ]
                for refused in refusals {
                    let error = try await #require(throws: MessageError.self) { try await refused() }
                    #expect(error.code == .unauthorized && error.detail.contains("some sessions"), "\(error)")
                }
            }
        }

        // MARK: - The traffic

        @Test("A watcher gets the records that its grants let it see")
        func watching() async throws {
            try await KeyedHost.with { host in
                for line in ["eye monitor watch=greeting*", "all monitor"] { try await host.allow(line) }
                let delegateless = try await host.live.client()
                let (eye, all) = (try await host.client("eye"), try await host.client("all"))
                defer { for watcher in [eye, all] { watcher.close() } }
                var seen: (eye: Set<String>, all: Set<String>) = ([], [])
                let taps = (
                    try await LinkTap(of: eye) { seen.eye.insert($0.name) },
                    try await LinkTap(of: all) { seen.all.insert($0.name) }
                )
                _ = try await delegateless.chain.hostStatus()
                _ = try? await delegateless.chain.greetingSay(name: "Ada")
                try await host.live.until("both have seen the greeting") {
                    seen.eye.contains("greetingSay") && seen.all.isSuperset(of: ["greetingSay", "hostStatus"])
                }
                #expect(seen.eye.subtracting([""]) == ["greetingSay"])
                withExtendedLifetime(taps) {}
            }
        }
    }
}
