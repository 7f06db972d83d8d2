@testable import Hub
import TestKit
import Bus
import CBOR
import CoordinatorKit
import Glibc
import PeerLink
import PluginKit
import SceneWorker
import Testing
import ZeroMQ

@testable import SceneHost

extension LiveTests {
    @MainActor
    @Suite(.timeLimit(.minutes(5)))
    struct HostTests {
        // MARK: - The container

        @Test("A change of one entry reaches the child coordinators of two workers, and is published alone")
        func changeFalls() async throws {
            try await withHost { live in
                let plugin = try await live.plugin("greeter", provides: ["greeting", "total"]) {
                    $0.appDependency.greeting = "hello"
                    $0.appDependency.total = 1
                }
                let workers = [try await live.worker("one"), try await live.worker("two")]
                let client = try await live.client()
                for _ in workers { _ = try await client.open() }
                let children = try workers.map { try #require($0.child) }
                for child in children { #expect(child.appDependency?.greeting == "hello") }

                let subscriber = try live.raw(.subscriber, to: live.configuration.directory.publisher)
                try subscriber.subscribe(Frame.topic(.delta))
                // When this subscription has arrived, so have the earlier ones.
                let before = try await live.subscribed(subscriber)
                let changes = children.map(\.changes)

                plugin.appDependency.total = 2
                let delta = try await subscriber.next(.delta)
                #expect(try Set(DependencyPayload.decode(delta.payload).keys) == ["total"])
                #expect(delta.previous == before)
                #expect(delta.revision == before + 1)
                try await live.until("both children have the new total") {
                    children.allSatisfy { $0.appDependency?.total == 2 }
                }
                #expect(children.map(\.changes) == changes.map { $0 + 1 })
                for child in children { #expect(child.appDependency?.greeting == "hello") }

                plugin.appDependency.greeting = nil
                let removal = try await subscriber.next(.delta)
                #expect(try DependencyPayload.decode(removal.payload) == ["greeting": nil])
                try await live.until("greeting removed") { children.allSatisfy { $0.appDependency?.greeting == nil } }
                #expect(plugin.appDependency.greeting == nil)
            }
        }

        @Test("An entry that is set to its current value is not published")
        func unchanged() async throws {
            try await withHost { live in
                let plugin = try await live.plugin("greeter", provides: ["greeting"])
                plugin.appDependency.greeting = "hello"
                try await live.until("greeting set") { live.host.container.entries.entry(of: "greeting")?.value != nil }
                let revision = live.host.container.entries.revision
                plugin.appDependency.greeting = "hello"
                plugin.appDependency.greeting = "bye"
                try await live.until("the greeting has changed") {
                    live.host.application.delegate.appDependency?.greeting == "bye"
                }
                #expect(live.host.container.entries.revision == revision + 1)
            }
        }

        @Test("A worker that attaches late has the whole container before its first scene")
        func late() async throws {
            try await withHost { live in
                try await live.plugin("greeter", provides: ["greeting"]) { $0.appDependency.greeting = "hello" }
                let client = try await live.client()
                let status = try await client.chain.hostOpenSession(
                    configuration: "Wall", role: "windowApplication", link: nil, session: nil)
                #expect(status.worker == nil)
                #expect(status.problem?.contains("no worker that offers 'Wall'") == true)
                let worker = try await live.worker("late")
                try await live.until("the worker has its scene") { worker.child != nil }
                #expect(worker.child?.appDependency?.greeting == "hello")
                // The container was given to the child once, at its start.
                #expect(worker.child?.changes == 1)
            }
        }

        @Test("No worker that attaches while 500 entries change misses a change")
        func barrier() async throws {
            try await withHost { live in
                let keys = (0..<500).map { "key\($0)" }
                let plugin = try await live.plugin("source", provides: keys) { plugin in
                    var container = plugin.appDependency
                    for key in keys { container.setValue(0, of: key) }
                    plugin.appDependency = container
                }
                let workers = try (0..<4).map { try live.makeWorker("wall-\($0)") }
                var round = 0
                for worker in workers {
                    live.begin(worker) { try await worker.run() }
                    for _ in 0..<40 {
                        round += 1
                        for step in 0..<5 {
                            plugin.appDependency.setValue(round, of: keys[(round * 5 + step) % keys.count])
                        }
                        try await live.turn()
                    }
                }
                plugin.appDependency.setValue(-1, of: "key0")
                func values(_ container: AppDependency?) -> [Int?] {
                    keys.map { container?.value(of: $0, as: Int.self) }
                }
                try await live.until("the last change has reached every worker") {
                    workers.allSatisfy {
                        $0.application.delegate.appDependency?.value(of: "key0", as: Int.self) == -1
                    }
                }
                let expected = values(live.host.application.delegate.appDependency)
                #expect(!expected.contains(nil))
                #expect(Set(expected.compactMap { $0 }).count > 100)
                for worker in workers {
                    #expect(values(worker.application.delegate.appDependency) == expected)
                }
            }
        }

        @Test("When a request returns, the caller's container has the changes that its handler made")
        func readYourWrites() async throws {
            try await withHost { live in
                try await live.plugin("adder", provides: ["total"]) {
                    $0.respond(Adder(), to: TotalMessagesList.self)
                    $0.appDependency.total = 0
                }
                let callers = [try await live.plugin("one"), try await live.plugin("two")]
                let calls = callers.map { caller in
                    Task {
                        var wrong: [String] = []
                        for _ in 0..<100 {
                            let total = try await caller.chain.totalAdd(amount: 1)
                            let seen = caller.appDependency.total ?? 0
                            // The other caller may have added since.
                            if seen < total { wrong.append("\(caller.id) read \(seen) after \(total)") }
                        }
                        return wrong
                    }
                }
                var wrong: [String] = []
                for call in calls { wrong += try await call.value }
                #expect(wrong.isEmpty)
                #expect(live.host.application.delegate.appDependency?.total == 200)
            }
        }

        @Test("An entry that a plugin removes is gone from its own container at once")
        func removal() async throws {
            try await withHost { live in
                let plugin = try await live.plugin("greeter", provides: ["greeting"]) {
                    $0.appDependency.greeting = "hello"
                }
                try await live.until("the greeting has arrived") {
                    live.host.application.delegate.appDependency?.greeting == "hello"
                }
                plugin.appDependency.greeting = nil
                #expect(plugin.appDependency.greeting == nil)
                try await live.until("the host has removed the greeting") {
                    live.host.application.delegate.appDependency?.greeting == nil
                }
                plugin.appDependency.greeting = "again"
                #expect(plugin.appDependency.greeting == "again")
                try await live.until("the host has the greeting again") {
                    live.host.application.delegate.appDependency?.greeting == "again"
                }
            }
        }

        @MainActor
        final class DoublingDelegate: AppDelegate {
            override var appDependency: AppDependency? {
                didSet {
                    let doubled = appDependency?.total.map { $0 * 2 }
                    if appDependency?.doubled != doubled { appDependency?.doubled = doubled }
                }
            }
        }

        @Test("An entry that the host's delegate derives from a plugin's entry is published, too")
        func derived() async throws {
            try await withHost(delegate: DoublingDelegate()) { live in
                let plugin = try await live.plugin("adder", provides: ["total"])
                let watcher = try await live.plugin("watcher")
                for total in [1, 2, 3] {
                    plugin.appDependency.total = total
                    try await live.until("\(total) is doubled") { watcher.appDependency.doubled == total * 2 }
                }
                let entries = try await live.client().chain.hostDependencies(after: nil).entries.sorted {
                    $0.key < $1.key
                }
                #expect(entries.map(\.key) == ["doubled", "total"])
                #expect(entries.map(\.owner) == ["", "adder"])
                #expect(entries.map(\.value) == [[6], [3]])
            }
        }

        @Test("The entries that the delegate sets at launch are in the first snapshot, and none counts as dropped")
        func atLaunch() async throws {
            let delegate = AppDelegate()
            delegate.appDependency = AppDependency { $0.greeting = "early" }
            let launching = LaunchingDelegate()
            try await withHost(delegate: launching) { live in
                let watcher = try await live.plugin("watcher")
                #expect(watcher.appDependency.greeting == "from the launch")
                #expect(live.host.hub.counters.values.keys.filter { $0.hasPrefix("dropped") }.isEmpty)
            }
        }

        @MainActor
        final class LaunchingDelegate: AppDelegate {
            override func rebuildDependencies() {
                appDependency = AppDependency { $0.greeting = "from the launch" }
            }
        }

        @Test("An entry that peers could not decode is not published, and later entries are")
        func unreadableEntry() async throws {
            try await withHost { live in
                let watcher = try await live.plugin("watcher")
                var deep: CBORValue = 0
                for _ in 0..<40 { deep = .array([deep]) }
                var container = live.host.application.delegate.appDependency ?? AppDependency()
                container.setValue(deep, of: "menu")
                live.host.application.delegate.appDependency = container
                live.host.application.delegate.appDependency?.greeting = "still there"
                try await live.until("the next entry arrived") { watcher.appDependency.greeting == "still there" }
                let plugin = try await live.plugin("deep", provides: ["total", "menu"])
                plugin.appDependency.setValue(deep, of: "menu")
                plugin.appDependency.total = 7
                try await live.until("the plugin's next entry has arrived") { watcher.appDependency.total == 7 }
                #expect(live.host.container.entries.entry(of: "menu")?.value == nil)
            }
        }

        @Test("A container that the delegate creates anew keeps the entries that peers have set")
        func madeAnew() async throws {
            let delegate = LaunchingDelegate()
            try await withHost(delegate: delegate) { live in
                let plugin = try await live.plugin("adder", provides: ["total"])
                plugin.appDependency.total = 1
                let watcher = try await live.plugin("watcher")
                try await live.until("the total has arrived") { watcher.appDependency.total == 1 }
                delegate.appDependency?.greeting = "changed"
                delegate.rebuildDependencies()
                #expect(delegate.appDependency?.total == 1)
                try await live.until("the container is new") { watcher.appDependency.greeting == "from the launch" }
                #expect(watcher.appDependency.total == 1)
                // An explicit removal takes effect.
                delegate.appDependency?.total = nil
                try await live.until("the total is removed") { watcher.appDependency.total == nil }
            }
        }

        @Test("A delegate that creates its container anew on every change does not hang the host")
        func alwaysAnew() async throws {
            try await withHost(delegate: ForgetfulDelegate()) { live in
                let plugin = try await live.plugin("adder", provides: ["total"])
                let watcher = try await live.plugin("watcher")
                for total in 1...3 {
                    plugin.appDependency.total = total
                    try await live.until("the total has arrived") { watcher.appDependency.total == total }
                    try await live.until("the delegate's entry arrived") { watcher.appDependency.greeting == "anew" }
                }
            }
        }

        @MainActor
        final class ForgetfulDelegate: AppDelegate {
            override var appDependency: AppDependency? {
                didSet {
                    if appDependency?.total != nil { appDependency = AppDependency { $0.greeting = "anew" } }
                }
            }
        }

        // MARK: - Starting and ending

        @Test("A second host in the same folder is refused, and the refusal names the process that holds the folder")
        func twoHosts() async throws {
            try await withHost { live in
                let second = AppHost(live.configuration, logger: LiveHost.logger)
                let error = try await #require(throws: HostError.self) { try await second.run() }
                #expect(error.code == .inUse)
                #expect(error.description.contains("process \(getpid())"))
                #expect(error.description.contains(live.configuration.directory.folder))
                // The first host keeps serving.
                _ = try await live.client().chain.hostStatus()
            }
        }

        @Test("A host whose delegate does not handle the messages that it is said to handle does not start")
        func handlesNothing() async throws {
            try await withHost { live in
                for (delegate, hint) in [
                    (ForgetfulDelegate(), "ForgetfulDelegate does not handle 'hostReport': conform it to"),
                    (AppDelegate(), "AppDelegate does not handle 'hostReport': conform a subclass of it to"),
                ] {
                    let host = AppHost(
                        live.configuration, delegate: delegate, handles: [HostReportMessagesList.self],
                        logger: LiveHost.logger)
                    let error = try await #require(throws: HostError.self) { try await host.run() }
                    #expect(error.code == .usage)
                    #expect(error.description.contains(hint))
                }
            }
        }

        @Test("Files of a killed host do not stop the next one")
        func staleFiles() async throws {
            let folder = try TemporaryFolder()
            try folder.write("999999\n", to: "run/lock")
            for name in ["bus", "pub"] {
                // A socket whose process has ended.
                let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                let address = try #require(SocketAddress("\(folder.path)/run/\(name)"))
                try #require(address.use { bind(descriptor, $0, $1) } == 0)
                close(descriptor)
            }
            try await withHost(in: folder) { live in
                let status = try await live.client().chain.hostStatus()
                #expect(status.pid == getpid())
            }
        }

        @Test(
            "A host listens on all of the machine's addresses when that is explicitly allowed",
            arguments: ["tcp://0.0.0.0:*", "tcp://[::]:*"])
        func insecure(_ address: String) async throws {
            try await withHost(configure: {
                $0.listen = ["tcp://127.0.0.1:*", address]
                $0.isInsecure = true
            }) { live in
                #expect(live.addresses.count == 3)
                let port = try #require(live.addresses.last?.split(separator: ":").last)
                // Another address of the same machine than the host's first one.
                let endpoint = "tcp://127.0.0.2:\(port)"
                let welcome = try await live.raw(to: endpoint).hello("peer", endpoint: endpoint)
                    .decodePayload(as: Welcome.self)
                let publisher = HostEndpoint.resolve(publisher: welcome.publisher, connectedTo: endpoint)
                #expect(publisher.hasPrefix("tcp://127.0.0.2:"))
                try await live.plugin("greeter", provides: ["greeting"], over: endpoint) {
                    $0.appDependency.greeting = "hello"
                }
                try await live.until("the plugin's entry has arrived") {
                    live.host.application.delegate.appDependency?.greeting == "hello"
                }
            }
        }

        @Test("Each of two TCP addresses has its own publisher, and addresses are shown in their usual form")
        func twoAddresses() async throws {
            try await withHost(configure: {
                ($0.listen, $0.isInsecure) = (["tcp://127.0.0.1:*", "tcp://127.0.0.2:*"], true)
            }) { live in
                let endpoints = live.host.hub.endpoints.suffix(2)
                #expect(live.addresses == [live.ipc] + endpoints.map(\.bus))
                for (endpoint, host) in zip(endpoints, ["127.0.0.1", "127.0.0.2"]) {
                    #expect(endpoint.bus.hasPrefix("tcp://\(host):"))
                    let welcome = try await live.raw(to: endpoint.bus).hello(host, endpoint: endpoint.bus)
                        .decodePayload(as: Welcome.self)
                    #expect(welcome.publisher == endpoint.publisher)
                    #expect(welcome.publisher.hasPrefix("tcp://\(host):"))
                }
            }
        }

        @Test(
            "An invalid address is refused, with an example of a valid one",
            arguments: ["127.0.0.1:5570", "tcp://127.0.0.1", "tcp://127.0.0.1:x", "tcp://127.0.0.1:65535", "udp://x:1"])
        func badAddress(_ address: String) async throws {
            let error = try await #require(throws: HostError.self) {
                try await withHost(configure: { $0.listen = [address] }) { _ in }
            }
            #expect(error.code == .usage)
            #expect(error.description.contains("tcp://127.0.0.1:5570"))
        }

        @Test("A record window that is shorter than surfaces send actions again is refused")
        func shortWindow() async throws {
            let error = try await #require(throws: HostError.self) {
                try await withHost(configure: { $0.onceWindow = .seconds(119) }) { _ in }
            }
            #expect(error.code == .usage)
            #expect(error.description.contains("'onceWindow' is 119.0 s: make it at least 120 s"))
        }

        @Test("An address that is in use is named, and no socket is left")
        func addressTaken() async throws {
            try await withHost(configure: { ($0.listen, $0.isInsecure) = (["tcp://127.0.0.1:*"], true) }) { live in
                let address = try #require(live.addresses.last)
                let error = try await #require(throws: HostError.self) {
                    try await withHost(configure: { ($0.listen, $0.isInsecure) = ([address], true) }) { _ in }
                }
                #expect(error.code == .inUse)
                #expect(error.description.contains(address))
            }
        }

