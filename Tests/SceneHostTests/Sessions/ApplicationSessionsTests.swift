import PluginKit
import Bus
import CBOR
import CoordinatorKit
import Messaging
import SceneWorker
import TestKit
import Testing

@testable import SceneHost

extension LiveTests {
    /// The host's application is the application of all sessions, wherever their scenes run.
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct ApplicationSessionsTests {
        @Test("The host's application has the sessions that operators open, and its delegate learns which are closed")
        func operators() async throws {
            let delegate = DecidingDelegate()
            try await withHost(delegate: delegate) { live in
                try await live.worker("wall", capacity: 2)
                let client = try await live.client()
                let (first, second) = (try await client.open(), try await client.open())
                let application = live.host.application
                #expect(application.openSessions.map(\.persistentIdentifier) == [first, second])
                #expect(application.openSessions.map(\.configuration.name) == ["Wall", "Wall"])
                try await client.chain.hostCloseSession(session: first)
                #expect(delegate.discarded == [first])
                #expect(application.openSessions.map(\.persistentIdentifier) == [second])
            }
            #expect(delegate.discarded.count == 1)
        }

        @Test("The host's delegate chooses the configuration of a session once, when it is opened")
        func configuration() async throws {
            let delegate = DecidingDelegate()
            delegate.configuration = "Wall"
            try await withHost(delegate: delegate) { live in
                let worker = try await live.worker("wall")
                let client = try await live.client()
                let id = try await client.open("Ceiling", link: .url("wall://item/3"))
                #expect(delegate.asked == ["Ceiling"])
                #expect(delegate.links == [.url("wall://item/3")])
                #expect(try await client.chain.hostSession(session: id).configuration == "Wall")
                await live.stop(worker)
                try await live.worker("wall")
                try await live.until("the scene runs again") {
                    try await client.chain.hostSession(session: id).state == .running
                }
                #expect(delegate.asked == ["Ceiling"])
            }
        }

        @Test("The host's application opens, shows and closes sessions itself")
        func host() async throws {
            try await withHost { live in
                let worker = try await live.worker("wall")
                let application = live.host.application
                let session = try application.requestSceneSessionActivation(
                    options: ConnectionOptions(links: [.url("wall://item/3")]))
                try await live.until("the scene runs") { worker.screen?.title != nil || worker.screen != nil }
                #expect(application.openSessions == [session])
                #expect(worker.wall?.scene?.session == session)
                #expect(worker.screen?.content.title == "item(3)")
                try application.requestSceneSessionActivation(
                    session, options: ConnectionOptions(links: [.url("wall://item/5")]))
                try await live.until("the link is open") { worker.screen?.content.title == "item(5)" }
                application.requestSceneSessionDestruction(session)
                try await live.until("the session is closed") { worker.application.openSessions.isEmpty }
                #expect(application.openSessions.isEmpty)
            }
        }

        @Test("A request of a worker's application climbs to the host, whose delegate decides")
        func worker() async throws {
            let delegate = DecidingDelegate()
            try await withHost(delegate: delegate) { live in
                let worker = try await live.worker("wall", capacity: 2)
                let session = try worker.application.requestSceneSessionActivation(
                    options: ConnectionOptions(links: [.url("wall://item/3"), .url("wall://item/4")]))
                // No scene is made before the host says so.
                #expect(worker.application.connectedScenes.isEmpty)
                try await live.until("both links are open") { worker.screen?.content.title == "item(4)" }
                #expect(delegate.asked == ["Wall"])
                #expect(live.host.application.openSessions == [session])
                worker.application.requestSceneSessionDestruction(session)
                try await live.until("the session is closed") { delegate.discarded.count == 1 }
                #expect(delegate.discarded == [session.persistentIdentifier])
                try await live.until("the scene is gone") { worker.application.openSessions.isEmpty }
            }
        }

        @Test("A session that is closed or shown right after the request to open it is closed or shown when it is open")
        func together() async throws {
            try await withHost { live in
                let worker = try await live.worker("wall")
                let application = live.host.application
                let shown = try application.requestSceneSessionActivation()
                try application.requestSceneSessionActivation(
                    shown, options: ConnectionOptions(links: [.url("wall://item/3")]))
                try await live.until("the link is open") { worker.screen?.content.title == "item(3)" }
                var error: (any Error)?
                let closed = try application.requestSceneSessionActivation()
                application.requestSceneSessionDestruction(closed, errorHandler: { error = $0 })
                try await live.until("only the first session is open") { application.openSessions == [shown] }
                #expect(error == nil)
            }
        }

        @Test("A request that the delegate makes at the launch is carried out when the host has read its store")
        func atLaunch() async throws {
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/store"
            try await withHost(in: folder, configure: { $0.store = path }) { live in
                try await live.worker("wall")
                _ = try await live.client().open()
            }
            let delegate = OpeningDelegate()
            try await withHost(in: folder, delegate: delegate, configure: { $0.store = path }) { live in
                try await live.until("both sessions are open") { live.host.application.openSessions.count == 2 }
                #expect(live.host.application.openSessions.last == delegate.opened)
                #expect(live.host.life?.sessions.table.sessions.count == 2)
            }
        }

        @Test("A request that waits for a scene when the host ends fails, and a host runs once")
        func ending() async throws {
            var error: (any Error)?
            var host: AppHost?
            try await withHost { live in
                let worker = try await live.worker("wall")
                let session = try live.host.application.requestSceneSessionActivation()
                try await live.until("the scene runs") { worker.screen != nil }
                await live.stop(worker)
                try live.host.application.requestSceneSessionActivation(
                    session, options: ConnectionOptions(links: [.url("wall://item/3")]), errorHandler: { error = $0 })
                host = live.host
            }
            #expect(error != nil)
            await #expect(throws: HostError.self) { try await host?.run() }
        }

        @Test(
            "An application's link without a chosen session reaches the first scene that accepts it, from any process")
        func anywhere() async throws {
            try await withHost { live in
                let worker = try await live.worker("wall")
                _ = try await live.client().open()
                try live.host.application.open(.url("wall://item/3"))
                try await live.until("the link is open") { worker.screen?.content.title == "item(3)" }
                try worker.application.open(.url("wall://item/4"))
                try await live.until("the link is open") { worker.screen?.content.title == "item(4)" }
                var error: (any Error)?
                try worker.application.open(.url("nowhere://"), errorHandler: { error = $0 })
                try await live.until("the error arrives") { error != nil }
            }
        }

        @Test("A container that a worker's delegate makes anew keeps the host's entries")
        func madeAnew() async throws {
            let delegate = ServingDelegate()
            try await withHost { live in
                let worker = try await live.worker("wall", delegate: delegate)
                _ = try await live.client().open()
                live.host.application.delegate.appDependency = AppDependency { $0.greeting = "hello" }
                try await live.until("the entry arrives") { worker.child?.appDependency?.greeting == "hello" }
                let before = worker.child?.changes
                delegate.appDependency = AppDependency {
                    $0.cache = nil
                    $0.total = 7
                }
                #expect(worker.child?.appDependency?.greeting == "hello")
                #expect(worker.child?.appDependency?.total == nil)
                #expect(worker.child?.appDependency?.cache == nil)
                #expect(worker.child?.changes == before.map { $0 + 1 })
            }
        }

        @Test("A request that the host cannot carry out calls the error handler, in the host and in a worker")
        func errors() async throws {
            try await withHost { live in
                let worker = try await live.worker("wall")
                for application in [live.host.application, worker.application] {
                    var error: (any Error)?
                    try application.requestSceneSessionActivation(
                        configuration: "Ceiling", errorHandler: { error = $0 })
                    try await live.until("the error arrives") { error != nil }
                    #expect("\(try #require(error))".contains("no worker offers 'Ceiling'"))
                }
                #expect(live.host.application.openSessions.isEmpty)
                let unknown = SceneSession(
                    persistentIdentifier: "unknown", configuration: SceneConfiguration(name: "Wall"))
                var closing: (any Error)?
                live.host.application.requestSceneSessionDestruction(unknown, errorHandler: { closing = $0 })
                try await live.until("the error arrives") { closing != nil }
                #expect(closing as? SceneCommandError == .notOpen("unknown"))
            }
        }

        @Test("An identifier that is in use, or is none, is refused", arguments: ["", "UPPER", "a/b", "-a", "taken"])
        func identifiers(identifier: String) async throws {
            try await withHost { live in
                try await live.worker("wall", capacity: 2)
                let client = try await live.client()
                func open(_ id: String) async throws -> SessionStatus {
                    try await client.chain.hostOpenSession(
                        configuration: nil, role: "windowApplication", link: nil, session: id)
                }
                #expect(try await open("taken").session == "taken")
                let error = try await #require(throws: RemoteError.self) { try await open(identifier) }
                #expect(error.code == "refused")
                #expect(live.host.application.openSessions.map(\.persistentIdentifier) == ["taken"])
            }
        }

        @Test("A link for the application is opened by the session that the host's delegate chooses")
        func links() async throws {
            let delegate = DecidingDelegate()
            try await withHost(delegate: delegate) { live in
                let worker = try await live.worker("wall", capacity: 2)
                let client = try await live.client()
                let (first, second) = (try await client.open(), try await client.open())
                let link = try CBORRaw(encoding: DeepLink.url("wall://item/3"))
                #expect(try await client.chain.hostOpen(link: link, session: nil).session == first)
                delegate.chosen = live.host.application.openSessions.last
                #expect(try await client.chain.hostOpen(link: link, session: nil).session == second)
                #expect(worker.application.connectedScenes.count == 2)
                // The scene refuses it, but the application has received it.
                let notification = try CBORRaw(encoding: DeepLink.notification(["item": 3]))
                await #expect(throws: (any Error).self) {
                    try await client.chain.hostOpen(link: notification, session: nil)
                }
                #expect(delegate.notifications.map { $0["item"] as? Int } == [3])
            }
            #expect(delegate.terminations == 1)
        }

