/// What is wrong and does not stop the host: manifests that were left out, a store that cannot be written.
@MainActor
final class HostProblems {
    /// Why the next life could not be told from this one, were the clock put back and the store not written.
    var epoch: String?
    private let plugins: PluginSupervisor?
    private let writer: StoreWriter

    init(plugins: PluginSupervisor?, writer: StoreWriter) {
        self.plugins = plugins
        self.writer = writer
    }

    /// One sentence for each, for operators.
    var descriptions: [String] {
        (plugins?.problems.map(\.description) ?? [])
            + (writer.problems + (epoch.map { [$0] } ?? [])).map { "store: \($0)" }
    }
}