        @Test("A folder whose socket paths would be too long is refused with a remedy")
        func longFolder() async throws {
            let folder = try TemporaryFolder()
            let error = try await #require(throws: HostError.self) {
                try await withHost(
                    in: folder,
                    configure: {
                        $0.directory = HostDirectory(
                            folder: folder.path + "/" + String(repeating: "x", count: 100))
                    }
                ) { _ in }
            }
            #expect(error.code == .usage)
            #expect(error.description.contains("SCENEBUS_RUNTIME"))
        }

        @Test("A missing plugin folder or an override for an unknown plugin leaves no socket and no file")
        func badPlugins() async throws {
            let folder = try TemporaryFolder()
            let missing = try await #require(throws: HostError.self) {
                try await withHost(in: folder, configure: { $0.plugins = ["\(folder.path)/none"] }) { _ in }
            }
            #expect(missing.code == .usage)
            #expect(missing.description.contains("\(folder.path)/none"))
            let wrong = try await #require(throws: HostError.self) {
                try await withHost(
                    in: folder,
                    configure: {
                        $0.plugins = [folder.path]
                        $0.overrides = ["ghost.key=1"]
                    }
                ) { _ in }
            }
            #expect(wrong.code == .usage)
            #expect(wrong.description.contains("ghost"))
        }

        @Test("A store that is not a database is refused and stays unchanged")
        func badStore() async throws {
            let folder = try TemporaryFolder()
            let store = try folder.write("a shopping list, long enough to be no header of any database", to: "list.txt")
            let error = try await #require(throws: HostError.self) {
                try await withHost(in: folder, configure: { $0.store = store }) { _ in }
            }
            #expect(error.code == .usage)
            #expect(error.description.contains(store))
            #expect(try folder.text(of: "list.txt").hasPrefix("a shopping list"))
        }

        @Test("A store without room is reported as a failure, not as a wrong configuration")
        func fullStore() async throws {
            let folder = try TemporaryFolder()
            let error = try await #require(throws: HostError.self) {
                try await withHost(
                    in: folder,
                    configure: {
                        $0.store = "\(folder.path)/store.sqlite"
                        $0.maximumStorePages = 2
                    }
                ) { _ in }
            }
            #expect(error.code == .failed)
            #expect(error.description.contains("disk is full"))
        }

        @Test("A host's restart does not empty its peers' containers")
        func noEmptyMoment() async throws {
            let folder = try TemporaryFolder()
            let context = SocketContext()
            func plugin(_ name: String, on live: LiveHost, provides: [String] = []) throws -> Plugin {
                try Plugin(
                    PeerProcess(endpoint: live.ipc, peer: BusName(name), logger: LiveHost.logger), id: name,
                    version: "1",
                    provides: provides, context: context)
            }
            var seen: [Int?] = []
            var watching: Task<Void, any Error>?
            var watcher: Plugin?
            try await withHost(in: folder) { live in
                let adder = try plugin("adder", on: live, provides: ["total"])
                adder.appDependency.total = 1
                let adding = Task { try await adder.run() }
                let made = try plugin("watcher", on: live)
                made.onDependencies = { seen.append($0.total) }
                watching = Task { try await made.run() }
                watcher = made
                try await live.until("the total has arrived") { made.appDependency.total == 1 }
                // This plugin leaves with the host and returns late.
                await live.endHost()
                adding.cancel()
                try await adding.value
            }
            seen = []
            try await withHost(in: folder) { live in
                live.host.application.delegate.appDependency = AppDependency { $0.greeting = "new" }
                try await live.until("the next life's snapshot arrived") { watcher?.appDependency.greeting == "new" }
                #expect(watcher?.appDependency.total == 1)
                let adder = try plugin("adder", on: live, provides: ["total"])
                adder.appDependency.total = 2
                let adding = Task { try await adder.run() }
                try await live.until("the late plugin has set its entry") { watcher?.appDependency.total == 2 }
                adding.cancel()
                try await adding.value
            }
            #expect(!seen.contains(nil))
            watching?.cancel()
            try await watching?.value
            #expect(context.openSockets == 0)
        }

        @Test("A host leaves a socket alone on which another process listens, and names it")
        func foreignSocket() async throws {
            let folder = try TemporaryFolder()
            let run = "\(folder.path)/run"
            let path = "\(run)/bus"
            mkdir(run, 0o700)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            let address = try #require(SocketAddress(path))
            try #require(address.use { bind(descriptor, $0, $1) } == 0 && listen(descriptor, 1) == 0)
            var configuration = HostConfiguration()
            configuration.directory = HostDirectory(folder: run)
            let host = AppHost(configuration, logger: LiveHost.logger)
            let error = await #expect(throws: HostError.self) { try await host.run() }
            #expect(error?.code == .inUse)
            #expect(error?.description.contains(path) == true)
            #expect(error?.description.contains("--listen") == false)
            #expect(SocketOccupant(of: path) == .listener)
        }

        @Test("A runtime folder that other users may write to is refused")
        func openFolder() async throws {
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/run"
            mkdir(path, 0o700)
            chmod(path, 0o777)
            let error = #expect(throws: HostError.self) { _ = try HostLock(HostDirectory(folder: path)) }
            #expect(error?.code == .refused)
            for word in [path, "every user", "SCENEBUS_RUNTIME"] {
                #expect(error?.description.contains(word) == true)
            }
        }

        @Test("Peers find the next host without help, and a plugin sets its entries again")
        func restart() async throws {
            let folder = try TemporaryFolder()
            let context = SocketContext()
            var plugin: Plugin?
            var task: Task<Void, any Error>?
            for round in 1...2 {
                try await withHost(in: folder) { live in
                    if plugin == nil {
                        let made = try Plugin(
                            PeerProcess(endpoint: live.ipc, peer: BusName("greeter"), logger: LiveHost.logger),
                            id: "greeter",
                            version: "1", provides: ["greeting"], context: context)
                        made.respond(Greeter("plugin"), to: GreetingMessagesList.self)
                        made.appDependency.greeting = "hello"
                        plugin = made
                        task = Task { try await made.run() }
                    }
                    try await live.until("the greeting has arrived in round \(round)") {
                        live.host.application.delegate.appDependency?.greeting == "hello"
                    }
                    let client = try await live.client()
                    #expect(try await client.chain.greetingSay(name: "Ada") == "plugin greets Ada")
                }
            }
            task?.cancel()
            try await task?.value
            #expect(context.openSockets == 0)
        }
    }
}

extension LiveHost {
    /// Waits until the subscriptions of a raw subscriber have reached the publisher.
    /// - Returns: The container's revision.
    func subscribed(_ subscriber: RawPeer) async throws -> UInt64 {
        try subscriber.subscribe(Frame.topic(.beacon))
        return try await subscriber.next(.beacon).revision
    }
}

@ResponderMessages protocol HostReportMessages {
    func hostReport() async throws
}
extension ResponderChain: HostReportMessages {}
