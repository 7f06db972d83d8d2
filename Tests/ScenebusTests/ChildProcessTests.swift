import Bus
import Foundation
import NetworkLab
import TestKit
import Testing

extension PluginProcessTests {
    /// The processes below a plugin: none is left behind.
    @Suite(.timeLimit(.minutes(5)))
    struct ChildProcessTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        /// Makes a plugin of a shell script.
        private func plugin(_ script: String) throws {
            try installation.write(
                """
                {"id": "script", "version": "1", "protocol": {"min": 1, "max": 1}, "executable": "run",
                 "startSeconds": 0}
                """, to: "plugins/script/plugin.json")
            try installation.write("#!/bin/sh\n\(script)\n", to: "plugins/script/run", mode: 0o755)
        }

        private var plugins: String { "\(installation.folder)/plugins" }

        /// A script that starts a program which ignores its standard input and all signals that ask it to end.
        private static let stubborn = """
            sh -c 'trap "" TERM HUP INT; echo $$ >> pids; exec sleep 1000' < /dev/null &
            wait
            """

        /// The processes that the script has started.
        private var programs: [Int32] {
            let text = try? String(contentsOfFile: "\(plugins)/script/pids", encoding: .utf8)
            return (text ?? "").split(separator: "\n").compactMap { Int32($0) }
        }

        /// The state of a process as a letter; `nil` if it is gone.
        private func state(of pid: Int32) -> Character? {
            guard let line = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return nil }
            return line.split(separator: ")").last?.first { $0 != " " }
        }

        @Test("The program of a script is ended when the script has exited, before the script is started again")
        func restart() async throws {
            try plugin(Self.stubborn)
            try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                try await until("a program runs") { programs.count == 1 }
                let first = programs[0]
                let all: [PluginReply] = try await installation.scenebus("plugins", "ls", "--json").json()
                let leader = try #require(all.first?.pid)
                #expect(kill(leader, SIGTERM) == 0)
                try await until("a second program runs") { programs.count == 2 }
                #expect(!ProcFile.runs(first))
            }
            #expect(programs.allSatisfy { !ProcFile.runs($0) })
        }

        @Test("A script and its program end with a host that is killed, though they ignore all that asks them to")
        func killedHost() async throws {
            try plugin("trap '' TERM HUP INT\n" + Self.stubborn)
            try await installation.withHost("--no-store", plugins: plugins, waitFor: [], ends: false) { host in
                try await until("a program runs") { programs.count == 1 }
                try host.send(SIGKILL)
            }
            try await until("the program has ended") { programs.allSatisfy { !ProcFile.runs($0) } }
        }

        /// The processes with the path of the plugins' folder in their command lines: hosts, plugins, and those that a host
        /// has started and that do not run a plugin yet.
        private func processes() throws -> [Int32] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter { pid in
                guard ProcFile.runs(pid), let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline")
                else { return false }
                return String(decoding: line, as: UTF8.self).contains(plugins)
            }
        }

        @Test("Nothing is left of a host that is killed while it starts its plugins")
        func killedAtStart() async throws {
            let count = 24
            for number in 1...count {
                try installation.write(
                    """
                    {"id": "p\(number)", "version": "1", "protocol": {"min": 1, "max": 1}, "executable": "run",
                     "startSeconds": 0}
                    """, to: "plugins/p\(number)/plugin.json")
                // They do not notice the end of their standard input.
                try installation.write(
                    "#!/bin/sh\necho $$ >> ../../begun\nwhile :; do sleep 1000 < /dev/null; done\n",
                    to: "plugins/p\(number)/run", mode: 0o755)
            }
            let begun = "\(installation.folder)/begun"
            func begunCount() -> Int {
                ((try? String(contentsOfFile: begun, encoding: .utf8)) ?? "").split(separator: "\n").count
            }
            for round in 0..<12 {
                try? FileManager.default.removeItem(atPath: begun)
                _ = try await installation.run(
                    "\(Installation.executables)/scenebus", ["host", "--no-store", "--plugins", plugins]
                ) { host in
                    try await until("a plugin runs") { begunCount() > round }
                    try host.send(SIGKILL)
                }
                try await until("no plugin runs after round \(round)") { try processes().isEmpty }
            }
        }

        @Test("As process 1 of a container, a host reaps the orphans that it adopts", .enabled(if: geteuid() == 0))
        func orphans() async throws {
            try plugin("(sleep 0.1 &)\nexec sleep 1000")
            let outcome = try await installation.run(
                "unshare",
                ["--pid", "--fork", "--mount-proc", "--kill-child", "\(Installation.executables)/scenebus", "host"]
                    + ["--no-store", "--plugins", plugins]
            ) { unshare in
                func children(of pid: Int32) -> [Int32] {
                    let text = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
                    return (text ?? "").split(separator: " ").compactMap { Int32($0) }
                }
                try await until("the host runs") { !children(of: unshare.pid).isEmpty }
                let host = try #require(children(of: unshare.pid).first)
                var zombies: [Int32] { children(of: host).filter { state(of: $0) == "Z" } }
                try await until("there is an orphan") { !zombies.isEmpty }
                try await until("the orphan is gone") { zombies.isEmpty }
                try unshare.send(SIGKILL)
            }
            #expect(outcome.code == 128 + SIGKILL)
        }
    }
}
