import Access
import Bus
import Foundation
import Glibc
import PeerLink
import SceneHost
import ZeroMQ

/// The keys of a run: the host's, with its list, and one for each peer that connects over TCP. Each has a folder of its own, as
/// if it were on a machine of its own.
struct ChaosKeys {
    /// The variable with the path of the folder, which all processes of a run inherit. Without it, they use no keys.
    static let variable = "SCENEBUS_CHAOS_KEYS"
    private static let host = "chaos"
    /// The name of the host in the contexts of all peers.
    static let context = host

    let path: String

    /// The keys of the peers that do harm.
    private static let harmful: [String: KeyRole] = [
        "greedy": .plugin, "glutton-operator": .operator, "glutton-worker": .worker, "visitor": .operator,
        "deaf": .plugin, "garbage": .operator,
    ]

    /// The keys of the run to which this process belongs; `nil` if it has none.
    init?() {
        guard let path = getenv(Self.variable) else { return nil }
        self.path = String(cString: path)
    }

    /// Makes the keys, and lets this process and those that it starts use them.
    /// - Parameters:
    ///   - address: the host's TCP address.
    ///   - workers: the number of workers.
    ///   - clients: the clients' names.
    init(in path: String, address: String, workers: Int, clients: [String]) throws {
        self.path = path
        // The peers' names, and the roles of their keys.
        var roles: [String: KeyRole] = ["ledger": .plugin, "ticker": .plugin]
        for name in clients { roles[name] = .operator }
        for number in 1...workers { roles["worker-\(number)"] = .worker }
        roles.merge(Self.harmful) { $1 }
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let own = try hostFolder
        let (hostKeys, _) = try own.keyOrNew(in: own.keyFile(of: BusName(Self.host)))
        for (name, role) in roles {
            let folder = try folder(of: name)
            let (keys, _) = try folder.keyOrNew(in: folder.ownKeyFile)
            let context = HostContext(name: Self.context, address: address, key: hostKeys.publicKey, ownName: name)
            var contexts = HostContexts()
            contexts.set(context)
            try folder.save(contexts)
            try list.edit { try $0.set(KeyEntry(name: name, role: role, key: keys.publicKey)) }
        }
        setenv(Self.variable, path, 1)
    }

    func folder(of name: String) throws -> KeyFolder { try KeyFolder("\(path)/\(name)") }

    /// The host's own folder.
    var hostFolder: KeyFolder { get throws { try folder(of: "host") } }

    private var list: KeyListFile {
        get throws { KeyListFile(try hostFolder.listFile(of: BusName(Self.host))) }
    }

    /// Removes the key of a peer from the host's list.
    /// - Returns: its line; `nil` if it has none.
    func revoke(_ name: String) throws -> KeyEntry? {
        try list.edit { list in
            defer { _ = list.remove(name) }
            return list[name]
        }
    }

    /// Makes the key that takes the place of the host's at a time.
    func replaceHostKey(from time: Date) throws -> PublicKey {
        try NextHostKey.make(of: BusName(Self.host), in: hostFolder, from: time).next.keys.publicKey
    }

    /// Tells a peer the host's key, as if it had joined anew.
    func tell(_ name: String, _ key: PublicKey) throws {
        try folder(of: name).editContexts { contexts in
            guard var context = contexts[Self.context] else { return }
            (context.key, context.next) = (key, nil)
            contexts.set(context)
        }
    }

    /// The names of the peers that have a key.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "host" } }
    }

    func allow(_ entry: KeyEntry) throws { try list.edit { try $0.set(entry) } }

    /// How a peer reaches a host: with the key of its name over TCP, if it has one. The worker of a second host has none.
    static func reference(_ host: String, as name: String) throws -> HostReference {
        guard host.hasPrefix("tcp:"), let keys = ChaosKeys(),
            FileManager.default.fileExists(atPath: "\(keys.path)/\(name)")
        else { return HostReference(withoutKeys: host) }
        return try keys.reference(host, as: name)
    }

    /// The security of the sockets of a peer that is no more than sockets.
    static func security(as name: String) throws -> SocketSecurity? {
        try ChaosKeys()?.reference(host, as: name).security?.ofSockets
    }

    private func reference(_ host: String, as name: String) throws -> HostReference {
        try HostReference(host, isInsecure: false) { $0 == "SCENEBUS_KEYS" ? "\(path)/\(name)" : nil }
    }
}
