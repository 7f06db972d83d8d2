import Foundation
import Testing

extension CommandTests {
    /// How the fields of messages and scenes are given, and how secrets are kept out of the arguments.
    @Suite(.timeLimit(.minutes(5)))
    struct FieldArgumentTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        /// Runs a shell command with the executables on its path, in a session without a terminal.
        private func shell(_ line: String, whileRunning body: (Installation.Running) async throws -> Void = { _ in })
            async throws -> Outcome
        {
            try await installation.run(
                "setsid", ["--wait", "sh", "-c", "PATH=\(Installation.executables):$PATH; \(line)"], whileRunning: body)
        }

        private var accountsExist: String {
            get async throws { try await installation.scenebus("deps", "get", "accountsExist", "--json").output }
        }

        @Test("A secret in a request's arguments is refused before anything is sent, and its value is not printed")
        func refused() async throws {
            try await installation.withHost("--no-store", plugins: Installation.plugins) { _ in
                for name in ["password", "newPassword", "API_TOKEN", "clientSecret"] {
                    let outcome = try await installation.scenebus(
                        "request", "accountCreate", "username=ada", "\(name)=difference")
                    #expect(outcome.code == 2)
                    #expect(outcome.error.contains("'\(name)@-'"), "\(outcome.error)")
                    #expect(outcome.error.contains("'\(name)@FILE'"))
                    #expect(!outcome.error.contains("difference"))
                    let notice = try await installation.scenebus("notify", "\(name)=difference")
                    #expect(notice.code == 2)
                }
                for name in ["request", "notify"] {
                    let outcome = try await installation.run(
                        "\(Installation.executables)/scenebus",
                        [name] + (name == "request" ? ["hostSceneAct"] : [])
                            + [#"fields=[{"deep": {"password": "difference"}}]"#])
                    #expect(outcome.code == 2)
                    #expect(outcome.error.contains("'fields' holds the secret 'password'"), "\(outcome.error)")
                    #expect(!outcome.error.contains("difference"))
                }
                #expect(try await accountsExist == "false\n")
            }
        }

        @Test(
            "A secret is refused wherever it is in a list or an object",
            arguments: [
                #"[{"name": "ada"}, {"password": "difference"}]"#,
                #"{"name": "ada", "password": "difference"}"#,
                #"[[], [1, {"logins": [{}, {"name": "ada", "password": "difference"}]}]]"#,
            ])
        func refusedInside(value: String) async throws {
            // No host runs: the command ends before it looks for one.
            for command in [["request", "usersCreate"], ["notify"]] {
                let outcome = try await installation.run(
                    "\(Installation.executables)/scenebus", command + ["users=\(value)"])
                #expect(outcome.code == 2)
                #expect(outcome.error.contains("'users' holds the secret 'password'"), "\(outcome.error)")
                #expect(!outcome.error.contains("difference"))
            }
        }

        @Test("A scene's secret field is refused in the arguments, and other fields are accepted")
        func refusedByScene() async throws {
            try await installation.withHost(
                "--no-store", "--open", "ControlRoom", plugins: Installation.plugins,
                waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let sessions: [SessionReply] = try await installation.scenebus("sessions", "ls", "--json").json()
                let id = try #require(sessions.first?.session)
                try await installation.until("scene", "show", id) { $0.output.contains("[create]") }
                let refused = try await installation.scenebus(
                    "scene", "act", id, "create", "username=ada", "password=difference")
                #expect(refused.code == 2)
                #expect(refused.error.contains("'password' is a secret"))
                #expect(!refused.error.contains("difference"))
                #expect(try await accountsExist == "false\n")
                let created = try await installation.scenebus(
                    "scene", "act", id, "create", "username=ada", installation.secret("password", "difference"))
                #expect(created.code == 0, "\(created.error)")
                #expect(created.output.contains("Logged in as ada"))
            }
        }

        @Test("Values from files and from lines of standard input are texts")
        func read() async throws {
            try await installation.withHost(
                "--no-store", "--open", "ControlRoom", plugins: Installation.plugins,
                waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let session = try await installation.firstSession()
                // As an argument, this value would be a number.
                let created = try await installation.scenebus(
                    "request", "accountCreate", "username=ada", installation.secret("password", "12345678"))
                #expect(created.code == 0, "\(created.error)")
                let login = try await shell(
                    "printf '12345678\\n' | scenebus request accountLogin username=ada password@- --session \(session)")
                #expect(login.code == 0, "\(login.error)")
                let changed = try await shell(
                    """
                    printf '12345678\\ndifference\\r\\nrest\\n' | {
                        scenebus request accountChangePassword password@- newPassword@- --session \(session); cat; }
                    """)
                #expect(changed.output == "{}\nrest\n", "\(changed.error)")
                let pipe = try await installation.run(
                    "bash",
                    [
                        "-c",
                        "\"$0\" request accountLogin username=ada password@<(printf difference) --session \(session)",
                        "\(Installation.executables)/scenebus",
                    ])
                #expect(pipe.code == 0, "\(pipe.error)")
            }
        }

        @Test("A value that cannot be read is refused with the reason")
        func unreadable() async throws {
            try installation.write("", to: "empty")
            try await installation.withHost("--no-store") { _ in
                for (field, reason) in [
                    ("password@/nowhere/file", "cannot read the value of 'password' from /nowhere/file"),
                    ("password@\(installation.folder)", "cannot read the value of 'password' from"),
                    ("password@/dev/zero", "at most 1048576 bytes"),
                    ("password@\(Installation.executables)/scenebus", "at most 1048576 bytes"),
                    ("password@/dev/stdin", "is not text in UTF-8"),
                    ("password@-", "is not text in UTF-8"),
                    ("password", "is not of the form name=value, name@FILE, name@- or name@"),
                    ("=x", "is not of the form"), ("@x", "is not of the form"),
                ] {
                    let outcome = try await shell("printf '\\377\\n' | scenebus request accountLogin '\(field)'")
                    #expect(outcome.code == 2, "\(field)")
                    #expect(outcome.error.contains(reason), "\(field): \(outcome.error)")
                }
                let ended = try await shell("scenebus request accountLogin password@- < /dev/null")
                #expect(ended.code == 2)
                #expect(ended.error.contains("standard input has ended"))
                let none = try await shell("scenebus request accountLogin password@ < /dev/null")
                #expect(none.code == 2)
                #expect(none.error.contains("there is no terminal to ask for 'password' on"))
            }
        }

        @Test("A secret is prompted for on a terminal and not echoed", arguments: ["password@", "password@-"])
        func asked(field: String) async throws {
            try await installation.withHost(
                "--no-store", "--open", "ControlRoom", plugins: Installation.plugins,
                waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let terminal = try PseudoTerminal()
                #expect(terminal.echoes)
                let outcome = try await shell(
                    """
                    scenebus request accountCreate username=ada \(field) < \(terminal.path)
                    echo code $? > /dev/tty
                    """
                ) { _ in
                    try await terminal.shown(until: "password: ")
                    #expect(!terminal.echoes)
                    try terminal.type("difference\n")
                    let shown = try await terminal.shown(until: "code 0")
                    #expect(!shown.contains("difference"))
                    #expect(terminal.echoes)
                }
                #expect(outcome.output.contains("\"username\": \"ada\""), "\(outcome.error)")
                let login = try await installation.scenebus(
                    "request", "accountLogin", "username=ada", installation.secret("password", "difference"),
                    "--session", installation.firstSession())
                #expect(login.code == 0, "\(login.error)")
            }
        }

        @Test("A signal during the prompt for a secret restores the terminal's settings")
        func interrupted() async throws {
            try await installation.withHost("--no-store") { _ in
                let terminal = try PseudoTerminal()
                // The shell leads the session and survives the Ctrl-C.
                _ = try await shell(
                    """
                    trap : INT
                    scenebus request accountLogin password@ < \(terminal.path)
                    echo code $? > /dev/tty
                    """
                ) { _ in
                    try await terminal.shown(until: "password: ")
                    #expect(!terminal.echoes)
                    try terminal.type("diff\u{3}")
                    try await terminal.shown(until: "code 130")
                    #expect(terminal.echoes)
                }
            }
        }
    }
}
