import Foundation
import Testing

extension PluginProcessTests {
    /// The control room over the command line: sessions, scenes, accounts and alerts.
    @Suite(.timeLimit(.minutes(5)))
    struct ControlRoomProcessTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        private func sessions() async throws -> [SessionReply] {
            try await installation.scenebus("sessions", "ls", "--json").json()
        }

        @Test("Status, sessions, plugins and entries are printed as JSON and as tables")
        func lists() async throws {
            try await installation.withHost(
                "--open", "ControlRoom", plugins: Installation.plugins, waitFor: ["--plugins", "--sessions"]
            ) { host in
                let status: StatusReply = try await installation.scenebus("status", "--json").json()
                #expect(status.name == "default")
                #expect(status.pid == host.pid)
                #expect(status.openSessions == 1)
                #expect(status.connectedScenes == 1)
                #expect(status.problems == [])
                let peers = status.links.map(\.peer)
                #expect(Set(peers).isSuperset(of: ["accounts", "machine", "controlroom-1", "controlroom-2"]))
                #expect(status.counters["frames in", default: 0] > 0)

                let session = try #require(try await sessions().first)
                #expect(session.configuration == "ControlRoom")
                #expect(session.worker?.hasPrefix("controlroom-") == true)

                let plugins: [PluginReply] = try await installation.scenebus("plugins", "ls", "--json").json()
                #expect(plugins.map(\.instance) == ["accounts", "controlroom-1", "controlroom-2", "machine"])
                #expect(plugins.map(\.state) == Array(repeating: "attached", count: 4))
                #expect(Set(plugins.compactMap(\.pid)).count == 4)

                try await installation.until("deps", "get", "cpu") { $0.code == 0 }
                let entries: [EntryReply] = try await installation.scenebus("deps", "get", "--json").json()
                let owners = Dictionary(entries.map { ($0.key, $0.owner) }, uniquingKeysWith: { $1 })
                #expect(owners["cpu"] == "machine")
                #expect(owners["accountsExist"] == "accounts")
                #expect(owners["account"] == nil)

                for (command, header) in [
                    (["status"], "host 'default', process \(host.pid)"), (["sessions", "ls"], "SESSION"),
                    (["plugins", "ls"], "PLUGIN"), (["deps", "get"], "KEY"),
                ] {
                    let outcome = try await installation.run("\(Installation.executables)/scenebus", command)
                    #expect(outcome.code == 0)
                    #expect(outcome.output.hasPrefix(header))
                }
                let missing = try await installation.scenebus("deps", "get", "weather")
                #expect(missing.code == 4)
                #expect(missing.error.contains("there is no entry 'weather'"))
                #expect(missing.error.contains("cpu"))

                let doctor = try await installation.scenebus("doctor", "--json")
                let findings: [FindingReply] = try doctor.json()
                #expect(findings.filter { !$0.isFine }.map(\.detail) == [])
                #expect(findings.map(\.check).contains("plugin machine"))
                #expect(findings.map(\.check).contains("scenes"))
            }
        }

        @Test("An unhandled request exits with 4 and names the message")
        func unhandled() async throws {
            try await installation.withHost("--no-store") { _ in
                let outcome = try await installation.scenebus("request", "wallExplode", "loud=true")
                #expect(outcome.code == 4)
                #expect(outcome.error.contains("no responder handles 'wallExplode'"))
                #expect(outcome.output == "")
            }
        }

        @Test("A session is opened, shown, acted on, sent links, and closed")
        func session() async throws {
            try await installation.withHost("--no-store", plugins: Installation.plugins) { _ in
                let opened = try await installation.scenebus("sessions", "open")
                #expect(opened.code == 0)
                let id = opened.output.trimmingCharacters(in: .whitespacesAndNewlines)
                #expect(id.count == 8)
                #expect(try await sessions().map(\.session) == [id])
                let shown = try await installation.scenebus("scene", "show", id)
                #expect(shown.output.contains("User name"))
                #expect(shown.output.contains("[overview]"))

                let acted = try await installation.scenebus("scene", "act", id, "overview")
                #expect(acted.output.hasPrefix("Overview"))
                let unknown = try await installation.scenebus("scene", "act", id, "explode")
                #expect(unknown.code != 0)
                #expect(unknown.error.contains("explode"))
                #expect(unknown.error.contains("alerts"))

                let link = try await installation.scenebus("open-url", "controlroom://process/1", "--session", id)
                #expect(link.output == "opened in \(id)\n")
                #expect(try await installation.scenebus("scene", "show", id).output.hasPrefix("Process 1"))
                let refused = try await installation.scenebus("open-url", "controlroom://process/many")
                #expect(refused.code == 4)
                #expect(refused.error.contains("'many' is not a process id"))
                let noticed = try await installation.scenebus("notify", "alert=cpu")
                #expect(noticed.output == "delivered to \(id)\n")
                #expect(try await installation.scenebus("scene", "show", id).output.hasPrefix("Alert cpu"))

                let described = try await installation.scenebus("sessions", "show", id)
                #expect(described.output.contains("configuration  ControlRoom"))
                let closed = try await installation.scenebus("sessions", "close", id)
                #expect(closed.code == 0)
                for command in [["sessions", "show", id], ["scene", "show", id], ["sessions", "close", id]] {
                    let gone = try await installation.run("\(Installation.executables)/scenebus", command)
                    #expect(gone.code == 4, "\(command)")
                    #expect(gone.error.contains(id))
                }
                #expect(try await installation.scenebus("sessions", "ls").output.hasPrefix("no session is open"))
                let none = try await installation.scenebus("sessions", "open", "Ceiling")
                #expect(none.code == 4)
                #expect(none.error.contains("ControlRoom"))
            }
        }

