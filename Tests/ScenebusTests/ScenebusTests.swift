import Testing

extension CommandTests {
    /// What all commands have in common: help, usage and exit codes.
    @Suite(.timeLimit(.minutes(5)))
    struct ScenebusTests {
        static let commands = [
            ["host"], ["status"], ["sessions", "ls"], ["sessions", "open"], ["sessions", "show"],
            ["sessions", "close"], ["scene", "show"], ["scene", "watch"], ["scene", "attach"], ["scene", "act"],
            ["open-url"], ["notify"], ["request"],
            ["deps", "ls"], ["deps", "get"], ["deps", "watch"], ["plugins", "ls"], ["monitor"], ["wait"], ["doctor"],
        ]

        /// The arguments that some commands require.
        static let needed = [
            "sessions show": ["x"], "sessions close": ["x"], "scene show": ["x"], "scene watch": ["x"],
            "scene attach": ["x"], "scene act": ["x", "y"], "open-url": ["x://y"], "notify": ["a=1"],
            "request": ["message"], "wait": ["--timeout", "0.2"],
        ]

        static func complete(_ command: [String]) -> [String] {
            command + needed[command.joined(separator: " "), default: []]
        }

        private func run(_ arguments: [String]) async throws -> Outcome {
            let installation = try Installation()
            return try await installation.run("\(Installation.executables)/scenebus", arguments)
        }

        @Test(
            "--help explains each command",
            arguments: commands + [[], ["sessions"], ["scene"], ["deps"], ["plugins"]])
        func help(command: [String]) async throws {
            let outcome = try await run(command + ["--help"])
            #expect(outcome.code == 0)
            #expect(outcome.output.contains("USAGE: scenebus" + command.map { " \($0)" }.joined()))
            #expect(outcome.output.contains("OVERVIEW: "))
            #expect(outcome.error == "")
        }

        @Test("The top-level help explains the exit codes")
        func exitCodes() async throws {
            let outcome = try await run(["--help"])
            #expect(outcome.output.contains("0 done, 1 failed, 2 wrong usage, 3 no host reached, 4 refused"))
        }

        @Test("An unknown flag exits with 2, with the usage on the standard error", arguments: commands + [[]])
        func wrongFlag(command: [String]) async throws {
            let outcome = try await run(Self.complete(command) + ["--wrong"])
            #expect(outcome.code == 2)
            #expect(outcome.output == "")
            #expect(outcome.error.contains("--wrong"))
            #expect(outcome.error.contains("Usage: scenebus"))
        }

        @Test(
            "An invalid argument exits with 2 and is named",
            arguments: [
                (["status", "--host", "localhost"], "'localhost' is neither an address"),
                (["status", "--host", "http://127.0.0.1:5570"], "'http://127.0.0.1:5570' is not an address"),
                (["status", "--host", "tcp://127.0.0.1"], "has no port"),
                (["host", "--no-store", "--insecure", "--listen", "tcp://localhost:5570"], "127.0.0.1 for localhost"),
                (["host", "--no-store", "--plugins", "/etc/passwd"], "Not a directory"),
                (["status", "--timeout", "0"], "--timeout"), (["status", "--timeout", "soon"], "soon"),
                (["status", "--timeout", "nan"], "--timeout"), (["host", "--name", "a/b"], "'a/b'"),
                (["host", "--name", ""], "--name"), (["host", "--name", ".."], "begins with '.'"),
                (["host", "--name", "host"], "is reserved"), (["status", "--name", "../x"], "begins with '.'"),
                (["scene", "act", "x"], "<action>"),
                (["request", "message", "field"], "'field' is not of the form name=value"),
                (["request", "message", "=1"], "'=1' is not of the form name=value"),
                (["notify"], "<values>"), (["explode"], "explode"),
                (["host", "--no-store", "--listen", "5570"], "tcp://127.0.0.1:5570"),
                (["host", "--no-store", "--plugins", "/nowhere"], "/nowhere"),
            ])
        func wrongArgument(arguments: [String], says: String) async throws {
            let outcome = try await run(arguments)
            #expect(outcome.code == 2)
            #expect(outcome.error.contains(says))
            #expect(outcome.output == "")
        }

        @Test("Without a host, every command exits with 3 and names the next step")
        func noHost() async throws {
            // All commands run at once, because each waits two seconds for a host.
            try await withThrowingTaskGroup(of: ([String], Outcome).self) { group in
                for command in Self.commands where command != ["host"] {
                    group.addTask { (command, try await run(Self.complete(command))) }
                }
                for try await (command, outcome) in group {
                    let text = outcome.error + outcome.output
                    #expect(text.contains("no host answers at ipc://"), "\(command)")
                    #expect(text.contains("start one with 'scenebus host'"), "\(command)")
                    // The doctor exits with 1, because reporting a problem is its job.
                    #expect(outcome.code == (command == ["doctor"] ? 1 : 3), "\(command)")
                }
            }
        }

        @Test("An address without a host exits with 3 and is named")
        func noHostAtAddress() async throws {
            let outcome = try await run(["status", "--host", "tcp://127.0.0.1:1", "--insecure"])
            #expect(outcome.code == 3)
            #expect(outcome.error.contains("tcp://127.0.0.1:1"))
        }
    }
}
