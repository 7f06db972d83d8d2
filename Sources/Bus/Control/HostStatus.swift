/// What `scenebus status` shows.
package struct HostStatus: Codable, Hashable, Sendable {
    package var name: String
    package var pid: Int32
    package var epoch: UInt64
    package var uptimeSeconds: Double
    package var endpoints: [String]
    package var revision: UInt64
    package var openSessions: Int
    package var connectedScenes: Int
    /// How many peers are attached; `hostLinks` lists them.
    package var linkCount: Int
    /// How often each thing was counted: frames in and out, refusals and drops by reason.
    package var counters: [String: UInt64]
    package var unhandledPosts: [String: Int]
    /// What is wrong and did not stop the host.
    package var problems: [String]

    package init(
        name: String, pid: Int32, epoch: UInt64, uptimeSeconds: Double, endpoints: [String], revision: UInt64,
        openSessions: Int, connectedScenes: Int, linkCount: Int, counters: [String: UInt64],
        unhandledPosts: [String: Int], problems: [String]
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
    }
}