        @Test("A session gets the name that is given to it, and a name that is in use or is none is refused")
        func named() async throws {
            try await installation.withHost("--no-store", plugins: Installation.plugins) { _ in
                let opened = try await installation.scenebus(
                    "sessions", "open", "ControlRoom", "--id", "door-12", "--json")
                #expect(try opened.json(SessionReply.self).session == "door-12")
                let again = try await installation.scenebus("sessions", "open", "ControlRoom", "--id", "door-12")
                #expect(again.code == 4)
                #expect(again.error.contains("a session 'door-12' is open already"), "\(again.error)")
                for wrong in ["Door", "a b", "a/b", ""] {
                    let refused = try await installation.scenebus("sessions", "open", "ControlRoom", "--id", wrong)
                    #expect(refused.code == 2)
                    #expect(refused.error.contains("lowercase letters, digits and hyphens"), "\(refused.error)")
                }
                #expect(try await sessions().map(\.session) == ["door-12"])

                // The scene that shows a link's page already opens it, although another one was opened earlier.
                let link = "controlroom://process/1"
                let second = try await installation.scenebus(
                    "sessions", "open", "ControlRoom", "--id", "door-15", "--url", link)
                #expect(second.code == 0, "\(second.error)")
                #expect(try await installation.scenebus("open-url", link).output == "opened in door-15\n")
            }
        }

