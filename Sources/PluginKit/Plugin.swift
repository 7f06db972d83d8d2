import Bus
public import CBOR
public import Messaging
public import PeerLink
public import Logging
public import ServiceLifecycle
package import ZeroMQ

/// A process that adds responders, services and entries to an application: it attaches to the host over the bus.
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
    /// The plugin's id, as in its manifest. Its name on the bus can be another: `--name` says it, or it is made with the process id.
    public let id: String
    /// Writes to the standard error what is at least of the level that SCENEBUS_LOG says (default: notice). A plugin that is linked
    /// into its host has the logger that it was made with.
    public let logger: Logger
    /// The manifest's `configuration`.
    public let configuration: [String: CBORValue]
    /// Called with the host's container after each change of any entry.
    public var onDependencies: (@MainActor (AppDependency) -> Void)?
    /// Called when an entry was set that cannot be published, with why; the plugin's log has it too. ``set(_:to:)`` throws it instead.
    public var onRefused: (@MainActor (EntryRefused) -> Void)?
    /// Called when the plugin is attached to a host, for the first time or again.
    public var onAttach: (@MainActor () -> Void)?

    private let process: PeerProcess
    private let version: String
    private let provides: [String]
    private let provided: Set<String>
    private let context: SocketContext
    private(set) var peer: Peer?
    private var lists: [any ResponderMessageList.Type] = []
    private var services: [String] = []
    private var responders: [PluginResponder] = []
    /// What this plugin has set itself; `nil` for what it has removed.
    private var own: [String: DependencyEntry?] = [:]
    /// The host's container as it was looked at last, and with this plugin's own entries over it.
    private var hosts = AppDependency()
    private var merged = AppDependency()
    private var work: [@MainActor @Sendable () async throws -> Void] = []
    /// The keys that were set and that this plugin does not provide: said once.
    private var refusedKeys: Set<String> = []

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

    /// Makes a plugin that is linked into its host instead of being a process of its own. It attaches as any other does,
    /// without a socket file or a port; run it beside the host.
    ///
    ///     let greeter = try Plugin(id: "greeter", in: host.inProcess, logger: logger) { plugin in
    ///         plugin.respond(GreeterResponder(), to: GreeterMessagesList.self)
    ///     }
    ///     let group = ServiceGroup(services: [host, greeter], logger: logger)
    ///
    /// - Parameters:
    ///   - id: the plugin's id: no other peer of the host may have it.
    ///   - version: the plugin's own version.
    ///   - provides: the entries that it sets.
    ///   - configuration: what a manifest would say as `configuration`.
    ///   - host: the host of this process.
    ///   - setUp: adds responders, services and first entries.
    /// - Throws: what `setUp` throws.
    public convenience init(
        id: String, version: String = "1.0.0", provides: [String] = [], configuration: [String: CBORValue] = [:],
        in host: InProcessHost, logger: Logger, setUp: @MainActor (Plugin) throws -> Void
    ) rethrows {
        let process = PeerProcess(endpoint: host.endpoint.bus, peer: id, configuration: configuration, logger: logger)
        self.init(process, id: id, version: version, provides: provides, context: host.context)
        try setUp(self)
    }

    package init(_ process: PeerProcess, id: String, version: String, provides: [String], context: SocketContext) {
        self.process = process
        self.id = id
        self.version = version
        self.provides = provides
        provided = Set(provides)
        self.context = context
        logger = process.logger
        configuration = process.configuration
    }

    // MARK: - What it adds

    /// Adds a responder to the host's chain. Responders are asked in the order in which they are added.
    ///
    /// Call it before the plugin runs: a host is told what a plugin handles when the plugin attaches.
    public func respond(_ responder: PluginResponder, to lists: any ResponderMessageList.Type...) {
        warnIfRunning(lists)
        if let last = responders.last { last.nextResponder = responder }
        responder.nextResponder = peer?.responder
        responder.plugin = self
        responders.append(responder)
        self.lists += lists
    }

    /// Offers a responder as a service: others reach it by the name alone, with a ``ServiceReference``.
    ///
    /// Call it before the plugin runs: a host is told what a plugin offers when the plugin attaches.
    public func offer(_ name: String, _ responder: PluginResponder, for lists: any ResponderMessageList.Type...) {
        warnIfRunning(lists)
        responder.plugin = self
        ServiceDirectory.shared.provide(name, responder)
        offered.append(responder)
        services.append(name)
        self.lists += lists
    }

    private var offered: [PluginResponder] = []

    private func warnIfRunning(_ lists: [any ResponderMessageList.Type]) {
        guard peer != nil else { return }
        let names = lists.flatMap { $0.messages.map { $0.name } }.joined(separator: ", ")
        logger.error("added too late, the host sends none of these: \(names); add responders before the plugin runs")
    }

    /// The host's container with this plugin's own entries. Setting an entry publishes it, if it is different.
    ///
    /// An entry that the plugin does not say it provides is not set: that is logged, and ``onRefused`` is called.
    public var appDependency: AppDependency {
        get {
            let newest = peer?.dependencies ?? AppDependency()
            for key in newest.changedKeys(since: hosts) where own.index(forKey: key) == nil {
                merged.setEntry(newest.entry(of: key), of: key)
            }
            hosts = newest
            return merged
        }
        set {
            let changed = newValue.changedKeys(since: appDependency)
            merged = newValue
            for key in changed {
                if let refusal = refusal(of: key) {
                    merged.setEntry(hosts.entry(of: key), of: key)
                    tell(refusal, logs: refusedKeys.insert(key).inserted)
                } else {
                    own.updateValue(newValue.entry(of: key), forKey: key)
                }
            }
            publish(changed.filter { refusal(of: $0) == nil })
        }
    }

    /// Sets an entry, or removes it with `nil`, as ``appDependency`` does, and says when that cannot be.
    /// - Parameter entry: the entry's key path, such as `\.account`.
    /// - Throws: ``EntryRefused`` when the plugin does not say that it provides the entry, or the value cannot cross the bus.
    public func set<Value>(_ entry: WritableKeyPath<AppDependency, Value?>, to value: Value?) throws {
        var container = appDependency
        container[keyPath: entry] = value
        for key in container.changedKeys(since: appDependency) {
            if let refusal = refusal(of: key) { throw refusal }
            do {
                try DependencyPayload.check(container.entry(of: key)?.encoded(), key: key)
            } catch {
                throw EntryRefused(key: key, reason: "\(error)")
            }
        }
        appDependency = container
    }

    private func refusal(of key: String) -> EntryRefused? {
        guard !provided.contains(key) else { return nil }
        return EntryRefused(
            key: key,
            reason: """
                this plugin does not say that it provides it; name it in the 'provides' of the plugin's code and, if a host starts \
                it, in that of its plugin.json
                """)
    }

    private func tell(_ refusal: EntryRefused, logs: Bool = true) {
        if logs { logger.error("\(refusal)") }
        onRefused?(refusal)
    }

    /// Adds work that runs for as long as the plugin does; its end by an error ends the plugin.
    public func whileRunning(_ body: @escaping @MainActor @Sendable () async throws -> Void) {
        work.append(body)
    }

    /// Sends messages up to the host, and on to whoever handles them.
    public var chain: ResponderChain { (peer?.responder as Responder?).chain }

    // MARK: - Running

    /// Runs until the process is told to end, or the host that started it is gone. ``main(id:version:provides:setUp:)`` calls it; a
    /// plugin that is linked into its host is run beside it.
    /// - Throws: an error that says why when the host refuses the plugin for good, or this process runs another of its name; what
    ///   the work of ``whileRunning(_:)`` throws.
    public func run() async throws {
        var configuration = LinkConfiguration(
            endpoint: process.endpoint, role: .plugin, peer: process.peer, context: context)
        configuration.software = version
        configuration.handles = lists.flatMap { $0.messages.map { $0.name } }
        configuration.provides = provides
        configuration.services = services
        let peer = Peer(configuration, hasParent: process.hasParent, logger: logger)
        self.peer = peer
        for list in lists { peer.receiver.registry.add(list) }
        peer.first = responders.first ?? peer.responder
        responders.last?.nextResponder = peer.responder
        peer.onReady = { [weak self] _ in
            guard let self else { return }
            // A host that has started anew knows nothing of what was set before; one that outlived an earlier process of
            // this plugin holds what that one set.
            publish(Set(provides).union(own.keys).sorted())
            onAttach?()
        }
        peer.onDependencies = { [weak self] _ in
            guard let self else { return }
            onDependencies?(appDependency)
        }
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
                        // The plugin ends; so does its work.
                    }
                    return false
                }
                group.addTask(operation: item)
            }
            for try await isEnd in group where isEnd { group.cancelAll() }
        }
    }

    private func publish(_ keys: [String]) {
        guard let peer, peer.link.isReady, !keys.isEmpty else { return }
        var changes: [String: [UInt8]?] = [:]
        for key in keys {
            do {
                let value = try own[key]??.encoded()
                try DependencyPayload.check(value, key: key)
                changes.updateValue(value, forKey: key)
            } catch {
                tell(EntryRefused(key: key, reason: "\(error)"))
            }
        }
        peer.link.publish(changes)
    }
}

/// An entry that a plugin has set and that is not published.
public struct EntryRefused: Error, Hashable, Sendable, CustomStringConvertible {
    /// The entry's key.
    public let key: String
    /// Why, and what to do.
    public let reason: String

    public var description: String { "the entry '\(key)' is not published: \(reason)" }
}

/// A responder of a plugin: what it does not handle goes on to the plugin's next responder, then on in the host.
@MainActor
open class PluginResponder: Responder {
    /// The plugin that it was added to: its container, and its way to the host. `nil` before it is added.
    public internal(set) weak var plugin: Plugin?
    var nextResponder: Responder?

    public override init() {}

    open override var next: Responder? { nextResponder }
}