        @Test("The error for a message that the host's delegate may handle says how to register it")
        func handles() async throws {
            try await withHost(delegate: DecidingDelegate()) { live in
                let client = try await live.client()
                let error = try await #require(throws: MessageError.self) {
                    _ = try await client.chain.greetingSay(name: "Ada")
                }
                #expect(error.code == .unhandled)
                #expect(error.detail.contains("DecidingDelegate"))
                #expect(error.detail.contains("'handles:'"))
            }
            try await withHost { live in
                let client = try await live.client()
                let error = try await #require(throws: MessageError.self) {
                    _ = try await client.chain.greetingSay(name: "Ada")
                }
                #expect(error.detail == "")
            }
        }

        @Test("A restarted host's application has the sessions that were open")
        func restart() async throws {
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/store"
            let id = try await withHost(in: folder, configure: { $0.store = path }) { live in
                try await live.worker("wall")
                return try await live.client().open()
            }
            let delegate = DecidingDelegate()
            try await withHost(in: folder, delegate: delegate, configure: { $0.store = path }) { live in
                #expect(live.host.application.openSessions.map(\.persistentIdentifier) == [id])
                #expect(delegate.asked.isEmpty)
            }
        }

        @Test("A worker's own services fall to its coordinators, and stay when the host's entries change")
        func localEntries() async throws {
            let delegate = ServingDelegate()
            try await withHost { live in
                let worker = try await live.worker("wall", delegate: delegate)
                _ = try await live.client().open()
                #expect(worker.child?.appDependency?.cache === delegate.cache)
                live.host.application.delegate.appDependency = AppDependency { $0.greeting = "hello" }
                try await live.until("the entry arrives") { worker.child?.appDependency?.greeting == "hello" }
                #expect(worker.child?.appDependency?.cache === delegate.cache)
                delegate.appDependency?.cache = nil
                #expect(worker.child?.appDependency?.cache == nil)
                #expect(worker.child?.appDependency?.greeting == "hello")
                #expect(live.host.container.entries.entry(of: "cache") == nil)
            }
        }

        @Test("The host's own services stay in the host, also when peers set entries")
        func hostEntries() async throws {
            let delegate = ServingDelegate()
            try await withHost(delegate: delegate) { live in
                _ = try await live.plugin("greeter", provides: ["greeting"]) { $0.appDependency.greeting = "hello" }
                try await live.until("the entry arrives") { delegate.appDependency?.greeting == "hello" }
                #expect(delegate.appDependency?.cache === delegate.cache)
                #expect(live.host.container.entries.entry(of: "cache") == nil)
            }
        }
    }
}

