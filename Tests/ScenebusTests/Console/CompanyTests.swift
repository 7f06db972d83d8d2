// A build without the trait has no console.
#if Console
    import Foundation
    import TestKit
    import Testing

    extension PluginProcessTests {
        /// Those who look at one scene, and are told of each other.
        @Suite(.timeLimit(.minutes(5)))
        struct CompanyTests {
            private static let users = ["--configure", "console.users=accounts"]
            private static let company = "document.getElementById('company').innerText"
            private static let title = "document.querySelector('h1').getBoundingClientRect().top"

            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            /// Creates the account of Ada, whose password is "difference".
            private func createAda() async throws {
                let created = try await installation.scenebus(
                    "request", "accountCreate", "username=ada", installation.secret("password", "difference"))
                #expect(created.code == 0, "\(created.error)")
            }

            private func open(_ session: String, in browser: Browser) async throws {
                try await browser.until("document.querySelector(\"a[href='/scenes/\(session)']\") !== null")
                try await browser.click("a[href='/scenes/\(session)']")
                try await browser.until("document.querySelector('h1') !== null")
            }

            @Test(
                "Two browsers and a program in one scene see each other, and nothing moves for it",
                .enabled(if: Browser.obstacle == nil, "\(Browser.obstacle ?? "")"))
            func browsers() async throws {
                try await installation.withConsole(Self.users) { session in
                    try await createAda()
                    let link = try await installation.consoleLink()
                    try await Browser.run(in: installation, of: "desk") { desk in
                        try await desk.open(link)
                        try await open(session, in: desk)
                        let top = try await desk.value(of: Self.title)
                        #expect(try await desk.value(of: Self.company) == "")
                        let port = try #require(URL(string: link)?.port)
                        try await Browser.run(in: installation, of: "ada") { ada in
                            try await ada.open("http://127.0.0.1:\(port)/")
                            try await ada.type("ada", into: "#username")
                            try await ada.type("difference", into: "#password")
                            try await ada.click("form.login button")
                            try await open(session, in: ada)
                            try await ada.until("\(Self.company) === 'Also here: browser'")
                            try await desk.until("\(Self.company) === 'Also here: ada'")
                            #expect(try await desk.value(of: Self.title) == top)
                            try await installation.watching(session) { watch in
                                try await desk.until("\(Self.company) === 'Also here: ada, command line'")
                                try await ada.until("\(Self.company) === 'Also here: browser, command line'")
                                try await watch.until { $0.others.map(\.name).contains("ada") && $0.others.count == 2 }
                            }
                            try await ada.until("\(Self.company) === 'Also here: browser'")
                        }
                        try await desk.until("\(Self.company) === ''")
                        #expect(try await desk.value(of: Self.title) == top)
                    }
                }
            }

            @Test("A page says who else looks when it is loaded, and the other one's stream tells of its reader")
            func plain() async throws {
                try await installation.withConsole { session in
                    let one = try await installation.browser()
                    let two = try await installation.browser()
                    let stream = try await one.events(of: session)
                    _ = try await stream.read { $0.contains("User name") }
                    let page = try await two.get("/scenes/\(session)").body
                    #expect(page.contains("<p id=\"company\">Also here: <bdi>browser</bdi></p>"), "\(page)")
                    // What changes is told to the stream of the other one.
                    let told = try await stream.read {
                        $0.contains("event: company\ndata: \"<p id=") && $0.contains("browser")
                    }
                    #expect(told.contains("Also here"), "\(told)")
                }
            }

            @Test("A screen on a wall is named to others, and names nobody itself, since everybody reads it")
            func wall() async throws {
                try await installation.withConsole { _ in
                    let made = try await installation.until(
                        "request", "consoleWall", "configuration=ControlRoom", "name=front-desk", "--json"
                    ) { $0.code == 0 }
                    let address = try made.json(String.self)
                    var screen = try ConsoleBrowser(link: address)
                    #expect(try await screen.logIn(address).status == 303)
                    let stream = try await screen.events(at: "/wall/ControlRoom")
                    _ = try await stream.read { $0.contains("User name") }
                    let walls: [Wall] = try await installation.scenebus("request", "consoleWalls", "--json").json()
                    let session = try #require(walls.first?.session)
                    let browser = try await installation.browser()
                    let page = try await browser.get("/scenes/\(session)").body
                    #expect(page.contains("Also here: <bdi>&quot;front-desk&quot; (wall)</bdi>"), "\(page)")
                    let other = try await browser.events(of: session)
                    _ = try await other.read { $0.contains("front-desk") }
                    let told = try await stream.read { $0.contains("event: alive") }
                    #expect(!told.contains("event: company"), "\(told)")
                    let shown = try await screen.get("/wall/ControlRoom").body
                    #expect(!shown.contains("Also here") && shown.contains("User name"), "\(shown)")
                }
            }

            private struct Wall: Decodable {
                var session: String
            }
        }
    }

    extension Installation {
        /// Watches a scene as a program does.
        fileprivate func watching(_ session: String, _ body: (SceneWatchOutput) async throws -> Void) async throws {
            let output = SceneWatchOutput(file: "\(folder)/watched")
            let command = "exec \(Self.executables)/scenebus scene watch \(session) --json > \(output.file)"
            _ = try await run("sh", ["-c", command]) { watch in
                try await body(output)
                try watch.send(SIGTERM)
            }
        }
    }

    /// What `scene watch --json` has printed.
    private struct SceneWatchOutput {
        struct Line: Decodable {
            struct Other: Decodable {
                var surface: String
                var name: String?
            }

            private enum CodingKeys: String, CodingKey { case others }

            var others: [Other]

            init(from decoder: any Decoder) throws {
                let fields = try decoder.container(keyedBy: CodingKeys.self)
                others = try fields.decodeIfPresent([Other].self, forKey: .others) ?? []
            }
        }

        let file: String

        /// Waits until the last line is as wanted.
        func until(_ isWanted: (Line) -> Bool) async throws {
            try await TestKit.until("the last line is as wanted", every: .milliseconds(50)) {
                let lines = ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n")
                // The last one may not be complete yet.
                let line = lines.last.flatMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
                return line.map(isWanted) ?? false
            }
        }
    }
#endif
