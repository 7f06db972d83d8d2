import TestKit
@testable import Hub
import Bus
import CBOR
import CoordinatorKit
import PeerLink
import PluginKit
import SceneWorker
import Testing

@testable import SceneHost

extension LiveTests {
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct RoutingTests {
        enum Transport: CaseIterable {
            case ipc, tcp, inproc

            @MainActor
            func endpoint(of live: LiveHost) throws -> String {
                switch self {
                case .ipc: return live.ipc
                case .tcp: return try #require(live.addresses.first { $0.hasPrefix("tcp://") })
                case .inproc: return live.host.inProcess.endpoint.bus
                }
            }
        }

        // MARK: - Climbing

        @Test(
            "A request climbs from a scene past the host to a plugin, and its reply returns",
            arguments: Transport.allCases)
        func climbs(over transport: Transport) async throws {
            try await withHost(configure: { ($0.listen, $0.isInsecure) = (["tcp://127.0.0.1:*"], true) }) { live in
                let endpoint = try transport.endpoint(of: live)
                let greeter = Greeter("plugin")
                try await live.plugin("greeter", over: endpoint) {
                    $0.respond(greeter, to: GreetingMessagesList.self)
                }
                try await live.worker("wall", over: endpoint)
                let client = try await live.client(to: endpoint)
                let session = try await client.open()
                let content = try await client.act(session, "greet", "Ada")
                #expect(content.texts.first == "plugin greets Ada")
                let heard = try #require(greeter.heard.first)
                #expect(greeter.heard.count == 1)
                #expect(heard.sender == "WallScreen")
                #expect(heard.session == session)
            }
        }

        @Test("An unhandled request's error lists the message, the worker's responders and then the host's")
        func unhandled() async throws {
            try await withHost { live in
                let worker = try await live.worker("wall")
                let client = try await live.client()
                _ = try await client.open()
                let screen = try #require(worker.screen)
                let error = try await #require(throws: MessageError.self) { try await screen.chain.nowhereGo(to: "x") }
                #expect(error.code == .unhandled)
                #expect(error.message == "nowhereGo")
                #expect(error.path.starts(with: ["WallScreen", "WallChild", "WallCoordinator"]))
                let border = try #require(error.path.firstIndex(of: "HostControl"))
                #expect(error.path[..<border].last == "LinkResponder")
                #expect(error.path[border...] == ["HostControl", "Application", "AppDelegate"])
            }
        }

        @Test("When the host's delegate omits a message it declares, the unhandled error's path has no repetitions")
        func unhandledThoughKnown() async throws {
            try await withHost(delegate: NowhereDelegate(), handles: [NowhereMessagesList.self]) { live in
                let worker = try await live.worker("wall")
                _ = try await live.client().open()
                let screen = try #require(worker.screen)
                let error = try await #require(throws: MessageError.self) { try await screen.chain.nowhereGo(to: "x") }
                #expect(error.code == .unhandled)
                #expect(error.path.filter { $0 == "WallScreen" }.count == 1)
                #expect(error.path.suffix(3) == ["HostControl", "Application", "NowhereDelegate"])
            }
        }

        @Test("The host's own delegate handles what no plugin handles")
        func delegateHandles() async throws {
            let delegate = GreetingDelegate()
            try await withHost(delegate: delegate, handles: [GreetingMessagesList.self]) { live in
                try await live.worker("wall")
                let client = try await live.client()
                let session = try await client.open()
                let content = try await client.act(session, "greet", "Ada")
                #expect(content.texts.first == "the host greets Ada")
                #expect(delegate.heard.first?.session == session)
                #expect(delegate.heard.first?.sender == "WallScreen")
            }
        }

        @Test("A message that a plugin passes on goes to the next plugin and keeps its sender and session")
        func nextPlugin() async throws {
            try await withHost { live in
                let first = Greeter("first", passesOn: true)
                let second = Greeter("second")
                try await live.plugin("first") { $0.respond(first, to: GreetingMessagesList.self) }
                try await live.plugin("second") { $0.respond(second, to: GreetingMessagesList.self) }
                try await live.worker("wall")
                let client = try await live.client()
                let session = try await client.open()
                let content = try await client.act(session, "greet", "Ada")
                #expect(content.texts.first == "second greets Ada via first")
                let heard = try #require(second.heard.first)
                #expect(heard.sender == "WallScreen")
                #expect(heard.session == session)
            }
        }

        @Test("A message that every plugin passes on reaches the host's delegate and keeps its sender and session")
        func passedOnToDelegate() async throws {
            let delegate = GreetingDelegate()
            try await withHost(delegate: delegate, handles: [GreetingMessagesList.self]) { live in
                for name in ["first", "second"] {
                    try await live.plugin(name) {
                        $0.respond(Greeter(name, passesOn: true), to: GreetingMessagesList.self)
                    }
                }
                try await live.worker("wall")
                let client = try await live.client()
                let session = try await client.open()
                let content = try await client.act(session, "greet", "Ada")
                #expect(content.texts.first == "the host greets Ada via second via first")
                #expect(delegate.heard.first?.sender == "WallScreen")
                #expect(delegate.heard.first?.session == session)
            }
        }

        @Test("A plugin's responders are asked in the order in which they were added")
        func respondersOfOnePlugin() async throws {
            try await withHost { live in
                try await live.plugin("greeter") { plugin in
                    plugin.respond(Greeter("first", passesOn: true), to: GreetingMessagesList.self)
                    plugin.respond(Greeter("second"), to: GreetingMessagesList.self)
                }
                let reply = try await live.client().chain.greetingSay(name: "Ada")
                #expect(reply == "second greets Ada via first")
            }
        }

        @Test("A plugin's own message goes to other plugins, not back to itself")
        func notBackToSelf() async throws {
            try await withHost { live in
                let own = Greeter("own")
                let plugin = try await live.plugin("own") { $0.respond(own, to: GreetingMessagesList.self) }
                try await live.plugin("other") { $0.respond(Greeter("other"), to: GreetingMessagesList.self) }
                #expect(try await plugin.chain.greetingSay(name: "Ada") == "other greets Ada")
                #expect(own.heard.isEmpty)
            }
        }

        @Test("A message to a service goes only to its plugin, wherever that is in the chain")
        func service() async throws {
            try await withHost { live in
                let inChain = Greeter("chain")
                let clerk = Greeter("clerk")
                try await live.plugin("greeter") { $0.respond(inChain, to: GreetingMessagesList.self) }
                try await live.plugin("office", provides: ["clerk"]) { plugin in
                    plugin.offer("clerk", clerk, for: GreetingMessagesList.self)
                    plugin.appDependency.clerk = ServiceReference("clerk")
                }
                // Within one process the name would resolve to the responder directly; here the message has to cross
                // the bus.
                ServiceDirectory.shared.withdraw("clerk")
                var frame = Frame(.request)
                frame.name = "clerk/greetingSay"
                frame.payload = try CBOREncoder().encode(["name": "Ada"])[...]
                let client = try await live.client()
                await #expect(throws: MessageError.self) { try await client.request(frame) }
                ServiceDirectory.shared.provide("clerk", clerk)
                let reply = try await client.request(frame, as: String.self)
                #expect(reply == "clerk greets Ada")
                #expect(inChain.heard.isEmpty)
                let container = try #require(live.host.application.delegate.appDependency)
                #expect(container.clerk?.name == "clerk")
                ServiceDirectory.shared.withdraw("clerk")
            }
        }

        // MARK: - Posts

        @Test("A post reaches the plugin, and then the host's delegate")
        func post() async throws {
            let delegate = GreetingDelegate()
            try await withHost(delegate: delegate, handles: [GreetingMessagesList.self]) { live in
                let greeter = Greeter("plugin", passesOn: true)
                try await live.plugin("greeter") { $0.respond(greeter, to: GreetingMessagesList.self) }
                try await live.worker("wall")
                let client = try await live.client()
                let session = try await client.open()
                _ = try await client.act(session, "shout", "hey")
                try await live.until("the delegate has the post") { !delegate.heard.isEmpty }
                #expect(greeter.heard.map(\.text) == ["hey"])
                #expect(delegate.heard.map(\.text) == ["hey"])
                #expect(delegate.heard.first?.session == session)
                #expect(delegate.heard.first?.sender == "WallScreen")
            }
        }

        @Test("A post that no responder handles is counted by its name")
        func unhandledPost() async throws {
            try await withHost { live in
                let before = UnhandledPosts.shared.counts["nowhereCall", default: 0]
                let client = try await live.client()
                client.chain.nowhereCall()
                try await live.until("the post is counted") {
                    try await client.chain.hostStatus().unhandledPosts["nowhereCall", default: 0] == before + 1
                }
            }
        }

        // MARK: - Errors

        @Test("A handler's error crosses two processes with its type, message and code")
        func errors() async throws {
            try await withHost { live in
                try await live.plugin("greeter") { $0.respond(Greeter("rude"), to: GreetingMessagesList.self) }
                try await live.worker("wall")
                let client = try await live.client()
                let session = try await client.open()
                let error = try await #require(throws: RemoteError.self) {
                    try await client.act(session, "fail", "impolite")
                }
                #expect(error == RemoteError(type: "Rudeness", message: "that was rude", code: "impolite"))
            }
        }

