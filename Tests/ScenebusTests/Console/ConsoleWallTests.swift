// A build without the trait has no console.
#if Console
    import Foundation
    import Testing

    extension PluginProcessTests {
        /// The screens on walls.
        @Suite(.timeLimit(.minutes(5)))
        struct ConsoleWallTests {
            private static let path = "/wall/ControlRoom"

            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            /// What `consoleWalls` returns.
            private struct Wall: Decodable {
                var name: String
                var configuration: String
                var session: String
            }

            /// Makes the key of a screen.
            private func address(_ name: String) async throws -> String {
                let outcome = try await installation.until(
                    "request", "consoleWall", "configuration=ControlRoom", "name=\(name)", "--json"
                ) { $0.code == 0 }
                return try outcome.json(String.self)
            }

            /// A screen that has come once.
            private func screen(_ name: String) async throws -> ConsoleBrowser {
                let address = try await address(name)
                var screen = try ConsoleBrowser(link: address)
                #expect(try await screen.logIn(address).status == 303)
                return screen
            }

            private func walls() async throws -> [Wall] {
                try await installation.scenebus("request", "consoleWalls", "--json").json()
            }

            @Test("The key moves into a cookie of the page, which shows a scene that cannot be used")
            func view() async throws {
                try await installation.withConsole { session in
                    let address = try await address("entrance")
                    let key = try #require(URLComponents(string: address)?.queryItems?.first?.value)
                    var screen = try ConsoleBrowser(link: address)
                    let first = try await screen.logIn(address)
                    #expect(first.status == 303 && first.headers["location"] == Self.path)
                    #expect(first.headers["referrer-policy"] == "no-referrer")
                    let cookie = try #require(first.headers["set-cookie"])
                    for part in ["; Path=\(Self.path);", "; HttpOnly", "; SameSite=Strict", "; Max-Age="] {
                        #expect(cookie.contains(part), "\(cookie)")
                    }
                    let page = try await screen.get(Self.path)
                    #expect(page.status == 200 && page.body.contains("User name"), "\(page.body)")
                    #expect(page.body.contains("class=\"wall\""))
                    for part in ["<header", "<form", "<button", key] { #expect(!page.body.contains(part)) }
                    let stream = try await screen.events(at: Self.path)
                    #expect(try await stream.read { $0.contains("User name") }.contains("User name"))

                    // The key opens nothing else.
                    let token = try await screen.formToken(of: Self.path)
                    #expect(
                        try await screen.post("\(Self.path)/act", ["action": "overview", "token": token]).status == 403)
                    let fill = try await screen.post(
                        "\(Self.path)/fill", ["layer": "screen", "token": token, "field.username": "mallory"])
                    #expect(fill.status == 403 && fill.body.contains("not act"), "\(fill)")
                    for other in ["/", "/scenes/\(session)", "/open/ControlRoom"] {
                        #expect(try await screen.get(other).status == 401)
                    }
                    #expect(try await screen.get("/wall/Other").status == 403)
                    for outcome in [
                        try await installation.scenebus("audit"), try await installation.scenebus("logs", "console"),
                        try await installation.scenebus("request", "consoleWalls"),
                    ] { #expect(outcome.code == 0 && !outcome.output.contains(key)) }
                }
            }

            @Test("Without a key there is a page that loads itself again, and no login")
            func noKey() async throws {
                try await installation.withConsole { _ in
                    var screen = try await installation.browser()
                    screen.cookie = nil
                    let wrong = "\(Self.path)?device=\(String(repeating: "0", count: 64))"
                    for path in [Self.path, wrong, "\(wrong)0", "\(Self.path)?device="] {
                        let reply = try await screen.get(path)
                        #expect(reply.status == 403 && reply.headers["set-cookie"] == nil)
                        #expect(reply.body.contains("http-equiv=\"refresh\"") && !reply.body.contains("consoleLink"))
                    }
                }
            }

            @Test(
                "A screen shows its own session again after the console was killed, and a new one after that was closed"
            )
            func recovery() async throws {
                try await installation.withConsole { _ in
                    let (entrance, bar) = (try await screen("entrance"), try await screen("bar"))
                    for screen in [entrance, bar] { #expect(try await screen.get(Self.path).status == 200) }
                    let before = try await walls()
                    #expect(before.map(\.name) == ["bar", "entrance"] && Set(before.map(\.session)).count == 2)
                    try await installation.killConsole()
                    #expect(try await walls().map(\.session) == before.map(\.session))
                    let page = try await entrance.get(Self.path)
                    #expect(page.status == 200 && page.body.contains("User name"), "\(page.body)")

                    let stream = try await entrance.events(at: Self.path)
                    _ = try await stream.read { $0.contains("User name") }
                    let session = try #require(before.last).session
                    #expect(try await installation.scenebus("sessions", "close", session).code == 0)
                    _ = try await stream.read { $0.contains("event: end") }
                    let again = try await entrance.events(at: Self.path)
                    #expect(try await again.read { $0.contains("User name") }.contains("User name"))
                }
            }

            @Test("A revoked key shows nothing more, and its session is closed")
            func revoked() async throws {
                try await installation.withConsole { session in
                    let screen = try await screen("entrance")
                    let stream = try await screen.events(at: Self.path)
                    _ = try await stream.read { $0.contains("User name") }
                    let twice = try await installation.scenebus(
                        "request", "consoleWall", "configuration=ControlRoom", "name=entrance")
                    #expect(twice.code != 0 && twice.error.contains("consoleRevokeWall"), "\(twice.error)")

                    let outcome = try await installation.scenebus("request", "consoleRevokeWall", "name=entrance")
                    #expect(outcome.code == 0, "\(outcome.error)")
                    _ = try await stream.read { $0.contains("no longer allowed") }
                    #expect(try await screen.get(Self.path).status == 403)
                    #expect(try await walls().isEmpty)
                    try await installation.until("sessions", "ls", "--json") {
                        try $0.json([SessionReply].self).map(\.session) == [session]
                    }
                    let unknown = try await installation.scenebus("request", "consoleRevokeWall", "name=entrance")
                    #expect(unknown.code != 0 && unknown.error.contains("no wall"), "\(unknown.error)")
                }
            }

            @Test("While the file cannot be written, no key is given, and who revokes one is told so")
            func unwritable() async throws {
                let folder = "\(installation.folder)/kept"
                try await installation.withConsole(["--configure", "console.file=\(folder)/logins"]) { _ in
                    _ = try await address("entrance")
                    let files = FileManager.default
                    try files.moveItem(atPath: folder, toPath: "\(folder).away")
                    #expect(files.createFile(atPath: folder, contents: nil))
                    let added = try await installation.scenebus(
                        "request", "consoleWall", "configuration=ControlRoom", "name=bar")
                    #expect(added.code != 0 && added.error.contains("not added"), "\(added.error)")
                    let revoked = try await installation.scenebus("request", "consoleRevokeWall", "name=entrance")
                    #expect(revoked.code != 0 && revoked.error.contains("restart"), "\(revoked.error)")
                    #expect(try await walls().isEmpty)
                    try files.removeItem(atPath: folder)
                    try files.moveItem(atPath: "\(folder).away", toPath: folder)
                    try await installation.until("logs", "console", within: .seconds(60)) {
                        $0.output.contains("can be written again")
                    }
                    try await installation.killConsole()
                    #expect(try await walls().isEmpty)
                }
            }

            @Test("A file that cannot be read is put aside, so that the keys in it can be had again")
            func unreadable() async throws {
                let file = "\(installation.folder)/kept/logins"
                try await installation.withConsole(["--configure", "console.file=\(file)"]) { _ in
                    _ = try await screen("entrance")
                    let kept = try String(contentsOfFile: file, encoding: .utf8)
                    #expect(kept.contains("wall "))
                    // Nobody else may read it: the console takes nothing from a file that others have seen.
                    #expect(chmod(file, 0o644) == 0)
                    try await installation.killConsole()
                    #expect(try await walls().isEmpty)
                    let aside = try String(contentsOfFile: "\(file).unreadable", encoding: .utf8)
                    #expect(aside.contains("wall "))
                }
            }

            @Test("Where walls may be used, an action is performed in the screen's session")
            func use() async throws {
                try await installation.withConsole(["--configure", "console.walls=use"]) { session in
                    let screen = try await screen("entrance")
                    let act = "\(Self.path)/act"
                    let token = try await screen.formToken(of: Self.path)
                    #expect(try await screen.post(act, ["action": "overview"]).status == 403)
                    let reply = try await screen.post(
                        act,
                        [
                            "action": "create", "token": token, "field.username": "ada",
                            "field.password": "difference",
                        ])
                    #expect(reply.status == 200, "\(reply.body)")
                    let own = try #require(try await walls().first).session
                    try await installation.until("scene", "show", own) { $0.output.contains("Logged in as ada") }
                }
            }

            @Test("A screen with a link and an access of its own can be used where others only show")
            func links() async throws {
                try await installation.withConsole { _ in
                    let outcome = try await installation.until(
                        "request", "consoleWall", "configuration=ControlRoom", "name=door", "access=use",
                        "url=controlroom://process/1", "--json"
                    ) { $0.code == 0 }
                    let address = try outcome.json(String.self)
                    var door = try ConsoleBrowser(link: address)
                    _ = try await door.logIn(address)
                    let bar = try await screen("bar")
                    #expect(try await bar.get(Self.path).body.contains("<form") == false)
                    #expect(try await door.get(Self.path).body.contains("<form"))
                    let wrong = try await installation.scenebus(
                        "request", "consoleWall", "configuration=ControlRoom", "name=x", "url=door-101")
                    #expect(wrong.code != 0 && wrong.error.contains("sign://101"), "\(wrong.error)")
                }
            }
        }
    }
#endif
