import OperatorKit
import PeerLink

/// The host of `scenebus bench scale`, which can be killed and started again with its store and its addresses.
@MainActor
final class ScaleHost {
    private let folder: String
    private let transport: BenchOptions.Transport
    private var process: BenchProcess?
    /// Where the workers connect.
    private(set) var endpoint = ""

    /// - Parameters:
    ///   - folder: the folder of its files.
    ///   - workers: the number of workers, which all have keys of their own if the transport has keys.
    init(in folder: String, _ transport: BenchOptions.Transport, workers: Int) throws {
        (self.folder, self.transport) = (folder, transport)
        if transport == .curve { try BenchKeys.make(forWorkers: workers, in: keys) }
    }

    private var keys: String { folder + "/keys" }

    /// The address on this machine, at which no key is needed.
    var control: String { HostDirectory(folder: folder + "/h").endpoint }

    var pid: Int32? { process?.pid }

    func start() async throws {
        var arguments = ["host", "--folder", folder + "/h", "--store", folder + "/store.sqlite", "--measures-turns"]
        if transport != .ipc { arguments += ["--listen", endpoint.isEmpty ? "tcp://127.0.0.1:*" : endpoint] }
        if transport == .curve { arguments += ["--keys", keys] }
        let process = try await BenchProcess("scenebus-bench", arguments)
        self.process = process
        let endpoints = try process.line(beginning: "ready").split(separator: " ").map(String.init)
        guard let endpoint = endpoints.first(where: { $0.hasPrefix(transport.scheme) }) else {
            throw CommandError(.failure, "the host does not listen on \(transport.rawValue)")
        }
        guard self.endpoint.isEmpty else { return }
        self.endpoint = endpoint
        if transport == .curve { try BenchKeys.useHost(at: endpoint, in: keys) }
    }

    func kill() { process?.kill() }

    /// Ends the host. It is killed, because a host that does not keep up would not notice the end of its input either.
    func end() {
        kill()
        BenchKeys.end()
    }
}
