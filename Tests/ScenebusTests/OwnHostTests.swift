import Foundation
import Testing

extension PluginProcessTests {
    /// A host of one's own, whose executable has no plugin of SceneBus beside it.
    @Suite(.timeLimit(.minutes(5)))
    struct OwnHostTests {
        let installation: Installation

        init() throws {
            // The copy of a program is large.
            installation = try Installation(isLarge: true)
        }

        private var accounts: String { "\(Installation.plugins)/Accounts" }

        /// Runs the host, with a copy of its program in a folder of its own.
        /// - Parameter path: what is put in front of its `PATH`.
        private func withHost(
            path: String, _ arguments: String..., body: () async throws -> Void
        ) async throws -> Outcome {
            let program = "\(installation.folder)/own/hotel-host"
            if !FileManager.default.fileExists(atPath: program) {
                try FileManager.default.createDirectory(
                    atPath: "\(installation.folder)/own", withIntermediateDirectories: true)
                try FileManager.default.copyItem(atPath: "\(Installation.executables)/posting-app", toPath: program)
            }
            return try await installation.run(
                "sh",
                [
                    "-c", "PATH=$0:/usr/bin:/bin POSTING_ROLE=host exec \"$@\"", path, program, "--no-store",
                    "--plugins", accounts,
                ] + arguments
            ) { host in
                let wait = try await installation.scenebus("wait", "--timeout", "30")
                #expect(wait.code == 0, "\(wait.error)")
                try await body()
                try host.send(SIGTERM)
            }
        }

        private func create(_ name: String) async throws -> Outcome {
            try await installation.scenebus(
                "request", "accountCreate", "username=\(name)", installation.secret("password", "difference"))
        }

        @Test("It runs a plugin that is beside the scenebus on its PATH, with a value that an option replaces")
        func accountsPlugin() async throws {
            let file = "\(installation.folder)/people"
            let outcome = try await withHost(
                path: Installation.executables, "--configure", "accounts.file=\(file)"
            ) {
                let wait = try await installation.scenebus("wait", "--plugins", "--timeout", "30")
                #expect(wait.code == 0, "\(wait.error)")
                for name in ["ada", "mei"] {
                    let created = try await create(name)
                    #expect(created.code == 0, "\(created.error)")
                }
                #expect(FileManager.default.fileExists(atPath: file))
            }
            #expect(outcome.code == 0, "\(outcome.error)")
        }

        @Test("Without scenebus on its PATH it says where it has looked, and that a message's plugin is not attached")
        func notFound() async throws {
            let outcome = try await withHost(path: "/nowhere") {
                let shown = try await installation.until("plugins", "ls", "--json") {
                    try $0.json([PluginReply].self).first?.problem != nil
                }
                let problem = try #require(try shown.json([PluginReply].self).first?.problem)
                #expect(problem.contains("\(installation.folder)/own/accounts-plugin"), "\(problem)")
                #expect(problem.contains("put the folder of 'scenebus' on the host's PATH"), "\(problem)")
                // In the first seconds, a request waits for its plugin.
                let created = try await installation.until(
                    "request", "accountCreate", "username=ada", installation.secret("password", "difference"),
                    within: .seconds(60)
                ) { $0.code == 4 }
                #expect(created.error.contains("'accounts' handles it, and is not attached"), "\(created.error)")
                #expect(!created.error.contains("pass the list of its messages"), "\(created.error)")
            }
            #expect(outcome.code == 0, "\(outcome.error)")
        }

        @Test("It refuses a secret among its arguments, as 'scenebus host' does")
        func secret() async throws {
            let outcome = try await installation.run(
                "env",
                [
                    "POSTING_ROLE=host", "\(Installation.executables)/posting-app", "--no-store", "--configure",
                    "mail.smtp.password=hunter2",
                ])
            #expect(outcome.code == 2)
            #expect(outcome.error.contains("or as mail.smtp.password@FILE"), "\(outcome.error)")
            #expect(!outcome.error.contains("hunter2"))
        }

        @Test("A message that nobody handles may lack its list; with a name like the host's own, the host may be old")
        func advice() async throws {
            let outcome = try await withHost(path: Installation.executables) {
                let own = try await installation.scenebus("request", "hotelCheckIn")
                #expect(own.error.contains("if TallyDelegate handles it, pass the list"), "\(own.error)")
                #expect(!own.error.contains("newer"), "\(own.error)")
                let later = try await installation.scenebus("request", "hostSingInTheLobby")
                #expect(later.code == 4)
                #expect(later.error.contains("its sender is newer than this host"), "\(later.error)")
            }
            #expect(outcome.code == 0, "\(outcome.error)")
        }
    }
}
