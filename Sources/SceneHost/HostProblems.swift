/// Problems that do not stop the host, such as skipped manifests or a store that cannot be written.
@MainActor
final class HostProblems {
    /// Why the epoch file could not be written. If the store cannot be written either and the clock is set back, the
    /// next host could get the same epoch.
    var epoch: String?
    /// Why other processes cannot find the host.
    var runtime: String?
    /// Writes the epoch to its file.
    var recordEpoch: () throws -> Void = {}
    /// What the store has lost since the previous host wrote it.
    var loss: String?
    private let plugins: PluginSupervisor?
    private let writer: StoreWriter
    /// What is wrong with the connections; `nil` for nothing.
    private let connections: () -> String?
    /// What is wrong with sessions; `nil` for nothing.
    private let sessions: () -> String?
    /// What is wrong with the list of keys.
    private let keys: () -> [String]

    init(
        plugins: PluginSupervisor?, writer: StoreWriter, connections: @escaping () -> String? = { nil },
        sessions: @escaping () -> String? = { nil }, keys: @escaping () -> [String] = { [] }
    ) {
        self.keys = keys
        self.connections = connections
        self.sessions = sessions
        self.plugins = plugins
        self.writer = writer
    }

    /// Tries again what has failed and nothing else repeats, so that a problem does not outlive its cause.
    func lookAgain() {
        writer.probe()
        if epoch != nil { writeEpochFile() }
    }

    /// Writes the epoch file, and sets or clears ``epoch``.
    func writeEpochFile() {
        do {
            try recordEpoch()
            epoch = nil
        } catch {
            epoch = "\(error)"
        }
    }

    /// Why plugins are left out.
    var ofPlugins: [String] { plugins?.problems.map(\.description) ?? [] }

    private var ofKeys: [String] { keys().map { "keys: \($0)" } }

    /// A description of each problem, for operators.
    var descriptions: [String] {
        ofPlugins
            + (plugins?.guardProblem.map { [$0] } ?? [])
            + (runtime.map { ["runtime folder: \($0)"] } ?? [])
            + (connections().map { [$0] } ?? [])
            + ofKeys
            + (sessions().map { ["sessions: \($0)"] } ?? [])
            + (writer.problems + [loss, epoch].compactMap { $0 }).map { "store: \($0)" }
    }
}
