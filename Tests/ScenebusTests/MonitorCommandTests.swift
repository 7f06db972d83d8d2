import TestKit
import Foundation
import Subprocess
import SystemPackage
import Testing

extension CommandTests {
    /// The commands that run until Ctrl-C.
    @Suite(.timeLimit(.minutes(5)))
    struct MonitorCommandTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        struct Record: Decodable {
            var name: String
            var kind: String
            var from: String
            var to: String
            var latency: Int?
        }

        @Test("The monitor shows each hop that matches a pattern, and Ctrl-C ends it with 0")
        func monitor() async throws {
            try await installation.withHost("--no-store", plugins: Installation.plugins) { _ in
                var records: [Record] = []
                let code = try await installation.follow("monitor", "--json", "account*") { line in
                    records.append(try JSONDecoder().decode(Record.self, from: Data(line.utf8)))
                    return records.count < 4
                } meanwhile: {
                    // Send two requests, of which one matches the pattern, until the monitor has shown all hops of one.
                    _ = try await installation.scenebus("status")
                    _ = try await installation.scenebus("request", "accountLogout", "--session", "wall")
                }
                #expect(code == 0)
                #expect(Set(records.map(\.name)) == ["accountLogout"])
                #expect(records.prefix(4).map(\.kind) == ["request", "request", "reply", "reply"])
                #expect(records.prefix(4).map(\.to).prefix(3) == ["host", "accounts", "host"])
                #expect(records.prefix(4).compactMap(\.latency).count == 2)
            }
        }

        @Test("Heartbeats are hidden without a pattern, and --all shows them")
        func all() async throws {
            try await installation.withHost("--no-store", plugins: Installation.plugins) { _ in
                var kinds: Set<String> = []
                let code = try await installation.follow("monitor", "--json", "--all") { line in
                    kinds.insert(try JSONDecoder().decode(Record.self, from: Data(line.utf8)).kind)
                    return !kinds.isSuperset(of: ["heartbeat", "beacon", "publish", "delta"])
                }
                #expect(code == 0)
                var header = ""
                var lines = 0
                let plain = try await installation.follow("monitor") { line in
                    if header.isEmpty { header = line } else { lines += 1 }
                    #expect(!line.contains("heartbeat"))
                    #expect(!line.contains("beacon"))
                    return lines < 3
                }
                #expect(plain == 0)
                #expect(header.hasPrefix("TIME"))
            }
        }

        @Test("A continuous command reports when the host leaves and returns, and that a key does not exist")
        func away() async throws {
            let errors = "\(installation.folder)/errors"
            func said(_ text: String) -> Bool {
                (try? String(contentsOfFile: errors, encoding: .utf8))?.contains(text) == true
            }
            let outcome = try await installation.run(
                "sh",
                [
                    "-c", "\"$0\" wait --timeout 30 && exec \"$0\" deps watch typo 2> \"$1\"",
                    "\(Installation.executables)/scenebus", errors,
                ]
            ) { watching in
                try await installation.withHost("--no-store") { _ in
                    try await until("the key is unknown") { said("scenebus: there is no entry 'typo' yet\n") }
                }
                try await installation.withHost("--no-store") { _ in
                    try await until("it is attached again") { said("scenebus: attached again\n") }
                }
                try watching.send(SIGINT)
            }
            #expect(outcome.code == 0)
            #expect(said("scenebus: the host has ended; trying again\n"))
        }

        @Test("A followed log continues in the host's next life, even if that already has as many lines")
        func logs() async throws {
            try installation.write(
                """
                {"id": "talk", "version": "1", "protocol": {"min": 1, "max": 1}, "executable": "talk", "startSeconds": 0}
                """, to: "plugins/talk/plugin.json")
            try installation.write(
                "#!/bin/sh\necho hello\nexec /bin/sleep 60\n", to: "plugins/talk/talk", mode: 0o755)
            let (plugins, file) = ("\(installation.folder)/plugins", "\(installation.folder)/shown")
            func shown() -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
            let outcome = try await installation.run(
                "sh",
                [
                    "-c", "\"$0\" wait --timeout 30 && exec \"$0\" logs talk -f > \"$1\"",
                    "\(Installation.executables)/scenebus", file,
                ]
            ) { following in
                for text in ["hello\n", "hello\nhello\n"] {
                    try await installation.withHost("--no-store", plugins: plugins, waitFor: []) { _ in
                        try await until("the log is shown") { shown() == text }
                    }
                }
                try following.send(SIGINT)
            }
            #expect(outcome.code == 0, "\(outcome.error)")
            #expect(outcome.error.contains("'talk' was started again"), "\(outcome.error)")
        }

        @Test("Watching an entry prints its value, then each change")
        func watch() async throws {
            try await installation.withHost("--no-store", plugins: Installation.plugins) { _ in
                var lines: [String] = []
                let code = try await installation.follow("deps", "watch", "accountsExist", "--json") { line in
                    lines.append(line)
                    return lines.count < 2
                } meanwhile: {
                    _ = try await installation.scenebus(
                        "request", "accountCreate", "username=ada", installation.secret("password", "difference"))
                }
                #expect(code == 0)
                #expect(lines == [#"{"key":"accountsExist","value":false}"#, #"{"key":"accountsExist","value":true}"#])
            }
        }

