/// The host's status, as `scenebus status` shows it.
package struct HostStatus: Codable, Hashable, Sendable {
    package var name: String
    package var pid: Int32
    package var epoch: UInt64
    package var uptimeSeconds: Double
    package var endpoints: [String]
    package var revision: UInt64
    package var openSessions: Int
    package var connectedScenes: Int
    /// The number of attached peers; `hostLinks` lists them.
    package var linkCount: Int
    /// Counters by name: frames in and out, and refusals and drops by reason.
    package var counters: [String: UInt64]
    package var unhandledPosts: [String: Int]
    /// Problems that did not stop the host.
    package var problems: [String]
    /// Those of them for which a plugin is left out until its manifest is right and the host starts again; `nil` for
    /// none.
    package var pluginProblems: [String]?
    /// The time of day of the host's machine, in seconds since 1970; `nil` from an older host.
    package var time: Double?

    package init(
        name: String, pid: Int32, epoch: UInt64, uptimeSeconds: Double, endpoints: [String], revision: UInt64,
        openSessions: Int, connectedScenes: Int, linkCount: Int, counters: [String: UInt64],
        unhandledPosts: [String: Int], problems: [String], pluginProblems: [String]? = nil,
        time: Double? = nil
    ) {
        self.name = name
        self.pid = pid
        self.epoch = epoch
        self.uptimeSeconds = uptimeSeconds
        self.endpoints = endpoints
        self.revision = revision
        self.openSessions = openSessions
        self.connectedScenes = connectedScenes
        self.linkCount = linkCount
        self.counters = counters
        self.unhandledPosts = unhandledPosts
        self.problems = problems
        self.pluginProblems = pluginProblems
        self.time = time
    }
}
