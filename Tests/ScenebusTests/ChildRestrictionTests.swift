import Foundation
import TestKit
import Testing

extension PluginProcessTests {
    /// What the processes that a host starts get of it, and what they may use.
    @Suite(.timeLimit(.minutes(5)))
    struct ChildRestrictionTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        /// Runs a host with a plugin of a shell script.
        /// - Parameters:
        ///   - keys: further keys of the manifest, each after a comma.
        ///   - setUp: what the shell does that becomes the host.
        private func withHost(
            _ script: String, keys: String = "", after setUp: String = ":", _ body: () async throws -> Void
        ) async throws {
            try installation.makePlugin("probe", keys, startSeconds: 0, script: script)
            let host =
                "exec '\(Installation.executables)/scenebus' host --no-store --plugins '\(installation.pluginFolder)'"
            let outcome = try await installation.run("sh", ["-c", "\(setUp)\n\(host)"]) { host in
                try await body()
                try host.send(SIGTERM)
            }
            #expect(outcome.code == 0, "\(outcome.error)")
        }

        /// What a script writes that a host has started.
        private func report(
            of script: String, keys: String = "", after setUp: String = ":"
        ) async throws -> [Substring] {
            let path = "\(installation.folder)/report"
            let saving = "{\n\(script)\n} > '\(path).part' 2>&1\nmv '\(path).part' '\(path)'\nexec sleep 1000"
            try await withHost(saving, keys: keys, after: setUp) {
                try await until("the report is there") { FileManager.default.fileExists(atPath: path) }
            }
            return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        }

        /// What `scenebus plugins ls` says is wrong with a script that ends.
        private func problem(of script: String, keys: String) async throws -> String {
            var found: String?
            try await withHost(script, keys: keys) {
                let shown = try await installation.until("plugins", "ls", "--json") {
                    $0.code == 0 ? try $0.json([PluginReply].self).first?.problem != nil : false
                }
                found = try shown.json([PluginReply].self).first?.problem
            }
            return try #require(found)
        }

        @Test("A process gets a list of the host's variables, what its manifest names, and nothing else")
        func environment() async throws {
            let variables = try await report(
                of: "env", keys: #", "environment": ["LISTED", "MANY_*", "SET=a=b", "MISSING"]"#,
                after:
                    "export HOST_SECRET=s NOTIFY_SOCKET=/run/n LISTED=yes MANY_A=1 MANY_B=2 LC_TIME=C SCENEBUS_LOG=debug"
            )
            for expected in ["LISTED=yes", "MANY_A=1", "MANY_B=2", "SET=a=b", "LC_TIME=C", "SCENEBUS_LOG=debug"]
                + ["SCENEBUS_PEER=probe", "SCENEBUS_PARENT=stdin", "SCENEBUS_CONFIGURATION={}"]
            {
                #expect(variables.contains(Substring(expected)))
            }
            for name in ["PATH", "SCENEBUS_HOST", "SCENEBUS_RUNTIME", "XDG_STATE_HOME"] {
                #expect(variables.contains { $0.hasPrefix("\(name)=") }, "\(name)")
            }
            for name in ["HOST_SECRET", "NOTIFY_SOCKET", "MISSING", "SCENEBUS_KEYS"] {
                #expect(!variables.contains { $0.hasPrefix("\(name)=") }, "\(name)")
            }
        }

        @Test("No descriptor of the host but the standard ones reaches a process")
        func descriptors() async throws {
            let lines = try await report(
                of: "ls -l /proc/self/fd", after: "exec 3</etc/passwd 7</etc/passwd 9>>'\(installation.folder)/open'")
            // One of `ls` itself, for the folder.
            let targets = lines.compactMap { $0.components(separatedBy: " -> ").dropFirst().first }
            #expect(targets.count == 4, "\(lines)")
            #expect(!targets.contains { $0.hasSuffix("/passwd") || $0.hasSuffix("/open") }, "\(lines)")
            #expect(targets.contains { $0.hasPrefix("/proc/") }, "\(lines)")
        }

