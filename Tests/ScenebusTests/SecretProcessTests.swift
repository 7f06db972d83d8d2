import Foundation
import TestKit
import Testing

extension CommandTests {
    /// Secrets in a whole installation: the command line asks for them, and no output, log or file has them.
    @Suite(.timeLimit(.minutes(5)))
    struct SecretProcessTests {
        /// A text that occurs nowhere else.
        private static let password = "zwiebelkuchen-4711"

        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        private func makeVault() throws {
            try installation.makePlugin(
                "vault",
                #", "handles": ["vaultOpen", "vaultFail", "vaultCount"], "provides": ["vaultPass"]"#,
                startSeconds: 0, executable: "vault-plugin")
        }

        /// The files in the installation's folder that contain a text, except the ones from which it is read.
        private func files(with text: String) -> [String] {
            let folder = installation.folder
            return (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
                .filter { !$0.hasPrefix("secrets/") }
                .filter {
                    FileManager.default.contents(atPath: "\(folder)/\($0)")?.range(of: Data(text.utf8)) != nil
                }
        }

        private func shell(_ line: String, whileRunning body: (Installation.Running) async throws -> Void = { _ in })
            async throws -> Outcome
        {
            try await installation.run(
                "setsid", ["--wait", "sh", "-c", "PATH=\(Installation.executables):$PATH; \(line)"], whileRunning: body)
        }

        @Test("A login leaves its password in no output, no log and no file")
        func login() async throws {
            let file = "\(installation.folder)/monitored"
            var outputs: [String] = []
            func note(_ outcome: Outcome) { outputs += [outcome.output, outcome.error] }
            let password = try installation.secret("password", Self.password)
            let monitor = try await installation.run(
                "sh",
                [
                    "-c", "\"$0\" wait --timeout 30 && exec \"$0\" monitor --all --json > \"$1\"",
                    "\(Installation.executables)/scenebus", file,
                ]
            ) { watching in
                let host = try await installation.withHost(
                    "--verbose", "--open", "ControlRoom", plugins: Installation.plugins,
                    waitFor: ["--plugins", "--sessions"]
                ) { _ in
                    let sessions: [SessionReply] = try await installation.scenebus("sessions", "ls", "--json").json()
                    let id = try #require(sessions.first?.session)
                    try await installation.until("scene", "show", id) { $0.output.contains("[create]") }
                    for arguments in [
                        ["scene", "act", id, "create", "username=ada", password],
                        ["scene", "act", id, "login", "username=ada", password],
                        // One that is refused, and one that cannot be read.
                        ["request", "accountCreate", "username=ada", password],
                        ["request", "accountLogin", password],
                        ["request", "accountLogin", "username=ada", password, "--json", "--session", id],
                        [
                            "request", "accountChangePassword", password, password.replacingPrefix("newPassword"),
                            "--session", id,
                        ],
                        ["scene", "show", id], ["scene", "show", id, "--json"], ["sessions", "show", id, "--state"],
                        ["deps", "ls"], ["deps", "ls", "--json"], ["status", "--json"], ["plugins", "ls", "--json"],
                        ["audit", "--json"], ["logs", "accounts"], ["logs", "controlroom"],
                    ] {
                        note(try await installation.run("\(Installation.executables)/scenebus", arguments))
                    }
                    #expect(outputs.contains { $0.contains("Logged in as ada") }, "\(outputs)")
                    try await until("the monitor has shown the last request") {
                        (try? String(contentsOfFile: file, encoding: .utf8))?.contains("accountChangePassword") == true
                    }
                }
                note(host)
                try watching.send(SIGINT)
            }
            note(monitor)
            for output in outputs { #expect(!output.contains(Self.password), "\(output)") }
            #expect(files(with: "accountLogin").contains("monitored"))
            #expect(files(with: Self.password) == [])
        }

        @Test("A secret is refused as an argument whatever its name, and nothing is sent")
        func refused() async throws {
            try makeVault()
            try await installation.withHost("--no-store", plugins: installation.pluginFolder) { _ in
                for field in ["digits", "spare"] {
                    let outcome = try await installation.scenebus(
                        "request", "vaultOpen", "user=ada", "\(field)=\(Self.password)")
                    #expect(outcome.code == 2)
                    #expect(outcome.error.contains("'\(field)' is a secret"), "\(outcome.error)")
                    #expect(outcome.error.contains("'\(field)@FILE'"), "\(outcome.error)")
                    #expect(!outcome.error.contains(Self.password))
                }
                // Only the one that the message cannot do without is asked for.
                let missing = try await shell("scenebus request vaultOpen user=ada < /dev/null")
                #expect(missing.code == 2)
                #expect(missing.error.contains("there is no terminal to ask for 'digits' on"), "\(missing.error)")
                #expect(missing.error.contains("'digits@-'"))
                #expect(try await installation.scenebus("deps", "get", "vaultPass").code != 0)
            }
        }

        @Test("A secret that is left out is asked for on the terminal, and not echoed")
        func asked() async throws {
            try makeVault()
            try await installation.withHost("--no-store", plugins: installation.pluginFolder) { _ in
                let terminal = try PseudoTerminal()
                let outcome = try await shell(
                    """
                    scenebus request vaultOpen user=ada < \(terminal.path)
                    echo code $? > /dev/tty
                    """
                ) { _ in
                    try await terminal.shown(until: "digits: ")
                    #expect(!terminal.echoes)
                    try terminal.type("\(Self.password)\n")
                    let shown = try await terminal.shown(until: "code 0")
                    #expect(!shown.contains(Self.password))
                }
                #expect(outcome.output == "{\"user\": \"ada\", \"token\": ••••••}\n", "\(outcome.error)")
            }
        }

        @Test("A plugin that prints, logs, publishes and throws its secrets shows dots")
        func careless() async throws {
            try makeVault()
            var outputs: [String] = []
            let host = try await installation.withHost("--verbose", plugins: installation.pluginFolder) { _ in
                let digits = try installation.secret("digits", Self.password)
                for arguments in [
                    ["request", "vaultOpen", "user=ada", digits],
                    ["request", "vaultOpen", "user=ada", digits, digits.replacingPrefix("spare"), "--json"],
                    ["request", "vaultFail", digits], ["request", "vaultCount", digits.replacingPrefix("amount")],
                    ["deps", "get", "vaultPass"], ["deps", "get", "vaultPass", "--json"], ["deps", "ls"],
                ] {
                    let outcome = try await installation.run("\(Installation.executables)/scenebus", arguments)
                    outputs += [outcome.output, outcome.error]
                }
                let logs = try await installation.until("logs", "vault") { $0.output.contains("opened with") }
                outputs.append(logs.output)
                #expect(logs.output.contains("••••••"), "\(logs.output)")
            }
            outputs += [host.output, host.error]
            for output in outputs { #expect(!output.contains(Self.password), "\(output)") }
            #expect(outputs.contains { $0.contains(#"{"user":"ada","token":"••••••"}"#) }, "\(outputs)")
            #expect(outputs.contains { $0.contains("the field 'amount' is wrong: The secret is not") }, "\(outputs)")
            #expect(files(with: Self.password) == [])
        }
    }
}

extension String {
    /// The same source of a value, for a field of another name.
    fileprivate func replacingPrefix(_ name: String) -> String {
        name + (firstIndex(of: "@").map { self[$0...] } ?? "")
    }
}
