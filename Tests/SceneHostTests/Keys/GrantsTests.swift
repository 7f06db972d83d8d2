import Bus
import CoordinatorKit
import Messaging
import OperatorKit
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
