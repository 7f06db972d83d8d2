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
