// A build without the trait has no console.
#if Console
    import Foundation
    import Testing

    extension PluginProcessTests {
        /// Logins that end without their browsers having asked for it.
        @Suite(.timeLimit(.minutes(5)))
        struct ConsoleLogOutTests {
            private static let wall = "/wall/ControlRoom"

            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            private struct LogOut: Decodable {
                var browsers: Int
                var wallsThatStay: Int
            }

            private struct Wall: Decodable {
                var name: String
            }

            private func screen() async throws -> ConsoleBrowser {
                let address = try await installation.until(
                    "request", "consoleWall", "configuration=ControlRoom", "name=entrance", "--json"
                ) { $0.code == 0 }.json(String.self)
                var screen = try ConsoleBrowser(link: address)
                #expect(try await screen.logIn(address).status == 303)
                return screen
            }

            @Test("An operator logs all browsers out, also after a restart of the console; screens on walls stay")
            func all() async throws {
                try await installation.withConsole { session in
                    let browsers = [try await installation.browser(), try await installation.browser()]
                    let screen = try await screen()
                    let unused = try await installation.consoleLink()
                    let stream = try await browsers[0].events(of: session)
                    let wall = try await screen.events(at: Self.wall)
                    for stream in [stream, wall] { _ = try await stream.read { $0.contains("User name") } }

                    let outcome = try await installation.scenebus("request", "consoleLogOutAll", "--json")
                    let reply = try outcome.json(LogOut.self)
                    #expect(reply.browsers == 2 && reply.wallsThatStay == 1)
                    _ = try await stream.read { $0.contains("All have been logged out") }
                    for browser in browsers { #expect(try await browser.get("/").status == 401) }
                    var late = try ConsoleBrowser(link: unused)
                    #expect(try await late.logIn(unused).status == 401)
                    #expect(try await screen.get(Self.wall).status == 200)
                    try await installation.until("logs", "console") {
                        $0.output.contains("all browsers have been logged out") && $0.output.contains("operator '")
                    }

                    try await installation.killConsole()
                    for browser in browsers { #expect(try await browser.get("/").status == 401) }
                    #expect(try await screen.get(Self.wall).status == 200)
                    // Whoever has a new link comes in.
                    #expect(try await installation.browser().get("/").status == 200)
                }
            }

            @Test("While the file cannot be written, who logs all out is told that it lasts until a restart only")
            func unwritable() async throws {
                let folder = "\(installation.folder)/kept"
                try await installation.withConsole(["--configure", "console.file=\(folder)/logins"]) { _ in
                    let browser = try await installation.browser()
                    let files = FileManager.default
                    try files.moveItem(atPath: folder, toPath: "\(folder).away")
                    #expect(files.createFile(atPath: folder, contents: nil))
                    let outcome = try await installation.scenebus("request", "consoleLogOutAll")
                    #expect(outcome.code != 0 && outcome.error.contains("restart"), "\(outcome.error)")
                    #expect(try await browser.get("/").status == 401)
                    try files.removeItem(atPath: folder)
                    try files.moveItem(atPath: "\(folder).away", toPath: folder)
                }
            }
        }
    }
#endif
