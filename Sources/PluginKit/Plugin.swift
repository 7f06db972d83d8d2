import Bus
import MessageHandling
public import CBOR
public import Messaging
public import PeerLink
public import Logging
public import ServiceLifecycle
package import ZeroMQ

/// A process that attaches to the host over the bus and adds responders, services and entries to an application.
///
///     @main struct Greeter {
///         static func main() {
///             Plugin.main(id: "greeter", provides: ["greeting"]) { plugin in
///                 plugin.respond(GreeterResponder(), to: GreeterMessagesList.self)
///                 plugin.appDependency.greeting = "Hello"
///             }
///         }
///     }
@MainActor
public final class Plugin: Service {
    /// The plugin's id, as in its manifest.
    ///
    /// Its name on the bus can differ: the host or `--name` sets it, else it consists of the id, the process id and four
    /// random letters.
    public let id: String
    /// The plugin's logger.
    ///
    /// It writes messages at or above the level in SCENEBUS_LOG (default: notice) to the standard error. A plugin that
    /// is linked into its host uses the logger from its initializer.
    public let logger: Logger
    /// The manifest's `configuration`.
    public let configuration: [String: CBORValue]
    /// Called with the host's container after each change of any entry.
    public var onDependencies: (@MainActor (AppDependency) -> Void)?
    /// Called with the reason when an entry was set that cannot be published, or that the host has refused, for example
    /// because there is no room for it. The entry then keeps its earlier value for all others. The plugin also logs the first
    /// refusal of each entry. ``set(_:to:)`` throws what is known before the entry is sent.
    public var onRefused: (@MainActor (EntryRefused) -> Void)?
    /// Called when the plugin has attached to a host, for the first time or again.
    public var onAttach: (@MainActor () -> Void)?

    private let process: PeerProcess
    private let version: String
    let provides: [String]
    let provided: Set<String>
    private let context: SocketContext
    private let directory: ServiceDirectory
    private(set) var peer: Peer?
    private var lists: [any ResponderMessageList.Type] = []
    private var services: [String] = []
    private var responders: [PluginResponder] = []
    /// The entries that this plugin has set; `nil` for those that it has removed.
    var own: [String: DependencyEntry?] = [:]
    /// The host's container at the last read, and the same container with this plugin's own entries.
    var hosts = AppDependency()
    var merged = AppDependency()
    /// The epoch of the host's life to which the plugin was attached last.
    var hostLife: UInt64?
    private var work: [@MainActor @Sendable () async throws -> Void] = []
    /// The keys that were refused, and of sessions' entries the names. Each is logged once.
    var refusedKeys: Set<String> = []

    /// Runs a plugin as the process's main job. Never returns.
    /// - Parameters:
    ///   - id: the plugin's id, as in its manifest.
    ///   - version: the plugin's own version.
    ///   - provides: the entries that it sets.
    ///   - setUp: adds responders, services and first entries.
    public nonisolated static func main(
        id: String, version: String = "1.0.0", provides: [String] = [],
        setUp: @escaping @MainActor @Sendable (Plugin) throws -> Void
    ) -> Never {
        PeerProcess.main(id: id) { process in
            let plugin = Plugin(process, id: id, version: version, provides: provides, context: SocketContext())
            try setUp(plugin)
            return plugin
        }
    }

    /// Creates a plugin that is linked into its host instead of being a process of its own.
    ///
    /// It attaches as any other plugin does, without a socket file or a port. Run it beside the host.
    ///
    ///     let greeter = try Plugin(id: "greeter", in: host.inProcess, logger: logger) { plugin in
    ///         plugin.respond(GreeterResponder(), to: GreeterMessagesList.self)
    ///     }
    ///     let group = ServiceGroup(services: [host, greeter], logger: logger)
    ///
    /// - Parameters:
    ///   - id: the plugin's id, which must be unique among the host's peers. It begins with a letter or a digit, has only
    ///     letters, digits, `-`, `_` and `.`, and has at most 128 bytes.
    ///   - version: the plugin's own version.
    ///   - provides: the entries that it sets.
    ///   - configuration: the `configuration` that a manifest would have.
    ///   - host: the host of this process.
    ///   - setUp: adds responders, services and first entries.
    /// - Throws: an error that says what is wrong with the id; what `setUp` throws.
    public convenience init(
        id: String, version: String = "1.0.0", provides: [String] = [], configuration: [String: CBORValue] = [:],
        in host: InProcessHost, logger: Logger, setUp: @MainActor (Plugin) throws -> Void
    ) throws {
        let process = try PeerProcess(
            endpoint: host.endpoint.bus, peer: BusName(id), configuration: configuration, logger: logger)
        self.init(process, id: id, version: version, provides: provides, context: host.context)
        try setUp(self)
    }

    package init(
        _ process: PeerProcess, id: String, version: String, provides: [String], context: SocketContext,
        directory: ServiceDirectory = .shared
    ) {
        self.process = process
        self.id = id
        self.version = version
        self.provides = provides
        provided = Set(provides)
        self.context = context
        self.directory = directory
        logger = process.logger
        configuration = process.configuration
    }

    // MARK: - Responders and services

