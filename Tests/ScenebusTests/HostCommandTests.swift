import Bus
import Foundation
import NetworkLab
import Testing

extension CommandTests {
    /// The host as a process: its start, its shutdown and its plugins.
    @Suite(.timeLimit(.minutes(5)))
    struct HostCommandTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        private var plugins: String { installation.pluginFolder }

        private func pluginList() async throws -> [PluginReply] {
            try await installation.scenebus("plugins", "ls", "--json").json()
        }

        @Test("A host reports when it is ready, and SIGTERM leaves no process and no file")
        func life() async throws {
            var pids: [Int32] = []
            let outcome = try await installation.withHost(plugins: Installation.plugins) { host in
                let status: StatusReply = try await installation.scenebus("status", "--json").json()
                #expect(status.pid == host.pid)
                pids = try await pluginList().compactMap(\.pid)
                #expect(pids.count == 4)
                #expect(installation.runtimeFiles == ["default", "default/bus", "default/lock", "default/pub"])
            }
            #expect(outcome.output.hasPrefix("host 'default' is ready: process "))
            #expect(outcome.output.contains("ipc://\(installation.folder)/run/default/bus"))
            #expect(!outcome.output.contains("inproc"))
            for pid in pids { #expect(!ProcFile.runs(pid), "process \(pid) is left") }
            #expect(FileManager.default.fileExists(atPath: "\(installation.folder)/state/scenebus/default.sqlite"))
        }

        @Test("Ctrl-C shuts a host down as SIGTERM does")
        func interrupt() async throws {
            let outcome = try await installation.withHost("--no-store", ends: false) { try $0.send(SIGINT) }
            #expect(outcome.code == 0)
            #expect(installation.runtimeFiles.isEmpty)
        }

        @Test("A second host of the same name is refused with the first one's process id; another name works")
        func second() async throws {
            try await installation.withHost("--no-store") { host in
                let second = try await installation.scenebus("host", "--no-store")
                #expect(second.code == 1)
                #expect(second.error.contains("process \(host.pid)"))
                #expect(second.error.contains("--name"))
                let other = try await installation.run(
                    "\(Installation.executables)/scenebus", ["host", "--no-store", "--name", "other"]
                ) { running in
                    let wait = try await installation.scenebus("wait", "--name", "other", "--timeout", "20")
                    #expect(wait.code == 0)
                    try running.send(SIGTERM)
                }
                #expect(other.code == 0)
            }
        }

        @Test("A killed host's plugins exit with it, and the next host takes over its folder and its sessions")
        func killed() async throws {
            var session = ""
            let outcome = try await installation.withHost(plugins: Installation.plugins, ends: false) { host in
                session = try await installation.scenebus("sessions", "open", "ControlRoom").output
                    .trimmingCharacters(in: .whitespacesAndNewlines)
                try await installation.until("scene", "show", session) { $0.output.hasPrefix("Log in") }
                try await installation.until("scene", "act", session, "overview") { $0.code == 0 }
                try await installation.until("sessions", "show", session, "--state") {
                    $0.output.contains("overview")
                }
                try host.send(SIGKILL)
            }
            // The command has returned, so no process holds its output any more, and no plugin is left.
            #expect(outcome.code == 128 + SIGKILL)
            #expect(!installation.runtimeFiles.isEmpty)
            try await installation.withHost(
                plugins: Installation.plugins, waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let sessions: [SessionReply] = try await installation.scenebus("sessions", "ls", "--json").json()
                #expect(sessions.map(\.session) == [session])
                let shown = try await installation.scenebus("scene", "show", session)
                #expect(shown.output.hasPrefix("Overview"))
            }
        }

        @Test("A plugin that exits at once is restarted with growing delays, and the problem is shown")
        func restarts() async throws {
            try installation.makePlugin("quitter", script: "exit 3")
            try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                let began = MonotonicInstant.now
                try await installation.until("plugins", "ls", "--json") {
                    try ($0.json([PluginReply].self).first?.restarts ?? 0) >= 4
                }
                // The delays before the fourth start are 200, 400 and 800 ms.
                #expect(MonotonicInstant.now - began >= .milliseconds(1000))
                let shown = try await installation.until("plugins", "ls", "--json") {
                    try $0.json([PluginReply].self).first?.state == "waiting"
                }
                let quitter: PluginReply = try #require(try shown.json([PluginReply].self).first)
                #expect(quitter.problem?.contains("3") == true)
                #expect(quitter.pid == nil)
                let table = try await installation.scenebus("plugins", "ls")
                #expect(table.output.contains("quitter"))
                let wait = try await installation.scenebus("wait", "--plugins", "--timeout", "0.5")
                #expect(wait.code == 3)
                #expect(wait.error.contains("plugin quitter is "))
                let doctor = try await installation.scenebus("doctor")
                #expect(doctor.code == 1)
                #expect(doctor.output.contains("BAD  plugin quitter"))
            }
        }

