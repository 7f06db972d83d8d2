import Messaging
import Access
import Bus
import CoordinatorKit
import Foundation
import Hub
import Logging
import OperatorKit
import PeerLink
import PluginKit
import TestKit
import Testing
import ZeroMQ

@testable import SceneHost

/// A host in this process that lets in keys over TCP, and the keys that tests give to peers.
@MainActor
final class KeyedHost {
    let live: LiveHost
    let folder: KeyFolder
    /// The host's address.
    let address: String
    private var keys: [String: KeyPair] = [:]

    private init(_ live: LiveHost, _ folder: KeyFolder) throws {
        self.live = live
        self.folder = folder
        address = try #require(live.addresses.first { $0.hasPrefix("tcp://") })
    }

    /// Runs a host for the duration of a body.
    static func with(
        list: String = "", delegate: AppDelegate = AppDelegate(), handles: [any ResponderMessageList.Type] = [],
        logger: Logger = LiveHost.logger, configure change: (inout HostConfiguration) -> Void = { _ in },
        _ body: @MainActor (KeyedHost) async throws -> Void
    ) async throws {
        let temporary = try TemporaryFolder()
        let folder = try KeyFolder("\(temporary.path)/keys")
        try folder.make()
        try PrivateFile.write(list, to: folder.listFile(of: BusName("test")))
        try await withHost(
            in: temporary, delegate: delegate, handles: handles, logger: logger,
            configure: {
                $0.listen = ["tcp://127.0.0.1:*"]
                $0.keys = folder.path
                change(&$0)
            }
        ) { live in try await body(try KeyedHost(live, folder)) }
    }

    var hostKey: PublicKey { get throws { try hostKeys.own.publicKey } }
    var hostKeys: HostKeys { get throws { try #require(live.host.life?.keys) } }
    var listFile: KeyListFile { get throws { KeyListFile(folder.listFile(of: try BusName("test"))) } }

    /// The key pair of a name, which is made when it is asked for.
    func key(of name: String) throws -> KeyPair {
        if let key = keys[name] { return key }
        let key = try KeyPair()
        keys[name] = key
        return key
    }

    /// Allows the key of a name, and waits until the host knows it.
    /// - Parameter words: the line, without the key behind its name and its role.
    func allow(_ words: String) async throws {
        let words = words.split(separator: " ")
        let name = String(words[0])
        let key = try self.key(of: name).publicKey
        let line = [name, String(words[1]), "\(key)"] + words.dropFirst(2).map(String.init)
        let entry = try KeyEntry(line: line.joined(separator: " "))
        try listFile.edit { try $0.set(entry) }
        try await live.until("the host knows the line of '\(name)'") { [self] in
            try hostKeys.access(of: key)?.allowsSame(as: PeerAccess(entry)) == true
        }
    }

    func revoke(_ name: String) throws { _ = try listFile.edit { $0.remove(name) } }

    func security(of name: String) throws -> SocketSecurity { .client(try key(of: name), host: try hostKey) }

    /// The host, as a machine with the key of a name knows it.
    func reference(for name: String) throws -> HostReference {
        let context = HostContext(name: "test", address: address, key: try hostKey, ownName: name)
        return HostReference(context, keys: try key(of: name))
    }

    /// A peer that sends what a test wants, with the key of a name.
    func raw(_ name: String, _ kind: Socket.Kind = .dealer, to endpoint: String? = nil) throws -> RawPeer {
        try live.raw(kind, to: endpoint ?? address, security: security(of: name))
    }

    /// Attaches a raw peer under the name of its key.
    func attached(
        _ name: String, role: PeerRole, as peer: String? = nil, handles: [String] = []
    ) async throws -> RawPeer {
        let raw = try self.raw(name)
        let answer = try await raw.hello(peer ?? name, role: role, handles: handles, endpoint: address)
        guard answer.kind == .welcome else { throw try answer.decodePayload(as: Refusal.self) }
        return raw
    }

    /// Attaches a raw worker that can run scenes.
    /// - Parameter held: the scenes that it says to have.
    func rawWorker(_ name: String, held: [HeldScene] = []) async throws -> RawPeer {
        let raw = try self.raw(name)
        let hello = Hello(
            role: .worker, peer: name, pid: 1, endpoint: address, scenes: ["Wall"], capacity: 5, held: held)
        try raw.send(Frame(.hello).encoded(payload: hello))
        let welcome = try await raw.next(.welcome).decodePayload(as: Welcome.self)
        var ask = Frame(.synchronize)
        ask.epoch = welcome.epoch
        try raw.send(ask.encoded())
        return raw
    }

    /// Attaches a plugin, a worker and an operator, each with a key of its own, and lets the operator open a session.
    /// - Parameter greeter: the plugin's responder.
    func open(with greeter: Greeter) async throws -> (desk: HostClient, session: String) {
        for line in ["wall worker", "greeter plugin", "desk operator"] { try await allow(line) }
        try await live.plugin("greeter", at: reference(for: "greeter")) {
            $0.respond(greeter, to: GreetingMessagesList.self)
        }
        try await live.worker("wall-1", at: reference(for: "wall"))
        let desk = try await client("desk")
        let session = try await desk.chain.hostOpenSession(
            configuration: nil, role: "windowApplication", link: nil, session: nil
        ).session
        return (desk, session)
    }

    /// Connects with the key of a name, and waits for the outcome of the handshake.
    func handshake(of name: String, at endpoint: String) async -> HandshakeMonitor.Outcome? {
        let (outcomes, outcome) = AsyncStream<HandshakeMonitor.Outcome>.makeStream()
        var options = SocketOptions()
        options.security = try? security(of: name)
        guard let socket = try? Socket(.subscriber, in: live.context, options: options) else { return nil }
        let port = SocketPort(socket) { _ in }
        defer { port.close() }
        try? port.watchHandshakes(in: live.context) { outcome.yield($0) }
        _ = try? port.withSocket { socket throws(ZeroMQError) in try socket.connect(endpoint) }
        var iterator = outcomes.makeAsyncIterator()
        return await iterator.next(isolation: MainActor.shared)
    }

    /// Attaches as a command does.
    func client(_ name: String) async throws -> HostClient {
        let options = ClientOptions(timeout: 20)
        return try await HostClient(options, at: reference(for: name), connectTimeout: .seconds(20))
    }
}
