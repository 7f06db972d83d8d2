import OperatorKit
import ArgumentParser
import Bus
import Messaging
import PeerLink

struct PluginsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins", abstract: "Shows the plugins that the host runs, and those that are attached to it.",
        subcommands: [List.self])

    struct List: LoopCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "Lists the processes of plugins and workers.",
            discussion: """
                STATE is one of:
                  starting   its process is not attached yet
                  attached   its process is attached
                  hung       its process runs but has lost its link; it is killed unless it reconnects in time
                  ending     its process is shutting down
                  waiting    its process has ended or could not be started; the host will start it again
                  failed     the host could not create the resources that its processes need
                  ended      the host is shutting down
                Below a process that is not attached is the reason; 'scenebus logs PLUGIN' shows its output. On a \
                terminal ADDS is shortened to the terminal's width.

                Processes that this host has not started are listed, too, while they are attached. In JSON, \
                "startedByHost" is false for them.
                """)
        @OptionGroup var client: ClientOptions
        @OptionGroup var watching: WatchOptions

        func execute() async throws {
            try await watching.show(of: client) { try await listing(from: $0) }
        }

        @MainActor
        private func listing(from client: HostClient) async throws -> TableListing {
            let plugins = try await client.chain.hostPlugins()
            let names = Set(plugins.map(\.instance))
            let others = try await client.chain.hostLinks().filter {
                [.plugin, .worker].contains($0.role) && !names.contains($0.peer)
            }
            // A worker says its version when it attaches.
            var versions: [String: String] = [:]
            if !others.isEmpty {
                for worker in try await client.chain.hostWorkers() where !worker.software.isEmpty {
                    versions[worker.worker] = worker.software
                }
            }
            var problems = 0
            if plugins.isEmpty, others.isEmpty {
                problems = try await client.chain.hostStatus().pluginProblems?.count ?? 0
            }
            // A watch may have another host than the first one by now.
            let host = client.link.welcome?.pid ?? client.welcome.pid
            var table = Table("PLUGIN", "VERSION", "STATE", "PID", "RESTARTS", "ADDS", flexible: "ADDS")
            for plugin in plugins {
                let adds = plugin.handles + plugin.provides.map { "." + $0 } + plugin.scenes.map { "scene " + $0 }
                table.add(
                    plugin.instance, plugin.version, plugin.state.rawValue, plugin.pid.map { "\($0)" } ?? "-",
                    "\(plugin.restarts)", adds.joined(separator: " "), note: plugin.problem)
            }
            for link in others {
                table.add(
                    link.peer, versions[link.peer] ?? "-", PluginState.attached.rawValue, "\(link.pid)", "-",
                    link.pid == host ? "(linked into the host)" : "(\(link.role.rawValue), not started by this host)")
            }
            return try TableListing(
                table,
                whenEmpty: problems == 0
                    ? "the host runs no plugins; start it with 'scenebus host --plugins FOLDER'"
                    : "the host runs no plugins, because of \(problems) problem\(problems == 1 ? "" : "s"): "
                        + "see 'scenebus status'",
                json: plugins.map { Process(status: $0, startedByHost: true) }
                    + others.map {
                        Process(status: PluginStatus($0, version: versions[$0.peer]), startedByHost: false)
                    })
        }

        /// A process as it is printed in JSON.
        private struct Process: Encodable {
            let status: PluginStatus
            let startedByHost: Bool

            private enum Key: CodingKey { case startedByHost }

            func encode(to encoder: any Encoder) throws {
                try status.encode(to: encoder)
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(startedByHost, forKey: .startedByHost)
            }
        }
    }
}

extension PluginStatus {
    /// The status of a process that the host has not started, of which the host knows only the link.
    fileprivate init(_ link: LinkStatus, version: String?) {
        self.init(
            id: link.peer, instance: link.peer, version: version ?? "", state: .attached, pid: link.pid, restarts: 0,
            handles: [], provides: [], scenes: [], problem: nil)
    }
}
