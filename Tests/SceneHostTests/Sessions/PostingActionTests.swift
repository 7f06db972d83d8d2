import Bus
import CoordinatorKit
import Hub
import PeerLink
import PluginKit
import SceneWorker
import TestKit
import Testing

@testable import SceneHost

@ResponderMessages
protocol TallyMessages {
    func tallyAdd(amount: Int)
}

extension ResponderChain: TallyMessages {}

private enum TallyPage: Page { case only }

/// Shows an entry, and posts messages that change it.
private final class TallyScreen: ViewController, NeedsDependency {
    var appDependency: AppDependency? { didSet { setNeedsContentUpdate() } }

    override var content: ScreenContent {
        ScreenContent(texts: ["\(appDependency?.total ?? 0)"], actions: [.init(name: "add")])
    }

    override func perform(action: String, fields: [String: String]) async throws {
        for _ in 0..<3 { chain.tallyAdd(amount: 1) }
    }
}

private final class TallyCoordinator: SceneCoordinator<TallyPage> {
    override var initialPage: TallyPage? { .only }
    override func displayPage(_ page: TallyPage) { root(TallyScreen()) }
}

private final class TallyResponder: PluginResponder, TallyMessages {
    func tallyAdd(amount: Int) { plugin?.appDependency.total = (plugin?.appDependency.total ?? 0) + amount }
}

private final class TallyDelegate: AppDelegate, TallyMessages {
    func tallyAdd(amount: Int) {
        var container = appDependency ?? AppDependency()
        container.total = (container.total ?? 0) + amount
        appDependency = container
    }
}

extension LiveTests {
    /// Actions whose posts change what the screen shows.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct PostingActionTests {
        /// Opens a session in a worker of its own.
        private func open(_ live: LiveHost) async throws -> (LiveClient, session: String) {
            let process = try PeerProcess(endpoint: live.ipc, peer: BusName("tally"), logger: LiveHost.logger)
            let worker = try SceneWorker(
                process, version: "1.0.0", capacity: 1,
                scenes: [
                    SceneConfiguration(name: "Tally", delegateClass: WindowSceneDelegate<TallyCoordinator>.self)
                ], delegate: AppDelegate(), context: live.context)
            try await live.attach(worker, named: "tally") { try await worker.run() }
            let client = try await live.client()
            return (client, try await client.open())
        }

        private func add(_ client: LiveClient, _ session: String, within limit: Duration = .seconds(60)) async throws
            -> [String]
        {
            try await client.chain.within(limit).hostSceneAct(session: session, action: "add", fields: [:]).texts
        }

        @Test("The reply to an action shows what a plugin has set because of the action's posts")
        func plugin() async throws {
            try await withHost { live in
                try await live.plugin("counter", provides: ["total"]) { plugin in
                    plugin.respond(TallyResponder(), to: TallyMessagesList.self)
                }
                let (client, session) = try await open(live)
                for round in 1...20 { #expect(try await add(client, session) == ["\(3 * round)"]) }
            }
        }

        @Test("The reply to an action shows what the host's delegate has set because of the action's posts")
        func hostItself() async throws {
            try await withHost(delegate: TallyDelegate(), handles: [TallyMessagesList.self]) { live in
                let (client, session) = try await open(live)
                for round in 1...20 { #expect(try await add(client, session) == ["\(3 * round)"]) }
            }
        }

        /// Attaches a raw plugin that handles the posts.
        private func rawPlugin(_ live: LiveHost) async throws -> RawPeer {
            let raw = try live.raw()
            let welcome = try await raw.hello("raw", handles: ["tallyAdd"], provides: ["total"])
            #expect(welcome.kind == .welcome)
            return raw
        }

        @Test("A plugin that does not know the host's question answers it nevertheless, as one of an unknown name")
        func unknownName() async throws {
            try await withHost { live in
                let raw = try await rawPlugin(live)
                let (client, session) = try await open(live)
                let acting = Task { try await add(client, session) }
                for _ in 0..<3 { #expect(try await raw.next(.post).name == "tallyAdd") }
                var publish = Frame(.publish)
                publish.payload = DependencyPayload.encode(["total": [7]])[...]
                try raw.send(publish.encoded())
                let question = try await raw.next("scenePostsHandled")
                #expect(
                    try question.decodePayload(as: SceneReportMessagesList.scenePostsHandled.self).messages
                        == ["tallyAdd"])
                var failure = Frame.failure(
                    MessageError(.unhandled, message: question.name), of: question.name)
                failure.id = question.id
                try raw.send(failure.encoded())
                #expect(try await acting.value == ["7"])
            }
        }

        @Test("A plugin that hangs does not hold the reply to an action for long")
        func hanging() async throws {
            try await withHost { live in
                let raw = try await rawPlugin(live)
                let (client, session) = try await open(live)
                let begun = MonotonicInstant.now
                #expect(try await add(client, session, within: .seconds(3600)) == ["0"])
                #expect(MonotonicInstant.now - begun < .seconds(600))
                // Half of the time that is left is for the reply.
                #expect(try await add(client, session, within: .seconds(3)) == ["0"])
                _ = try await raw.next("scenePostsHandled")
            }
        }

        @Test("A plugin that leaves before it has answered does not hold the reply to an action")
        func leaving() async throws {
            try await withHost { live in
                let raw = try await rawPlugin(live)
                let (client, session) = try await open(live)
                let acting = Task { try await add(client, session) }
                _ = try await raw.next("scenePostsHandled")
                try raw.send(Frame(.goodbye).encoded())
                #expect(try await acting.value == ["0"])
                // Nobody handles the posts now.
                #expect(try await add(client, session) == ["0"])
            }
        }

        @Test("A peer that asks about many names gets an answer, and each peer is asked once")
        func manyNames() async throws {
            try await withHost { live in
                let raw = try live.raw()
                let names = (0..<10).map { "tally\($0)" }
                #expect(try await raw.hello("raw", handles: names).kind == .welcome)
                let client = try await live.client()
                let asking = Task { try await client.chain.scenePostsHandled(messages: names + ["nobody's"]) }
                let question = try await raw.next("scenePostsHandled")
                #expect(
                    try question.decodePayload(as: SceneReportMessagesList.scenePostsHandled.self).messages == names)
                try raw.reply(to: question)
                try await asking.value
                // Beyond the limit, names are ignored.
                let others = (0..<100).map { "other\($0)" }
                try await client.chain.scenePostsHandled(messages: others + names)
            }
        }

        @Test("A post of a message that is a request is counted as such")
        func postOfRequest() async throws {
            try await withHost(delegate: GreetingDelegate(), handles: [GreetingMessagesList.self]) { live in
                let raw = try live.raw()
                #expect(try await raw.hello("raw").kind == .welcome)
                var post = Frame(.post)
                post.name = "greetingSay"
                try raw.send(post.encoded())
                try await live.until("it is counted") {
                    live.host.hub.counters.values["dropped: post of a message that is a request"] == 1
                }
            }
        }
    }
}