        @Test("A request with fields that do not decode fails with the name of the field")
        func malformed() async throws {
            try await withHost { live in
                try await live.plugin("greeter") { $0.respond(Greeter("plugin"), to: GreetingMessagesList.self) }
                let client = try await live.client()
                var frame = Frame(.request)
                frame.name = "greetingSay"
                for (payload, field) in [(["nom": "Ada"], "'name' is missing"), (["name": "Ada"], nil)] {
                    frame.payload = try CBOREncoder().encode(payload)[...]
                    guard let field else {
                        _ = try await client.request(frame)
                        continue
                    }
                    let request = frame
                    let error = try await #require(throws: MessageError.self) {
                        try await client.request(request)
                    }
                    #expect(error.code == .malformed)
                    #expect(error.detail.contains(field))
                }
            }
        }

        // MARK: - Deadlines

        @Test("A plugin's slow handler is cancelled at the deadline, and the caller gets a timeout")
        func timeout() async throws {
            try await withHost { live in
                let greeter = Greeter("slow")
                try await live.plugin("greeter") { $0.respond(greeter, to: GreetingMessagesList.self) }
                let client = try await live.client()
                let error = try await #require(throws: MessageError.self) {
                    try await client.chain.within(.milliseconds(100)).greetingForever()
                }
                #expect(error.code == .timeout)
                #expect(error.message == "greetingForever")
                #expect(greeter.waiting == 1)
                try await live.until("the handler is cancelled") { greeter.cancelled == 1 }
                #expect(client.link.pendingCount == 0)
                #expect(live.link(named: "greeter")?.pending == 0)
            }
        }

        @Test("The host itself ends a request at its deadline when the sender does not")
        func hostsTimeout() async throws {
            try await withHost { live in
                let greeter = Greeter("slow")
                try await live.plugin("greeter") { $0.respond(greeter, to: GreetingMessagesList.self) }
                let raw = try live.raw()
                let welcome = try await raw.hello("asker").decodePayload(as: Welcome.self)
                var frame = Frame(.request)
                frame.name = "greetingForever"
                frame.id = 7
                frame.deadline = welcome.clock + 200_000
                frame.payload = try CBOREncoder().encode([String: String]())[...]
                try raw.send(frame.encoded())
                let answer = try await raw.next(.failure)
                #expect(answer.id == 7)
                let error = try #require(try answer.decodePayload(as: FailureEncoding.self).error as? MessageError)
                #expect(error.code == .timeout)
                try await live.until("the handler is cancelled") { greeter.cancelled == 1 }
                #expect(live.link(named: "greeter")?.pending == 0)
            }
        }

        @Test("A request past its deadline is not delivered, and a request with an id in use is dropped")
        func lateAndTwice() async throws {
            try await withHost { live in
                let handler = try live.raw()
                _ = try await handler.hello("handler", handles: ["greetingForever"])
                let raw = try live.raw()
                _ = try await raw.hello("asker")
                var frame = Frame(.request)
                frame.name = "greetingForever"
                frame.id = 6
                frame.deadline = 1
                frame.payload = [0xA0]
                try raw.send(frame.encoded())
                let late = try await raw.next(.failure).decodePayload(as: FailureEncoding.self).error as? MessageError
                #expect(late?.code == .timeout)
                #expect(late?.mayHaveBeenHandled == false)
                frame.id = 7
                frame.deadline = 0
                for _ in 0..<3 { try raw.send(frame.encoded()) }
                try await live.until("both copies are counted") {
                    live.host.hub.counters.values["dropped: request with an id that is in use"] == 2
                }
                #expect(live.link(named: "handler")?.pending == 1)
                let asked = try await handler.next(.request)
                try raw.send(Frame(.goodbye).encoded())
                #expect(try await handler.next().kind == .cancel)
                #expect(asked.deadline > 1)
                #expect(live.link(named: "handler")?.pending == 0)
            }
        }

        @Test("A reply that leaves no room for the host's additions is dropped, and the caller keeps its link")
        func tooLargeToCarry() async throws {
            try await withHost { live in
                let handler = try live.raw()
                _ = try await handler.hello("handler", handles: ["greetingForever"])
                let client = try await live.client()
                let asking = Task { try await client.chain.greetingForever() }
                var reply = Frame(.reply)
                reply.id = try await handler.next(.request).id
                reply.payload = ArraySlice([UInt8](repeating: 0, count: Frame.maximumSize - Frame.headerSize))
                try handler.send(reply.encoded())
                try await live.until("the reply is counted") { live.host.hub.counters.values["dropped: tooLarge"] == 1 }
                reply.payload = [0xA0]
                try handler.send(reply.encoded())
                try await asking.value
            }
        }

        @Test("A handler in the host's own delegate is cancelled at the deadline")
        func timeoutOfDelegate() async throws {
            let delegate = GreetingDelegate()
            try await withHost(delegate: delegate, handles: [GreetingMessagesList.self]) { live in
                let client = try await live.client()
                let error = try await #require(throws: MessageError.self) {
                    try await client.chain.within(.milliseconds(100)).greetingForever()
                }
                #expect(error.code == .timeout)
                try await live.until("the handler is cancelled") { delegate.cancelled == 1 }
            }
        }

        @Test("A caller that stops waiting cancels the handler")
        func cancel() async throws {
            try await withHost { live in
                let greeter = Greeter("slow")
                try await live.plugin("greeter") { $0.respond(greeter, to: GreetingMessagesList.self) }
                let client = try await live.client()
                let call = Task { try await client.chain.greetingForever() }
                try await live.until("the handler runs") { greeter.waiting == 1 }
                call.cancel()
                await #expect(throws: CancellationError.self) { try await call.value }
                try await live.until("the handler is cancelled") { greeter.cancelled == 1 }
                #expect(live.link(named: "greeter")?.pending == 0)
            }
        }

        @Test("A caller that disconnects cancels the handler")
        func callerGone() async throws {
            try await withHost { live in
                let greeter = Greeter("slow")
                try await live.plugin("greeter") { $0.respond(greeter, to: GreetingMessagesList.self) }
                let client = try await live.client()
                let call = Task { try await client.chain.greetingForever() }
                try await live.until("the handler runs") { greeter.waiting == 1 }
                client.close()
                let error = try await #require(throws: MessageError.self) { try await call.value }
                #expect(error.code == .peerLost)
                try await live.until("the handler is cancelled") { greeter.cancelled == 1 }
            }
        }

        // MARK: - Losses

        @Test("A plugin that says goodbye during a request makes it fail with peerLost")
        func goodbye() async throws {
            try await withHost { live in
                let greeter = Greeter("leaving")
                let plugin = try await live.plugin("greeter") { $0.respond(greeter, to: GreetingMessagesList.self) }
                let client = try await live.client()
                let call = Task { try await client.chain.greetingForever() }
                try await live.until("the handler runs") { greeter.waiting == 1 }
                await live.stop(plugin)
                let error = try await #require(throws: MessageError.self) { try await call.value }
                #expect(error.code == .peerLost)
                #expect(error.message == "greetingForever")
                #expect(error.detail.contains("'greeter' is gone"))
            }
        }

        @Test("A plugin that dies silently is detected by its silence")
        func death() async throws {
            try await withHost { live in
                let raw = try live.raw(staysAttached: false)
                _ = try await raw.hello("mortal", handles: ["greetingForever"])
                let client = try await live.client()
                // A busy machine may be slow; how long a silence may be is tested with Liveness.
                let call = Task { try await client.chain.within(.seconds(120)).greetingForever() }
                let request = try await raw.next(.request)
                #expect(request.name == "greetingForever")
                raw.close()
                let error = try await #require(throws: MessageError.self) { try await call.value }
                #expect(error.code == .peerLost)
                #expect(error.detail.contains("silent"))
                #expect(live.link(named: "mortal") == nil)
            }
        }

        @Test("A late reply and a reply from another peer are dropped and counted")
        func lateReply() async throws {
            try await withHost { live in
                let raw = try live.raw()
                _ = try await raw.hello("answerer", handles: ["greetingForever"])
                let client = try await live.client()
                let call = Task { try await client.chain.within(.milliseconds(200)).greetingForever() }
                let request = try await raw.next(.request)
                let stranger = try live.raw()
                _ = try await stranger.hello("stranger")
                var reply = Frame(.reply)
                reply.id = request.id
                reply.payload = try CBOREncoder().encode(NoReply())[...]
                try stranger.send(reply.encoded())
                let error = try await #require(throws: MessageError.self) { try await call.value }
                #expect(error.code == .timeout)
                _ = try await raw.next(.cancel)
                try raw.send(reply.encoded())
                try await live.until("both replies are counted") {
                    live.host.hub.counters.values["dropped: late reply"] == 2
                }
            }
        }
    }
}

extension LiveClient {
    /// Opens a session of the only configuration.
    func open(_ configuration: String? = nil, link: DeepLink? = nil) async throws -> String {
        try await chain.hostOpenSession(
            configuration: configuration, role: SceneSession.Role.windowApplication.rawValue,
            link: link.map { try CBORRaw(encoding: $0) }, session: nil
        ).session
    }

    func act(_ session: String, _ action: String, _ text: String = "") async throws -> ScreenContent {
        try await chain.hostSceneAct(session: session, action: action, fields: ["text": text])
    }
}

extension SceneWorker {
    /// The coordinator of the worker's first scene.
    var wall: WallCoordinator? {
        application.connectedScenes.first?.session.sceneCoordinator as? WallCoordinator
    }

    /// The child coordinator of the worker's first scene.
    var child: WallChild? { wall?.child(matching: WallChild.self) }

    /// The screen of the worker's first scene.
    var screen: WallScreen? { wall?.rootViewController.topViewController as? WallScreen }
}
