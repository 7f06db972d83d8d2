/// A process that the host starts: one instance of a plugin or scene worker.
package struct PluginStatus: Codable, Hashable, Sendable {
    /// The plugin's id, as in its manifest.
    package var id: String
    /// The name that this process says hello with: the id, with a number behind it when there are several instances.
    package var instance: String
    /// The manifest's version.
    package var version: String
    package var state: PluginState
    /// `nil` while it has no process.
    package var pid: Int32?
    /// How often it was started again, in the host's life.
    package var restarts: Int
    /// The messages that its manifest lets it handle.
    package var handles: [String]
    /// The entries that its manifest lets it set.
    package var provides: [String]
    /// The scene configurations that its manifest lets it run.
    package var scenes: [String]
    /// How its last process or link ended, or why it was refused; `nil` once it is attached.
    package var problem: String?

    package init(
        id: String, instance: String, version: String, state: PluginState, pid: Int32?, restarts: Int, handles: [String],
        provides: [String], scenes: [String], problem: String?
    ) {
        self.id = id
        self.instance = instance
        self.version = version
        self.state = state
        self.pid = pid
        self.restarts = restarts
        self.handles = handles
        self.provides = provides
        self.scenes = scenes
        self.problem = problem
    }
}

/// A page of the processes that the host starts.
package struct PluginList: Codable, Hashable, Sendable, HostList {
    package var plugins: [PluginStatus]
    package var next: String?
    package var items: [PluginStatus] { plugins }

    package init(plugins: [PluginStatus], next: String?) {
        self.plugins = plugins
        self.next = next
    }
}