        @Test("A notification is delivered to the session that is named, not to the first that accepts it")
        func notifySession() async throws {
            try await installation.withHost("--no-store", plugins: Installation.plugins) { _ in
                for _ in 0..<2 { #expect(try await installation.scenebus("sessions", "open").code == 0) }
                let ids = try await sessions().map(\.session)
                #expect(ids.count == 2)
                for id in ids {
                    let noticed = try await installation.scenebus("notify", "alert=cpu", "--session", id)
                    #expect(noticed.output == "delivered to \(id)\n", "\(noticed.error)")
                }
            }
        }

        @Test("An entry is printed as JSON with --json, and in diagnostic notation without")
        func entry() async throws {
            try await installation.withHost(
                "--no-store", "--open", "ControlRoom", plugins: Installation.plugins,
                waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let session = try await installation.firstSession()
                let password = try installation.secret("password", "difference")
                for message in ["accountCreate", "accountLogin"] {
                    let request = try await installation.scenebus(
                        "request", message, "username=ada", password, "--session", session)
                    #expect(request.code == 0, "\(request.error)")
                }
                let json = try await installation.scenebus("deps", "get", "account@\(session)", "--json")
                #expect(json.output.hasPrefix(#"{"username":"ada""#), "\(json.output)\(json.error)")
                // Diagnostic notation has a space after each colon.
                let plain = try await installation.scenebus("deps", "get", "account@\(session)")
                #expect(plain.output.contains(#""username": "ada""#), "\(plain.output)\(plain.error)")
            }
        }

        @Test("A session opens on the page of a URL; a refused URL is reported, and the command exits with 4")
        func openURL() async throws {
            try await installation.withHost("--no-store", plugins: Installation.plugins) { _ in
                let opened = try await installation.scenebus("sessions", "open", "--url", "controlroom://process/1")
                #expect(opened.code == 0)
                #expect(opened.error == "")
                let id = opened.output.trimmingCharacters(in: .whitespacesAndNewlines)
                #expect(try await installation.scenebus("scene", "show", id).output.hasPrefix("Process 1"))
                let help = try await installation.scenebus("sessions", "open", "--help").output
                #expect(help.contains("ends with 4"))

                let refused = try await installation.scenebus("sessions", "open", "--url", "controlroom://process/many")
                #expect(refused.code == 4)
                #expect(refused.error.contains("'many' is not a process id"))
                let other = refused.output.trimmingCharacters(in: .whitespacesAndNewlines)
                #expect(try await sessions().map(\.session) == [id, other])
                #expect(try await installation.scenebus("scene", "show", other).output.contains("User name"))

                // Each of the two workers has room for two scenes.
                for _ in 0..<2 { #expect(try await installation.scenebus("sessions", "open").error == "") }
                let waiting = try await installation.scenebus(
                    "sessions", "open", "--json", "--timeout", "0.5", "--url", "controlroom://process/1")
                #expect(waiting.code == 4)
                #expect(waiting.error.contains("has no scene now"))
                #expect(try JSONDecoder().decode(SessionReply.self, from: Data(waiting.output.utf8)).worker == nil)
            }
        }

        @Test("The scene of a killed worker returns on the same page in another process")
        func workerKilled() async throws {
            try await installation.withHost(
                "--open", "ControlRoom", plugins: Installation.plugins, waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let before = try #require(try await sessions().first)
                let id = before.session
                try await installation.scenebus("open-url", "controlroom://process/1", "--session", id)
                try await installation.until("sessions", "show", id, "--state") { $0.output.contains("process") }
                let victim = try #require(before.pid)
                #expect(kill(victim, SIGKILL) == 0)
                try await installation.until("sessions", "show", id, "--json") {
                    let session = try $0.json(SessionReply.self)
                    return session.pid != nil && session.pid != victim && session.problem == nil
                }
                let shown = try await installation.scenebus("scene", "show", id)
                #expect(shown.output.hasPrefix("Process 1"))
                let after = try #require(try await sessions().first)
                #expect(after.session == id)
                #expect(after.token > before.token)
                // The whole stack is restored, not only its top.
                let back = try await installation.scenebus("sessions", "show", id, "--state")
                #expect(back.output.contains("process"))
            }
        }

        @Test("First account, login, wrong password, and an alert that only a logged-in user may acknowledge")
        func accounts() async throws {
            try await installation.withHost(
                "--no-store", "--open", "ControlRoom", "--configure", "machine.alerts.memory.warning=0.0001",
                "--configure", "machine.alerts.holdSeconds=0", plugins: Installation.plugins,
                waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let id = try #require(try await sessions().first?.session)
                let weak = try await installation.scenebus(
                    "request", "accountCreate", "username=ada", installation.secret("password", "x"))
                #expect(weak.code == 1)
                #expect(weak.error.contains("password"))
                let created = try await installation.scenebus(
                    "request", "accountCreate", "username=ada", installation.secret("password", "difference"),
                    "displayName=Ada Lovelace",
                    "--json")
                #expect(created.output == "{\"username\":\"ada\",\"displayName\":\"Ada Lovelace\"}\n")
                // Any caller may create the first account; after that a session needs a login.
                let second = try await installation.scenebus(
                    "request", "accountCreate", "username=bob", installation.secret("password", "difference"),
                    "--session", id)
                #expect(second.code == 1)
                #expect(second.error.contains("log in to create another account"))

                try await installation.until("deps", "get", "alerts", "--json") { $0.output.contains("memory") }
                let early = try await installation.scenebus("request", "alertAcknowledge", "id=memory")
                #expect(early.code == 1)
                #expect(early.error.contains("log in to acknowledge"))

                let wrong = try await installation.scenebus(
                    "scene", "act", id, "login", "username=ada", installation.secret("password", "indifference"))
                #expect(wrong.code == 1)
                #expect(wrong.error.contains("User name or password is wrong"))
                #expect(try await installation.scenebus("deps", "get", "account").code == 4)

                let login = try await installation.scenebus(
                    "scene", "act", id, "login", "username=ada", installation.secret("password", "difference"))
                #expect(login.code == 0, "\(login.error)")
                #expect(login.output.hasPrefix("Overview"))
                #expect(login.output.contains("Logged in as Ada Lovelace"))
                let account = try await installation.scenebus("deps", "get", "account@\(id)", "--json")
                #expect(account.output.contains("\"ada\""))

                let acknowledged = try await installation.scenebus(
                    "request", "alertAcknowledge", "id=memory", "--json", "--session", id)
                #expect(acknowledged.code == 0, "\(acknowledged.error)")
                #expect(acknowledged.output.contains("ada"))
                try await installation.until("deps", "get", "alerts", "--json") { !$0.output.contains("memory") }

                let logout = try await installation.scenebus("request", "accountLogout", "--session", id)
                #expect(logout.code == 0)
                let late = try await installation.scenebus(
                    "request", "accountChangePassword", installation.secret("password", "difference"),
                    installation.secret("newPassword", "differences"), "--session", id)
                #expect(late.code == 1)
                #expect(late.error.contains("log in"))
                try await installation.until("scene", "show", id) { $0.output.hasPrefix("Log in") }
            }
        }
    }
}
