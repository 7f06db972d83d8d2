import Glibc
import PeerLink

extension HostReference {
    /// How to reach the host of a benchmark over a transport with or without keys.
    /// - Parameter worker: the number of a simulated worker, which has a key of its own.
    init(ofBench endpoint: String, worker: Int? = nil) throws {
        guard getenv("SCENEBUS_BENCH_CURVE") != nil else {
            self.init(withoutKeys: endpoint)
            return
        }
        let folder = try KeyFolder()
        guard let worker, let context = try folder.contexts().context(of: endpoint) else {
            try self.init(endpoint, isInsecure: false)
            return
        }
        let own = try KeyFolder("\(folder.path)/worker\(worker)")
        self.init(context, keys: try own.key(in: own.ownKeyFile))
    }
}
