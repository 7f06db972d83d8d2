/// The status of a process that the host starts: one instance of a plugin or scene worker.
package struct PluginStatus: Codable, Hashable, Sendable {
    /// The plugin's id, as in its manifest.
    package var id: String
    /// The peer name of this process: the plugin's id, followed by a number when there are several instances.
    package var instance: String
    /// The version in the manifest.
    package var version: String
    package var state: PluginState
    /// The process ID; `nil` while there is no process.
    package var pid: Int32?
    /// How often it has been restarted in the host's life.
    package var restarts: Int
    /// The messages that its manifest allows it to handle.
    package var handles: [String]
    /// The entries that its manifest allows it to set.
    package var provides: [String]
    /// The scene configurations that its manifest allows it to run.
    package var scenes: [String]
    /// How its last process or link ended, or why it was refused; `nil` once it is attached.
    package var problem: String?

    package init(
        id: String, instance: String, version: String, state: PluginState, pid: Int32?, restarts: Int,
        handles: [String],
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