    /// Adds a responder to the host's chain. Responders receive messages in the order in which they are added.
    ///
    /// Call this method before the plugin runs, because a plugin declares the messages that it handles when it
    /// attaches.
    public func respond(_ responder: PluginResponder, to lists: any ResponderMessageList.Type...) {
        warnIfRunning(lists)
        if let last = responders.last { last.nextResponder = responder }
        responder.nextResponder = peer?.responder
        responder.plugin = self
        responders.append(responder)
        self.lists += lists
    }

    /// Offers a responder as a service, which other peers reach by its name with a ``ServiceReference``.
    ///
    /// Call this method before the plugin runs, because a plugin declares its services when it attaches.
    public func offer(_ name: String, _ responder: PluginResponder, for lists: any ResponderMessageList.Type...) {
        warnIfRunning(lists)
        responder.plugin = self
        directory.provide(name, responder)
        offered.append(responder)
        services.append(name)
        self.lists += lists
    }

    private var offered: [PluginResponder] = []

    private func warnIfRunning(_ lists: [any ResponderMessageList.Type]) {
        guard peer != nil else { return }
        let names = lists.flatMap { $0.messages.map { $0.name } }.joined(separator: ", ")
        logger.error("added too late, so the host sends none of these: \(names); add responders before the plugin runs")
    }

    /// Adds work that runs as long as the plugin does. If the work throws an error, the plugin ends with that error.
    public func whileRunning(_ body: @escaping @MainActor @Sendable () async throws -> Void) {
        work.append(body)
    }

    /// The chain that starts at the host, for sending messages.
    public var chain: ResponderChain { (peer?.responder as Responder?).chain }

    /// The chain that starts at the host, for messages that are acts of one of the plugin's own users, such as a person who has
    /// logged in to a page of the plugin.
    ///
    /// A handler reads the user as ``MessageActor/user``. It is the plugin that makes sure who its users are. The messages are
    /// refused with the code `unauthorized` if the plugin has a key without the grant `user=NAME`, or `user=*`.
    /// The messages are the user's own acts also while the plugin handles a message of somebody else.
    /// - Parameter user: the user's name, which begins with a letter or a digit, has only characters that are seen and plain
    ///   spaces, and has at most ``MessageActor/maximumUserLength`` bytes. A request for another name fails with the code
    ///   `malformed`, and a post is dropped.
    public func chain(actingFor user: String) -> ResponderChain {
        (peer.map { LinkResponder($0.link, user: user) } as Responder?).chain
    }

    // MARK: - Running

    /// Runs until the task is cancelled, a graceful shutdown begins, or the host that started the process dies.
    ///
    /// ``main(id:version:provides:setUp:)`` calls this method. Call it yourself for a plugin that is linked into its
    /// host.
    /// - Throws: an error with the reason when the host refuses the plugin permanently, when another user could listen
    ///   at the host's address, or when this process already runs a peer of this name; also the errors of
    ///   ``whileRunning(_:)``'s work.
    public func run() async throws {
        var configuration = LinkConfiguration(
            process.host, role: .plugin, peer: process.peer.text, context: context)
        configuration.software = version
        configuration.handles = lists.flatMap { $0.messages.map { $0.name } }
        configuration.secrets = lists.flatMap { $0.messages }.flatMap { message in
            message.secretFields.map { HelloSecret(message: message.name, field: $0).text }
        }
        configuration.provides = provides
        configuration.services = services
        let peer = Peer(configuration, hasParent: process.hasParent, services: directory, logger: logger)
        self.peer = peer
        for list in lists { peer.receiver.registry.add(list) }
        peer.first = responders.first ?? peer.responder
        responders.last?.nextResponder = peer.responder
        peer.delegate = self
        let work = work
        try await withThrowingTaskGroup(of: Bool.self) { group in
            let run: @MainActor @Sendable () async throws -> Bool = {
                try await peer.run()
                return true
            }
            group.addTask(operation: run)
            for body in work {
                let item: @MainActor @Sendable () async throws -> Bool = {
                    do {
                        try await body()
                    } catch is CancellationError {
                        // The work is cancelled when the plugin ends.
                    }
                    return false
                }
                group.addTask(operation: item)
            }
            for try await isEnd in group where isEnd { group.cancelAll() }
        }
    }
}

extension Plugin: PeerDelegate {
    package func peerIsAttached(_ peer: Peer) {
        publishAll()
        onAttach?()
    }

    package func peer(_ peer: Peer, changed dependencies: AppDependency) {
        // Read each time, so that no removal between two others is missed.
        let container = appDependency
        onDependencies?(container)
    }

    package func peer(_ peer: Peer, refused key: String, _ reason: String) {
        guard !dropsRemoval(of: key) else { return }
        let refusal = EntryRefused(key: key, reason: "the host has refused it: \(String(foreign: reason))")
        tell(refusal, logs: refusedKeys.insert(SessionEntryKey.name(in: key)).inserted)
    }
}

/// A responder of a plugin. A message that it does not handle goes to the plugin's next responder, then to the host.
@MainActor
open class PluginResponder: Responder {
    /// The plugin to which the responder was added, which gives access to the container and to the host. `nil` before
    /// it is added.
    public internal(set) weak var plugin: Plugin?
    var nextResponder: Responder?

    public override init() {}

    open override var next: Responder? { nextResponder }
}
