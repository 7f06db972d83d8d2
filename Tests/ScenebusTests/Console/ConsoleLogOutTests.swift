// A build without the trait has no console.
#if Console
    import Foundation
    import TestKit
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
                    // When a wall is added, the file is there.
                    _ = try await screen()
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

            /// Takes a port, from the time that it has made a file until it is ended.
            private static let taking = """
                use IO::Socket::INET; $| = 1; \
                my $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $ARGV[0], Listen => 1, ReuseAddr => 1) or die "$!"; \
                open(my $f, ">", $ARGV[1]) or die "$!"; close($f); sleep 600;
                """

            private static let canTake =
                geteuid() == 0
                && ["/usr/bin/setpriv", "/usr/bin/perl"].allSatisfy(FileManager.default.isExecutableFile)

            @Test(
                "A program of another user that has taken the port ends all logins, and the keys of screens on walls",
                .enabled(if: canTake, "only root can be another user, with setpriv and perl"))
            func taken() async throws {
                var known: (browser: ConsoleBrowser, screen: ConsoleBrowser)?
                try await installation.withConsole(keepsStore: true) { _ in
                    known = (try await installation.browser(), try await screen())
                }
                let (browser, entrance) = try #require(known)
                let folder = "\(installation.folder)/taken"
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                // The other user writes there.
                #expect(chmod(folder, 0o777) == 0 && chmod(installation.folder, 0o755) == 0)
                let arguments = [
                    "--reuid=65534", "--clear-groups", "/usr/bin/perl", "-e", Self.taking, "\(browser.port)",
                    "\(folder)/listens",
                ]
                _ = try await installation.run("/usr/bin/setpriv", arguments) { thief in
                    try await until("the port is taken") {
                        try #require(kill(thief.pid, 0) == 0)
                        return FileManager.default.fileExists(atPath: "\(folder)/listens")
                    }
                    try await installation.withConsole(keepsStore: true) { _ in
                        let port = try ConsoleBrowser(link: try await installation.consoleLink()).port
                        try #require(port != browser.port)
                        // What it was sent is worth nothing under the new name, either.
                        for (visitor, path, status) in [(browser, "/", 401), (entrance, Self.wall, 403)] {
                            var copy = visitor
                            copy.port = port
                            copy.cookie = visitor.cookie?.replacing("-\(visitor.port)", with: "-\(port)")
                            #expect(try await copy.get(path).status == status)
                        }
                        let walls = try await installation.scenebus("request", "consoleWalls", "--json")
                        #expect(try walls.json([Wall].self).isEmpty)
                        try await installation.until("logs", "console") {
                            $0.output.contains("another user's program has the port")
                                && $0.output.contains("entrance (ControlRoom)")
                        }
                    }
                    try thief.send(SIGTERM)
                }
            }

            @Test("A port that is taken by a program of the same user ends no login")
            func own() async throws {
                var known: ConsoleBrowser?
                try await installation.withConsole(keepsStore: true) { _ in
                    known = try await installation.browser()
                    // When a wall is added, the file has the browser as well.
                    _ = try await screen()
                }
                let browser = try #require(known)
                let listener = try PortListener(port: browser.port)
                try await installation.withConsole(keepsStore: true) { _ in
                    var moved = browser
                    moved.port = try ConsoleBrowser(link: try await installation.consoleLink()).port
                    #expect(moved.port != browser.port)
                    moved.cookie = browser.cookie?.replacing("-\(browser.port)", with: "-\(moved.port)")
                    #expect(try await moved.get("/").status == 200)
                }
                withExtendedLifetime(listener) {}
            }
        }
    }
#endif
