import Foundation
import NetworkLab
import TestKit
import Testing

extension CommandTests {
    /// Processes that do not attach, that hang or that are refused; their output; and entries of absent owners.
    @Suite(.timeLimit(.minutes(5)))
    struct HangingPluginTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        private var plugins: String { installation.pluginFolder }

        private func plugin(_ instance: String) async throws -> PluginReply {
            let all: [PluginReply] = try await installation.scenebus("plugins", "ls", "--json").json()
            return try #require(all.first { $0.instance == instance })
        }

        private func untilPlugin(_ instance: String, _ condition: @escaping (PluginReply) -> Bool) async throws {
            try await installation.until("plugins", "ls", "--json") {
                try $0.json([PluginReply].self).contains { $0.instance == instance && condition($0) }
            }
        }

        @Test("A process that never attaches is killed and restarted, and the reason is shown")
        func neverAttaches() async throws {
            try installation.makePlugin(
                "mute", startSeconds: 1, script: "echo waiting for a database >&2\nexec sleep 1000")
            let outcome = try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                try await untilPlugin("mute") {
                    $0.restarts >= 1 && $0.problem?.contains("did not attach within 1") == true
                        && $0.problem?.hasSuffix(": waiting for a database") == true
                }
                #expect(try await installation.scenebus("doctor").output.contains("BAD  plugin mute"))
            }
            #expect(outcome.error.contains("did not attach within 1"), "\(outcome.error)")
        }

        /// Makes a manifest for the control room's machine plugin with another hang limit.
        private func machine(hangSeconds: Int) throws {
            try installation.makePlugin(
                "machine",
                #"""
                , "handles": ["alertAcknowledge"], "hangSeconds": \#(hangSeconds), "configuration": {"intervalSeconds": 1},
                "provides": ["machineIdentity", "cpu", "memory", "load", "disks", "networks", "processes", "alerts"]
                """#, executable: "machine-plugin")
        }

        @Test("A plugin that hangs is shown as hung, and its entries are marked until it resumes")
        func hangs() async throws {
            try machine(hangSeconds: 0)
            try await installation.withHost("--no-store", plugins: plugins) { _ in
                try await installation.until("deps", "get", "machineIdentity") { $0.code == 0 }
                let pid = try #require(try await plugin("machine").pid)
                #expect(kill(pid, SIGSTOP) == 0)
                defer { kill(pid, SIGCONT) }
                try await untilPlugin("machine") { $0.state == "hung" && $0.problem?.contains("silent") == true }
                let marked = try await installation.scenebus("deps", "get")
                #expect(marked.output.contains("machine (gone for "), "\(marked.output)")
                let one = try await installation.scenebus("deps", "get", "machineIdentity")
                #expect(one.code == 0)
                #expect(one.error.contains("may be out of date"))
                let doctor = try await installation.scenebus("doctor")
                #expect(doctor.output.contains("BAD  plugin machine: hung"), "\(doctor.output)")
                #expect(doctor.output.contains("BAD  entries"), "\(doctor.output)")
                #expect(kill(pid, SIGCONT) == 0)
                try await untilPlugin("machine") { $0.state == "attached" && $0.pid == pid && $0.restarts == 0 }
                try await installation.until("deps", "get") { !$0.output.contains("gone for") }
            }
        }

        @Test("A plugin that hangs for too long is killed and restarted")
        func hangsTooLong() async throws {
            try machine(hangSeconds: 1)
            let outcome = try await installation.withHost("--no-store", plugins: plugins) { _ in
                let pid = try #require(try await plugin("machine").pid)
                #expect(kill(pid, SIGSTOP) == 0)
                try await untilPlugin("machine") { $0.state == "attached" && $0.pid != pid && $0.restarts == 1 }
                #expect(!ProcFile.runs(pid))
                try await installation.until("deps", "get") { !$0.output.contains("gone for") }
            }
            #expect(outcome.error.contains("hangs"), "\(outcome.error)")
        }

        @Test("The scene of a hung worker continues on another worker, and the hung one is replaced")
        func hangingWorker() async throws {
            try installation.makePlugin(
                "controlroom", #", "scenes": ["ControlRoom"], "instances": 2, "capacity": 2, "hangSeconds": 4"#,
                executable: "controlroom-worker")
            try await installation.withHost(
                "--no-store", "--open", "ControlRoom", plugins: plugins, waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let sessions: [SessionReply] = try await installation.scenebus("sessions", "ls", "--json").json()
                let session = try #require(sessions.first)
                let pid = try #require(session.pid)
                let worker = try #require(session.worker)
                #expect(kill(pid, SIGSTOP) == 0)
                try await installation.until("sessions", "ls", "--json") {
                    let now = try $0.json([SessionReply].self).first
                    return now?.worker != nil && now?.worker != worker && now?.problem == nil
                }
                #expect(try await installation.scenebus("scene", "show", session.session).code == 0)
                try await untilPlugin(worker) { $0.state == "attached" && $0.pid != pid }
            }
        }

        @Test("The problem of a refused plugin shows the plugin's own error message")
        func refused() async throws {
            try installation.makePlugin(
                "machine", #", "handles": [], "provides": ["cpu"]"#, executable: "machine-plugin")
            try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                try await untilPlugin("machine") {
                    $0.problem?.hasPrefix("ended with code 4 (refused): machine: the host refused") == true
                        && $0.problem?.contains("handles alertAcknowledge") == true
                }
            }
        }

        // MARK: - What they write

        struct LineReply: Decodable {
            var number: Int
            var start: Int
            var isError: Bool
            var text: String
        }

        private func lines(_ arguments: String...) async throws -> [LineReply] {
            let outcome = try await installation.run("\(Installation.executables)/scenebus", ["logs"] + arguments)
            try #require(outcome.code == 0, "\(outcome.error)")
            return try outcome.output.split(separator: "\n").map {
                try JSONDecoder().decode(LineReply.self, from: Data($0.utf8))
            }
        }

        @Test("The logs show the output of a process and of its predecessor, without control characters")
        func logs() async throws {
            try installation.makePlugin(
                "writer",
                script: #"""
                    n=$(cat count 2> /dev/null || echo 0); echo $((n + 1)) > count
                    echo "start $n"
                    printf 'no line end'
                    printf 'red \033[31m text\n' >&2
                    [ $n -eq 0 ] && exit 7
                    exec sleep 1000
                    """#)
            let outcome = try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                try await untilPlugin("writer") { $0.restarts == 1 && $0.state == "starting" }
                #expect(try await plugin("writer").problem?.hasPrefix("ended with code 7: red ") == true)
                try await installation.until("logs", "writer") { $0.output.contains("red") }
                let shown = try await installation.scenebus("logs", "writer")
                #expect(shown.output.contains("start 1\n"))
                #expect(!shown.output.contains("start 0"))
                #expect(shown.output.contains("red  text\n"))
                #expect(try await installation.scenebus("logs", "writer", "--previous").output.contains("start 0\n"))
                #expect(try await installation.scenebus("logs", "writer", "--previous").output.contains("no line end"))
                let json = try await lines("writer", "--json")
                #expect(Set(json.map(\.text)) == ["start 1", "no line end", "red \u{1B}[31m text"])
                #expect(json.first { $0.isError }?.text.contains("red") == true)
                let table = try await installation.scenebus("plugins", "ls")
                #expect(!table.output.contains("\u{1B}"))
                let nobody = try await installation.scenebus("logs", "nobody")
                #expect(nobody.code == 4)
                #expect(nobody.error.contains("it has started: writer"))
                let restart = try await installation.scenebus("worker", "restart", "nobody")
                #expect(restart.code == 4)
            }
            #expect(outcome.error.contains("start 0"))
        }

        @Test("The logs show all lines that the host keeps, also when they do not fit in one reply")
        func manyLines() async throws {
            try installation.makePlugin("writer", script: "seq 300\nexec sleep 1000")
            try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                let shown = try await installation.until("logs", "writer") { $0.output.hasSuffix("\n300\n") }
                #expect(shown.output == (1...300).map { "\($0)\n" }.joined())
            }
        }

        @Test("'logs -f' continues with the next process, until Ctrl-C")
        func follow() async throws {
            try installation.makePlugin("writer", script: "echo \"process $$\"\nexec sleep 1000")
            try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                try await installation.until("logs", "writer") { $0.output.hasPrefix("process ") }
                let first = try #require(try await plugin("writer").pid)
                let file = try installation.write("", to: "followed")
                let shown = { try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") }
                let followed = try await installation.run(
                    "bash", ["-c", "exec \(Installation.executables)/scenebus logs writer -f > \(file)"]
                ) { running in
                    try await until("the first process is shown") { try shown().count == 1 }
                    #expect(kill(first, SIGKILL) == 0)
                    try await until("the second process is shown") { try shown().count == 2 }
                    try running.send(SIGINT)
                }
                #expect(followed.code == 0, "\(followed.error)")
                #expect(try Set(shown()).count == 2)
                #expect(followed.error.contains("started again"))
            }
        }

        @Test("A process with endless output is neither blocked, nor does it make the host grow or stall")
        func endless() async throws {
            try installation.makePlugin(
                "flood",
                // The host's log has the name of the process before each line, and is collected here.
                script:
                    "head -c 6000000 /dev/zero | tr '\\0' x\nyes | head -c 1000000\necho done\nexec sleep 1000")
            try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { host in
                try await installation.until("logs", "flood") { $0.output.contains("done") }
                #expect(try await lines("flood", "--json").count <= 500)
                let status = try String(contentsOfFile: "/proc/\(host.pid)/status", encoding: .utf8)
                let resident = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }?
                    .split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
                #expect(try #require(resident) < 200_000)
            }
        }
    }
}
