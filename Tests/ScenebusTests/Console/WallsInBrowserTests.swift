// A build without the trait has no console.
#if Console
    import Foundation
    import Testing

    extension PluginProcessTests {
        /// Screens on walls and beside doors, in a real browser.
        @Suite(.timeLimit(.minutes(5)), .enabled(if: Browser.obstacle == nil, "\(Browser.obstacle ?? "")"))
        struct WallsInBrowserTests {
            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            @Test(
                "On screens of all sizes a wall is in larger type, fills its width and no more, and is quiet while all is well"
            )
            func sizes() async throws {
                try await installation.withConsole { _ in
                    let outcome = try await installation.until(
                        "request", "consoleWall", "configuration=ControlRoom", "name=door", "access=use", "--json"
                    ) { $0.code == 0 }
                    let address = try outcome.json(String.self)
                    try await Browser.run(in: installation) { browser in
                        try await browser.open(address)
                        try await browser.until("document.querySelector(\"[name='field.username']\") !== null")
                        for (width, height) in [(800, 480), (1024, 600), (600, 1024), (1000, 700), (1920, 1080)] {
                            try await browser.show(width: width, height: height)
                            try await browser.until("innerWidth === \(width)")
                            let size = try await browser.value(
                                of: "parseFloat(getComputedStyle(document.body).fontSize)")
                            #expect(try #require(Double(size)) > 20, "\(width) x \(height)")
                            #expect(
                                try await browser.value(of: "document.documentElement.scrollWidth <= innerWidth")
                                    == "true",
                                "\(width) x \(height)")
                            let share = try await browser.value(
                                of: "document.querySelector(\"[name='field.username']\").clientWidth / innerWidth")
                            #expect(try #require(Double(share)) > 0.7, "\(width) x \(height)")
                        }
                        #expect(try await browser.value(of: "document.getElementById('state').innerText") == "")
                        try await leaveText(browser)
                    }
                }
            }

            /// What somebody has typed is gone with the session.
            private func leaveText(_ browser: Browser) async throws {
                try await browser.type("secret words", into: "[name='field.password']")
                let walls = try await installation.scenebus("request", "consoleWalls", "--json").json([Wall].self)
                let closed = try await installation.scenebus("sessions", "close", try #require(walls.first).session)
                #expect(closed.code == 0, "\(closed.error)")
                try await browser.until("document.querySelector(\"[name='field.password']\").value === ''")
            }

            /// What `consoleWalls` returns.
            private struct Wall: Decodable {
                var session: String
            }

            @Test("While a killed console is away, a wall is dim and says since when, and then it goes on alone")
            func killedConsole() async throws {
                try await installation.withConsole { _ in
                    try await Browser.run(in: installation) { browser in
                        let text = try await openWall(in: browser)
                        #expect(kill(try await installation.consoleProcess(), SIGKILL) == 0)
                        try await browser.until("losses.length > 1")
                        try await expectDim(text, in: browser)
                        try await expectLive(browser)
                    }
                }
            }

            @Test("While a killed host is away, a wall is dim and says since when, and then it goes on alone")
            func killedHost() async throws {
                try await Browser.run(in: installation) { browser in
                    var text = ""
                    try await installation.withConsole(keepsStore: true, ends: SIGKILL) { _ in
                        text = try await openWall(in: browser)
                    }
                    try await browser.until("losses.length > 0")
                    try await expectDim(text, in: browser)
                    try await installation.withConsole(keepsStore: true) { _ in try await expectLive(browser) }
                }
            }

            /// Opens a wall, which from now on keeps in `losses` how it looks whenever it has lost its connection, and has it again.
            /// - Returns: what it shows.
            private func openWall(in browser: Browser) async throws -> String {
                let outcome = try await installation.until(
                    "request", "consoleWall", "configuration=ControlRoom", "name=entrance", "--json"
                ) { $0.code == 0 }
                try await browser.open(try outcome.json(String.self))
                try await browser.until("document.querySelector('.layer') !== null && \(Self.isLive)")
                // It always connects again after the time at which it says that something is lost, and never much later.
                _ = try await browser.value(
                    of: """
                        (window.losses = [], window.realTimeout = setTimeout,
                          window.setTimeout = (body, time) => realTimeout(body, body === connect ? 1500 : time),
                          new MutationObserver(() => losses.push({
                            isLost: document.documentElement.hasAttribute('data-lost'),
                            said: document.getElementById('connection').innerText,
                            filter: getComputedStyle(document.querySelector('.layer')).filter,
                            text: document.querySelector('main').innerText,
                          })).observe(document.documentElement, { attributeFilter: ['data-lost'] }))
                        """)
                let text = try await browser.value(of: "document.querySelector('main').innerText")
                #expect(text.contains("Create the first account"))
                return text
            }

            private static let isLive = """
                !document.documentElement.hasAttribute('data-lost') \
                && getComputedStyle(document.querySelector('.layer')).filter === 'none'
                """

            /// How a wall looked.
            private struct Look: Decodable {
                var isLost: Bool
                var said: String
                var filter: String
                var text: String
            }

            private func expectDim(_ text: String, in browser: Browser) async throws {
                let value = try await browser.value(of: "JSON.stringify(losses[0])")
                let look = try JSONDecoder().decode(Look.self, from: Data(value.utf8))
                #expect(look.isLost && look.filter != "none", "\(look)")
                #expect(look.said.contains("since "), "\(look)")
                #expect(look.text == text)
            }

            /// Expects that a wall shows what changes now, and that it is still the page that was opened.
            private func expectLive(_ browser: Browser) async throws {
                try await browser.until(Self.isLive)
                let created = try await installation.scenebus(
                    "request", "accountCreate", "username=ada", installation.secret("password", "difference"))
                #expect(created.code == 0, "\(created.error)")
                try await browser.until(
                    "!document.querySelector('main').innerText.includes('Create the first account') && \(Self.isLive)")
                #expect(try await browser.value(of: "losses.length > 0 && location.pathname") == "/wall/ControlRoom")
            }

            @Test("Who logs in comes to the page that was asked for, and opens it there")
            func login() async throws {
                let options = [
                    "--configure", "console.users=accounts", "--configure", "console.open=[\"ControlRoom\"]",
                ]
                try await installation.withConsole(options) { _ in
                    let created = try await installation.scenebus(
                        "request", "accountCreate", "username=ada", installation.secret("password", "difference"))
                    #expect(created.code == 0, "\(created.error)")
                    let port = try ConsoleBrowser(link: try await installation.consoleLink()).port
                    try await Browser.run(in: installation) { browser in
                        try await browser.open("http://127.0.0.1:\(port)/open/ControlRoom")
                        for (password, goal) in [
                            ("wrong words", "document.body.innerText.includes('wrong')"),
                            ("difference", "location.pathname.startsWith('/scenes/browser-')"),
                        ] {
                            try await browser.until("document.querySelector('#password')?.value === ''")
                            try await browser.type("ada", into: "#username")
                            try await browser.type(password, into: "#password")
                            try await browser.click(".login button")
                            try await browser.until(goal)
                        }
                    }
                    try await Browser.run(in: installation, of: "reader") { browser in
                        try await browser.open("http://127.0.0.1:\(port)/open/ControlRoom")
                        try await browser.until("document.querySelector('summary') !== null")
                        try await browser.open(try await installation.consoleLink())
                        try await browser.until("location.pathname.startsWith('/scenes/browser-')")
                    }
                }
            }
        }
    }
#endif
