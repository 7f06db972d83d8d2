import Access
import Bus
import Glibc
import OperatorKit
import PeerLink
import SceneHost
import ZeroMQ

/// The keys of a benchmark over TCP with keys. The processes that it starts find them in their environment.
enum BenchKeys {
    /// The name of the peers' key.
    static let name = "bench"
    /// The variable that makes the program with raw libzmq use keys, too.
    private static let floorVariable = "SCENEBUS_BENCH_CURVE"

    /// Makes the peers' key, and the list of a host that allows it.
    static func make(in path: String) throws {
        let folder = try KeyFolder(path)
        let key = try folder.keyOrNew(in: folder.ownKeyFile).keys.publicKey
        try KeyListFile(folder.listFile(of: .default)).edit { list in
            try list.set(KeyEntry(name: name, role: .worker, key: key))
        }
    }

    /// Makes a key for each simulated worker, and the list of a host that allows them.
    static func make(forWorkers count: Int, in path: String) throws {
        let folder = try KeyFolder(path)
        try folder.make()
        try KeyListFile(folder.listFile(of: .default)).edit { list in
            for number in 0..<count {
                let (name, own) = ("worker\(number)", try KeyFolder("\(path)/worker\(number)"))
                let key = try own.keyOrNew(in: own.ownKeyFile).keys.publicKey
                try list.set(KeyEntry(name: name, role: .worker, key: key))
            }
        }
    }

    /// Makes the context with which the peers reach the host.
    static func useHost(at address: String, in path: String) throws {
        let folder = try KeyFolder(path)
        var contexts = HostContexts()
        let key = try folder.key(in: folder.keyFile(of: .default)).publicKey
        contexts.set(HostContext(name: "bench", address: address, key: key, ownName: name))
        try folder.save(contexts)
        setenv("SCENEBUS_KEYS", path, 1)
        setenv(floorVariable, "1", 1)
    }

    static func end() {
        unsetenv("SCENEBUS_KEYS")
        unsetenv(floorVariable)
    }
}