        @Test("A process can get new privileges only if its manifest says so", arguments: [false, true])
        func privileges(isAllowed: Bool) async throws {
            let lines = try await report(
                of: "grep NoNewPrivs /proc/self/status", keys: isAllowed ? #", "newPrivileges": true"# : "",
                after: "grep NoNewPrivs /proc/self/status > '\(installation.folder)/own'")
            let own = try String(contentsOfFile: "\(installation.folder)/own", encoding: .utf8)
            #expect(lines.map(String.init) == [isAllowed ? String(own.dropLast()) : "NoNewPrivs:\t1"])
        }

        @Test("Without limits, a process has those of the host; the host's own are never raised")
        func inherited() async throws {
            let lines = try await report(
                of: "ulimit -Hn; ulimit -Hd; ulimit -Ht", keys: #", "limits": {"openFiles": 5000, "cpuSeconds": 100}"#,
                after: "ulimit -n 500; ulimit -d 4000000")
            #expect(lines == ["500", "4000000", "103"])
        }

        @Test("A process gets no more memory than its manifest allows")
        func memory() async throws {
            let lines = try await report(
                of:
                    "dd if=/dev/zero of=/dev/null bs=16M count=1 && dd if=/dev/zero of=/dev/null bs=256M count=1; echo $?",
                keys: #", "limits": {"memoryMegabytes": 64}"#)
            #expect(lines.contains { $0.hasPrefix("1+0 records in") }, "\(lines)")
            #expect(lines.last == "1", "\(lines)")
        }

        @Test("A process opens no more files than its manifest allows")
        func files() async throws {
            let lines = try await report(
                of: "tee 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 </dev/null; echo $?",
                keys: #", "limits": {"openFiles": 16}"#)
            #expect(lines.contains { $0.contains("Too many open files") }, "\(lines)")
            #expect(lines.last == "1", "\(lines)")
        }

        @Test("A process starts no more processes than its manifest allows its user", .enabled(if: geteuid() == 0))
        func processes() async throws {
            // Root has no such limit, and this other user has no process yet.
            let lines = try await report(
                of: "setpriv --reuid 54321 --clear-groups sh -c 'echo one; (echo two); echo three'",
                keys: #", "limits": {"processes": 1}"#)
            #expect(lines.first == "one")
            #expect(!lines.contains("two"))
        }

        @Test("A process that uses up its processor time is ended, and that is said")
        func processorTime() async throws {
            let problem = try await problem(of: "while :; do :; done", keys: #", "limits": {"cpuSeconds": 1}"#)
            #expect(problem.contains("used up its 'limits.cpuSeconds'"), "\(problem)")
        }

        @Test("The limit of memory is named when a process crashes, as one that gets no memory does")
        func crash() async throws {
            let problem = try await problem(of: "kill -ABRT $$", keys: #", "limits": {"memoryMegabytes": 64}"#)
            #expect(problem.contains("crashed (SIGABRT) (its 'limits.memoryMegabytes' is 64"), "\(problem)")
        }

        @Test("A file that cannot be executed is reported with the reason")
        func notExecutable() async throws {
            try installation.makePlugin("probe", startSeconds: 0)
            for (text, reason) in [
                ("no program", "it is neither a program for this machine nor a script that begins with '#!'"),
                ("#!/nowhere/sh\n", "the interpreter that its first line names with '#!'"),
            ] {
                let path = try installation.write(text, to: "plugins/probe/probe", mode: 0o755)
                let outcome = try await installation.withHost(
                    "--no-store", plugins: installation.pluginFolder, waitFor: []
                ) { _ in
                    let shown = try await installation.until("plugins", "ls", "--json") {
                        try $0.json([PluginReply].self).first?.problem != nil
                    }
                    let problem = try #require(try shown.json([PluginReply].self).first?.problem)
                    #expect(problem.contains("it cannot be executed: \(path): \(reason)"), "\(problem)")
                    try await installation.until("logs", "probe") {
                        $0.output.contains("scenebus-launch: \(path): \(reason)")
                    }
                }
                #expect(outcome.error.contains("a plugin could not be started; "), "\(outcome.error)")
                #expect(!outcome.error.contains("a plugin ended"), "\(outcome.error)")
            }
        }
    }
}