        @Test("A plugin that ignores SIGTERM is killed when the host shuts down")
        func stubborn() async throws {
            try installation.makePlugin("stubborn", script: "trap '' TERM\nwhile :; do /bin/sleep 1; done")
            var pid: Int32?
            try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                try await installation.until("plugins", "ls", "--json") {
                    pid = try $0.json([PluginReply].self).first?.pid
                    return pid != nil
                }
            }
            #expect(!ProcFile.runs(try #require(pid)))
        }

        @Test("A host whose plugins are all left out says so")
        func onlyBrokenManifests() async throws {
            for name in ["broken", "older"] { try installation.write("{", to: "plugins/\(name)/plugin.json") }
            try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                let list = try await installation.scenebus("plugins", "ls")
                #expect(list.output == "the host runs no plugins, because of 2 problems: see 'scenebus status'\n")
            }
        }

        @Test("A broken manifest is reported, and the other plugins run")
        func brokenManifest() async throws {
            try installation.write("{\"id\": \"broken\"", to: "plugins/broken/plugin.json")
            try installation.write("{\"id\": \"older\"}", to: "plugins/older/plugin.json")
            try installation.makePlugin(
                "accounts",
                #", "handles": ["accountLogin", "accountLogout", "accountCheck", "accountCreate", "accountChangePassword"], "provides": ["account", "accountsExist"]"#,
                executable: "accounts-plugin")
            let outcome = try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                let wait = try await installation.scenebus("wait", "--plugins", "--timeout", "20")
                #expect(wait.code == 1)
                #expect(wait.error.contains("plugins/broken/plugin.json: it is not JSON"), "\(wait.error)")
                try await installation.until("plugins", "ls", "--json") {
                    try $0.json([PluginReply].self).map(\.state) == ["attached"]
                }
                let status: StatusReply = try await installation.scenebus("status", "--json").json()
                #expect(status.problems.count == 2)
                #expect(status.problems.first?.contains("plugins/broken/plugin.json: it is not JSON") == true)
                #expect(status.problems.last?.contains("'version' is missing") == true)
                #expect(try await pluginList().map(\.state) == ["attached"])
                let created = try await installation.scenebus(
                    "request", "accountCreate", "username=ada", installation.secret("password", "difference"))
                #expect(created.code == 0, "\(created.error)")
                let doctor = try await installation.scenebus("doctor")
                #expect(doctor.code == 1)
                #expect(doctor.output.contains("BAD  host: \(plugins)/broken/plugin.json"))
            }
            #expect(outcome.error.contains("a plugin is left out"))
        }

        @Test("A plugin that claims more than its manifest lists does not attach, and is restarted")
        func overstepping() async throws {
            try installation.makePlugin(
                "machine", #", "handles": ["alertAcknowledge"], "provides": ["cpu"]"#, executable: "machine-plugin")
            try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                let shown = try await installation.until("plugins", "ls", "--json") {
                    try ($0.json([PluginReply].self).first?.restarts ?? 0) >= 1
                }
                let machine = try #require(try shown.json([PluginReply].self).first)
                #expect(machine.state != "attached")
                let entries: [EntryReply] = try await installation.scenebus("deps", "get", "--json").json()
                #expect(entries.isEmpty)
                let status: StatusReply = try await installation.scenebus("status", "--json").json()
                #expect(!status.links.contains { $0.peer == "machine" })
            }
        }

        @Test("For a manifest whose executable is missing, the searched path is shown")
        func noExecutable() async throws {
            try installation.makePlugin("ghost", executable: "ghost-plugin")
            let outcome = try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                let shown = try await installation.until("plugins", "ls", "--json") {
                    try $0.json([PluginReply].self).first?.problem != nil
                }
                let ghost = try #require(try shown.json([PluginReply].self).first)
                #expect(ghost.problem?.contains("\(plugins)/ghost/ghost-plugin") == true)
                let logs = try await installation.scenebus("logs", "ghost")
                #expect(logs.code == 0)
                #expect(logs.error.contains("'ghost' was not started: "), "\(logs.error)")
                #expect(logs.error.contains("\(plugins)/ghost/ghost-plugin"), "\(logs.error)")
                // The same reason is not logged at each attempt.
                try await installation.until("plugins", "ls", "--json", within: .seconds(60)) {
                    try ($0.json([PluginReply].self).first?.restarts ?? 0) >= 3
                }
                let before = try await installation.scenebus("logs", "ghost", "--previous")
                #expect(before.error.contains("no process before the present one has written anything"))
            }
            let said = outcome.error.split(separator: "\n").count { $0.contains("a plugin could not be started; ") }
            #expect(said == 1, "\(outcome.error)")
            #expect(!outcome.error.contains("a plugin ended"))
        }

        @Test("A store that is not a database, or whose folder is missing, exits with 2 and is left unchanged")
        func store() async throws {
            let text = "a shopping list that is long enough to be taken for no header of a database at all"
            let path = try installation.write(text, to: "list.txt")
            let outcome = try await installation.scenebus("host", "--store", path)
            #expect(outcome.code == 2)
            #expect(outcome.error.contains(path))
            #expect(outcome.error.contains("--store"))
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
            let missing = try await installation.scenebus("host", "--store", "\(installation.folder)/no/store.sqlite")
            #expect(missing.code == 2)
            #expect(missing.error.contains("folder exists"))
            #expect(installation.runtimeFiles.isEmpty)
        }

        @Test("A host that listens without keys says so, and TCP works like ipc")
        func tcp() async throws {
            let outcome = try await installation.withHost("--no-store", "--insecure", "--listen", "tcp://127.0.0.1:*") {
                _ in
                let status: StatusReply = try await installation.scenebus("status", "--json").json()
                let address = try #require(status.endpoints.last)
                #expect(address.hasPrefix("tcp://127.0.0.1:"))
                let remote: StatusReply = try await installation.scenebus(
                    "status", "--host", address, "--insecure", "--json"
                ).json()
                #expect(remote.pid == status.pid)
                let refused = try await installation.scenebus("status", "--host", address)
                #expect(refused.code == 2)
                #expect(refused.error.contains("scenebus join"))
                let taken = try await installation.scenebus(
                    "host", "--no-store", "--name", "b", "--insecure", "--listen", address)
                #expect(taken.code == 1)
                #expect(taken.error.contains(address))
            }
            #expect(outcome.error.contains("listening without keys"))
        }

        @Test(
            "A command that finds no socket says when a host is running nevertheless, and the host makes the socket anew"
        )
        func hidden() async throws {
            try await installation.withHost { host in
                for removed in ["run/default/bus", "run"] {
                    // A stopped host cannot make it anew.
                    try host.send(SIGSTOP)
                    try FileManager.default.removeItem(atPath: "\(installation.folder)/\(removed)")
                    let outcome = try await installation.scenebus("status")
                    let doctor = try await installation.scenebus("doctor")
                    try host.send(SIGCONT)
                    #expect(doctor.output.contains("a host is running (process \(host.pid)"), "\(doctor.output)")
                    #expect(!doctor.output.contains("no host runs there"), "\(doctor.output)")
                    #expect(!doctor.output.contains("start one with"), "\(doctor.output)")
                    #expect(outcome.error.contains("within two seconds: try again"), "\(outcome.error)")
                    #expect(outcome.code == 3)
                    #expect(outcome.error.contains("a host is running (process \(host.pid)"), "\(outcome.error)")
                    #expect(!outcome.error.contains("start one with"))
                    try await installation.until("status") { $0.code == 0 }
                }
            }
        }

        @Test("A plugin's configuration value can be overridden, and the plugin reports an invalid one")
        func configure() async throws {
            let unknown = try await installation.scenebus(
                "host", "--no-store", "--plugins", Installation.plugins, "--configure", "ghost.a=1")
            #expect(unknown.code == 2)
            #expect(unknown.error.contains("'ghost'"))
            for secret in ["mail.smtp.password=hunter2", #"mail.smtp={"password": "hunter2"}"#] {
                let refused = try await installation.scenebus("host", "--no-store", "--configure", secret)
                #expect(refused.code == 2)
                #expect(refused.error.contains("or as mail.smtp.password@FILE"), "\(refused.error)")
                #expect(!refused.error.contains("hunter2"))
            }
            let outcome = try await installation.withHost(
                "--no-store", "--configure", "machine.topProcesses=1", "--configure", "accounts.file=/dev/null",
                plugins: Installation.plugins, waitFor: []
            ) { _ in
                let entry = try await installation.until("deps", "get", "processes", "--json") { $0.code == 0 }
                let processes = try JSONSerialization.jsonObject(with: Data(entry.output.utf8)) as? [Any]
                #expect(processes?.count == 1)
                let plugins = try await pluginList()
                #expect(plugins.first { $0.id == "accounts" }?.state != "attached")
            }
            #expect(outcome.error.contains("/dev/null"))
        }
    }
}