extension AppDependency {
    @Entry(.local) fileprivate var cache: Cache?
}

@MainActor
private final class Cache {}

private final class ServingDelegate: AppDelegate {
    let cache = Cache()

    override func rebuildDependencies() {
        appDependency = AppDependency { $0.cache = cache }
    }
}

/// Opens a session at the launch.
private final class OpeningDelegate: AppDelegate {
    private(set) var opened: SceneSession?

    override func application(
        _ application: Application, didFinishLaunchingWithOptions options: LaunchOptions
    ) -> Bool {
        opened = try? application.requestSceneSessionActivation(configuration: "Wall")
        return super.application(application, didFinishLaunchingWithOptions: options)
    }
}

private final class DecidingDelegate: AppDelegate {
    var configuration: String?
    var chosen: SceneSession?
    private(set) var terminations = 0
    private(set) var asked: [String] = []
    private(set) var links: [DeepLink] = []
    private(set) var discarded: [String] = []
    private(set) var notifications: [[AnyHashable: Any]] = []

    override func application(
        _ application: Application, configurationForConnecting session: SceneSession, options: ConnectionOptions
    ) -> SceneConfiguration {
        asked.append(session.configuration.name)
        links += options.links
        return configuration.map { SceneConfiguration(name: $0) } ?? session.configuration
    }

    override func application(_ application: Application, sessionToOpen link: DeepLink) -> SceneSession? { chosen }

    override func application(_ application: Application, didReceiveRemoteNotification userInfo: [AnyHashable: Any]) {
        notifications.append(userInfo)
    }

    override func applicationWillTerminate(_ application: Application) { terminations += 1 }

    override func application(_ application: Application, didDiscardSceneSessions sessions: [SceneSession]) {
        discarded += sessions.map(\.persistentIdentifier)
    }
}
