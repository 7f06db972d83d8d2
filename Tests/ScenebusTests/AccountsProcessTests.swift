import Foundation
import Testing

extension PluginProcessTests {
    /// The accounts plugin with many simultaneous callers, and with a second instance.
    @Suite(.timeLimit(.minutes(5)))
    struct AccountsProcessTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        private var namesInFile: [String] {
            get throws {
                let path = "\(installation.folder)/state/scenebus/accounts"
                let text = try String(contentsOfFile: path, encoding: .utf8)
                let lines = text.split(separator: "\n").filter { $0.hasPrefix("account\t") }
                return lines.map { line in String(line.split(separator: "\t")[1]) }
            }
        }

        /// Creates accounts at the same time.
        /// - Parameters:
        ///   - session: The session in whose name they are created.
        ///   - isEach: Whether every account must be created.
        /// - Returns: The sorted names for which the command succeeded.
        private func create(_ names: [String], in session: String, isEach: Bool = false) async throws -> [String] {
            let password = try installation.secret("password", "difference")
            return try await withThrowingTaskGroup { group in
                for name in names {
                    group.addTask { [installation] in
                        let outcome = try await installation.scenebus(
                            "request", "accountCreate", "username=\(name)", password, "--timeout", "120", "--session",
                            session)
                        if outcome.code != 0, isEach { Issue.record("\(name): \(outcome.error)") }
                        return outcome.code == 0 ? name : nil
                    }
                }
                return try await group.reduce(into: [String]()) { if let name = $1 { $0.append(name) } }.sorted()
            }
        }

        @Test("Accounts created at the same time are all kept, and only one of them is the first")
        func atTheSameTime() async throws {
            try await installation.withHost(
                "--no-store", "--open", "ControlRoom", plugins: Installation.plugins,
                waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let session = try await installation.firstSession()
                let first = try await create(["ada", "eve", "joe"], in: session)
                #expect(first.count == 1)
                #expect(try namesInFile == first)
                let login = try await installation.scenebus(
                    "request", "accountLogin", "username=\(first.first ?? "")",
                    installation.secret("password", "difference"), "--session", session)
                #expect(login.code == 0, "\(login.error)")
                let others = (1...6).map { "user\($0)" }
                #expect(try await create(others, in: session, isEach: true) == others)
                #expect(try namesInFile == (first + others).sorted())
            }
        }

        @Test("A login is that of its session, ends with it, and is refused without one")
        func sessions() async throws {
            try await installation.withHost(
                "--no-store", "--open", "ControlRoom", "--open", "ControlRoom", plugins: Installation.plugins,
                waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let sessions: [SessionReply] = try await installation.scenebus("sessions", "ls", "--json").json()
                let (one, two) = (sessions[0].session, sessions[1].session)
                let password = try installation.secret("password", "difference")
                let created = try await installation.scenebus("request", "accountCreate", "username=ada", password)
                #expect(created.code == 0, "\(created.error)")
                let without = try await installation.scenebus("request", "accountLogin", "username=ada", password)
                #expect(without.code == 1)
                #expect(without.error.contains("a user logs in to a session"), "\(without.error)")
                let login = try await installation.scenebus("scene", "act", one, "login", "username=ada", password)
                #expect(login.output.contains("Logged in as ada"), "\(login.error)")
                try await installation.until("scene", "show", two) { $0.output.hasPrefix("Log in") }
                let entries = try await installation.scenebus("deps", "get", "account", "--json")
                #expect(entries.output.contains("\"session\":\"\(one)\""), "\(entries.output)\(entries.error)")
                #expect(!entries.output.contains(two))
                #expect(try await installation.scenebus("sessions", "close", one).code == 0)
                #expect(try await installation.scenebus("deps", "get", "account").code == 4)
            }
        }

        @Test("An operator creates further accounts without a session, and not in one to which nobody is logged in")
        func operators() async throws {
            try await installation.withHost(
                "--no-store", "--open", "ControlRoom", plugins: Installation.plugins,
                waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let session = try await installation.firstSession()
                let password = try installation.secret("password", "difference")
                for name in ["ada", "mei"] {
                    let created = try await installation.scenebus(
                        "request", "accountCreate", "username=\(name)", password)
                    #expect(created.code == 0, "\(created.error)")
                }
                let inSession = try await installation.scenebus(
                    "request", "accountCreate", "username=eve", password, "--session", session)
                #expect(inSession.code == 1)
                #expect(inSession.error.contains("No user is logged in to this session"), "\(inSession.error)")
                #expect(try namesInFile == ["ada", "mei"])
            }
        }

        @Test("A running scene cannot be used to guess the password of its user")
        func guesses() async throws {
            try await installation.withHost(
                "--no-store", "--open", "ControlRoom", plugins: Installation.plugins,
                waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let session = try await installation.firstSession()
                let password = try installation.secret("password", "difference")
                for message in ["accountCreate", "accountLogin"] {
                    let outcome = try await installation.scenebus(
                        "request", message, "username=ada", password, "--session", session)
                    #expect(outcome.code == 0, "\(outcome.error)")
                }
                var errors: [String] = []
                for _ in 0..<6 {
                    let outcome = try await installation.scenebus(
                        "request", "accountChangePassword", installation.secret("password", "indifference"),
                        installation.secret("newPassword", "differences"), "--session", session)
                    #expect(outcome.code == 1)
                    errors.append(outcome.error)
                }
                #expect(errors.prefix(5).allSatisfy { $0.contains("password is wrong") }, "\(errors)")
                #expect(errors.last?.contains("Too many failed logins: wait") == true, "\(errors)")
            }
        }

        @Test("A second plugin on the same file exits with 4 and names the process that uses the file")
        func twice() async throws {
            try await installation.withHost("--no-store", plugins: Installation.plugins) { _ in
                let plugins: [PluginReply] = try await installation.scenebus("plugins", "ls", "--json").json()
                let pid = try #require(plugins.first { $0.id == "accounts" }?.pid)
                let second = try await installation.run("\(Installation.executables)/accounts-plugin")
                #expect(second.code == 4)
                #expect(second.error.contains("is used by process \(pid) (accounts)"), "\(second.error)")
            }
        }
    }
}