        @Test(
            "A watched scene is printed whole and then as what has changed, and without a terminal attach is the same")
        func scene() async throws {
            try await installation.withHost(
                "--no-store", "--open", "ControlRoom", plugins: Installation.plugins,
                waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let sessions: [SessionReply] = try await installation.scenebus("sessions", "ls", "--json").json()
                let session = try #require(sessions.first?.session)
                try await installation.until("scene", "show", session) { $0.output.contains("[create]") }
                @Sendable func visit(_ alert: String) async throws {
                    for page in ["process/1", "alert/\(alert)"] {
                        _ = try await installation.scenebus(
                            "open-url", "controlroom://\(page)", "--session", session)
                    }
                }
                for (command, page) in [("watch", "overview"), ("attach", "settings")] {
                    var lines: [String] = []
                    let code = try await installation.follow("scene", command, session, "--json") { line in
                        lines.append(line)
                        return
                            !(lines.contains { $0.contains(#""content":"#) }
                            && lines.last?.contains(#""difference":"#) == true)
                    } meanwhile: {
                        try await visit(page)
                    }
                    #expect(code == 0)
                    #expect(lines.allSatisfy { $0.hasPrefix(#"{"session":"\#(session)","state":"#) }, "\(lines)")
                }
                // For people, the first line and each other page say how much is shown.
                var lines: [String] = []
                let code = try await installation.follow("scene", "attach", session) { line in
                    lines.append(line)
                    return lines.count == 1 || !line.contains(": shows ")
                } meanwhile: {
                    try await visit("people")
                }
                #expect(code == 0)
                #expect(lines.first?.contains(": shows ") == true, "\(lines)")
                #expect(lines.allSatisfy { $0.hasPrefix("[running] ") && !$0.contains("\u{1B}") }, "\(lines)")
                let missing = try await installation.scenebus("scene", "watch", "nobody")
                #expect(missing.code == 4)
                #expect(missing.error.contains("nobody"))
            }
        }

        @Test("The removal of an entry is printed once, and not again after the host was restarted")
        func removal() async throws {
            let file = "\(installation.folder)/shown"
            func lines() -> [String] {
                ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
            }
            var session = ""
            func line(_ key: String, _ value: String) -> String { #"{"key":"\#(key)","value":\#(value)}"# }
            let outcome = try await installation.run(
                "sh",
                [
                    "-c", "\"$0\" wait --timeout 30 && exec \"$0\" deps watch account accountsExist --json > \"$1\"",
                    "\(Installation.executables)/scenebus", file,
                ]
            ) { watching in
                try await installation.withHost(
                    "--no-store", "--open", "ControlRoom", plugins: Installation.plugins,
                    waitFor: ["--plugins", "--sessions"]
                ) { _ in
                    session = try await installation.firstSession()
                    try await until("the entry is shown") { lines().contains(line("accountsExist", "false")) }
                    let password = try installation.secret("password", "difference")
                    for arguments in [
                        ["accountCreate", "username=ada", password], ["accountLogin", "username=ada", password],
                        ["accountLogout"],
                    ] {
                        let request = try await installation.run(
                            "\(Installation.executables)/scenebus", ["request"] + arguments + ["--session", session])
                        #expect(request.code == 0, "\(request.error)")
                    }
                    try await until("the logout is shown") { lines().contains(line("account@\(session)", "null")) }
                }
                // The next host has no plugins, so that what is left of the entries is removed after a while.
                try await installation.withHost("--no-store") { _ in
                    try await until("the removal is shown") { lines().contains(line("accountsExist", "null")) }
                }
                try watching.send(SIGINT)
            }
            #expect(outcome.code == 0, "\(outcome.error)")
            #expect(lines().filter { $0 == line("account@\(session)", "null") }.count == 1, "\(lines())")
        }
    }
}

extension Installation {
    /// Runs a command that continues until Ctrl-C.
    /// - Parameters:
    ///   - onLine: Called with each line of the output; `false` sends Ctrl-C.
    ///   - action: Repeated from the start of the command until Ctrl-C, with pauses, since it is processes mostly.
    /// - Returns: The exit code.
    func follow(
        _ arguments: String..., onLine: (String) throws -> Bool,
        meanwhile action: (@Sendable () async throws -> Void)? = nil
    ) async throws -> Int32 {
        try await follow(arguments, onLine: onLine, meanwhile: action)
    }

    /// Does the same with arguments in a list.
    func follow(
        _ arguments: [String], onLine: (String) throws -> Bool,
        meanwhile action: (@Sendable () async throws -> Void)? = nil
    ) async throws -> Int32 {
        let result = try await Subprocess.run(
            .path(FilePath("\(Self.executables)/scenebus")), arguments: Arguments(arguments),
            environment: environment, input: .none, output: .sequence, error: .discarded
        ) { execution in
            let acting = Task {
                while let action {
                    try await action()
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            defer { acting.cancel() }
            var isInterrupted = false
            // The output is read to its end, because SIGPIPE would kill the command if its pipe were closed.
            for try await line in execution.standardOutput.strings() where !isInterrupted {
                let text = line.trimmingCharacters(in: .newlines)
                if try text.isEmpty || onLine(text) { continue }
                isInterrupted = true
                acting.cancel()
                try execution.send(signal: .interrupt)
            }
        }
        return result.terminationStatus.shellCode
    }
}
