// A build without the trait has no console.
#if Console
    import Foundation
    import Testing

    extension PluginProcessTests {
        /// The sessions that browsers have for themselves.
        @Suite(.timeLimit(.minutes(5)))
        struct ConsoleOwnSessionTests {
            private static let path = "/open/ControlRoom"
            /// What a browser says that follows a link of the console's own pages, and one of another site.
            private static let ownPage = ["Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"]
            private static let otherSite = [
                "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
            ]
            private static let allowed = ["--configure", "console.open=[\"ControlRoom\"]"]

            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            /// Visits the address, and returns the page to which it leads.
            private func open(_ browser: ConsoleBrowser) async throws -> String {
                let reply = try await browser.get(Self.path, headers: Self.ownPage)
                #expect(reply.status == 303, "\(reply)")
                let page = try #require(reply.headers["location"])
                #expect(page.hasPrefix("/scenes/browser-"))
                return page
            }

            private func sessions() async throws -> [String] {
                let sessions: [SessionReply] = try await installation.scenebus("sessions", "ls", "--json").json()
                return sessions.map(\.session)
            }

            @Test("Each browser has a session of its own, which outlives the worker and the console")
            func own() async throws {
                try await installation.withConsole(Self.allowed) { session in
                    let browser = try await installation.browser()
                    #expect(try await browser.get("/").body.contains("href=\"\(Self.path)\""))
                    let page = try await open(browser)
                    let shown = try await browser.get(page)
                    #expect(shown.status == 200 && shown.body.contains("User name"), "\(shown.body)")
                    #expect(try await open(browser) == page)
                    let other = try await installation.browser()
                    #expect(try await open(other) != page)

                    let own = String(page.dropFirst("/scenes/".count))
                    let status: SessionReply = try await installation.scenebus("sessions", "show", own, "--json").json()
                    #expect(kill(try #require(status.pid), SIGKILL) == 0)
                    #expect(try await open(browser) == page)
                    try await installation.killConsole()
                    #expect(try await open(browser) == page)
                    #expect(try await sessions().count == 3)
                }
            }

            @Test("A session that was closed is opened again at the next visit")
            func closed() async throws {
                try await installation.withConsole(Self.allowed) { _ in
                    let browser = try await installation.browser()
                    let own = try await String(open(browser).dropFirst("/scenes/".count))
                    #expect(try await installation.scenebus("sessions", "close", own).code == 0)
                    let page = try await open(browser)
                    #expect(try await browser.get(page).status == 200)
                    #expect(try await sessions().count == 2)
                }
            }

            @Test("Who leaves the console is told before which sessions of the browser's own stay behind")
            func leaving() async throws {
                try await installation.withConsole(Self.allowed) { _ in
                    let browser = try await installation.browser()
                    let own = try await String(open(browser).dropFirst("/scenes/".count))
                    #expect(try await browser.get("/").body.contains("ControlRoom (your own)"))
                    let token = try await browser.formToken()
                    let question = try await browser.request("POST", "/logout", body: "token=\(token)")
                    #expect(question.status == 200 && question.body.contains(own), "\(question.body)")
                    #expect(question.body.contains("name=\"confirmed\""))
                    #expect(try await browser.get("/").status == 200)
                    let left = try await browser.request("POST", "/logout", body: "token=\(token)&confirmed=1")
                    #expect(left.status == 401 && left.body.contains("You have logged out"), "\(left.body)")
                    #expect(try await browser.get("/").status == 401)
                    #expect(try await sessions().contains(own))
                }
            }

            @Test("After the host was killed, or ended, and started again, a browser finds its session")
            func hostRestart() async throws {
                var known: (browser: ConsoleBrowser, page: String)?
                for signal in [SIGKILL, SIGTERM, SIGTERM] {
                    try await installation.withConsole(Self.allowed, keepsStore: true, ends: signal) { _ in
                        guard let (browser, page) = known else {
                            let browser = try await installation.browser()
                            known = (browser, try await open(browser))
                            return
                        }
                        // The link is there as soon as the console listens.
                        let link = try await installation.consoleLink()
                        #expect(try ConsoleBrowser(link: link).port == browser.port)
                        #expect(try await sessions().contains(String(page.dropFirst("/scenes/".count))))
                        #expect(try await open(browser) == page)
                    }
                }
            }

            @Test("Only who is logged in has one, and only of the configurations that are allowed")
            func refusals() async throws {
                try await installation.withConsole { _ in
                    let browser = try await installation.browser()
                    var stranger = browser
                    stranger.cookie = nil
                    #expect(try await stranger.get(Self.path).status == 401)
                    let refused = try await browser.get(Self.path)
                    #expect(refused.status == 404 && refused.body.contains("configuration"), "\(refused.body)")
                    #expect(try await !browser.get("/").body.contains(Self.path))
                    #expect(try await sessions().count == 1)
                }
            }

            @Test("A link of another site opens no session: the page asks, and only its own form opens one")
            func otherSite() async throws {
                try await installation.withConsole(Self.allowed) { _ in
                    let browser = try await installation.browser()
                    var withoutCookie = browser
                    withoutCookie.cookie = nil
                    // The browser leaves out the cookie, and is sent on to an address that asks.
                    let first = try await withoutCookie.get(Self.path, headers: Self.otherSite)
                    let next = try #require(first.body.firstMatch(of: /content="0;url=([^"]+)"/)).1
                    #expect(first.status == 200 && first.headers["set-cookie"] == nil)
                    for page in [
                        try await browser.get(String(next), headers: Self.ownPage),
                        // One that sends the cookie, and ones that do not say where the link was.
                        try await browser.get(
                            Self.path, headers: Self.otherSite.merging(["Sec-Fetch-Site": "same-site"]) { $1 }),
                        try await browser.get(Self.path),
                        try await browser.request("HEAD", Self.path, headers: Self.ownPage),
                    ] {
                        #expect(page.status == 200 && page.headers["location"] == nil, "\(page)")
                    }
                    let asked = try await browser.get(String(next), headers: Self.ownPage).body
                    #expect(asked.contains("action=\"\(Self.path)\""), "\(asked)")
                    #expect(try await browser.post(Self.path, [:]).status == 403)
                    #expect(
                        try await browser.request("POST", Self.path, headers: ["Origin": "http://evil.example"]).status
                            == 403)
                    #expect(try await sessions().count == 1)

                    let token = try await browser.formToken(of: String(next))
                    let opened = try await browser.request("POST", Self.path, body: "token=\(token)")
                    let page = try #require(opened.headers["location"])
                    #expect(opened.status == 303 && page.hasPrefix("/scenes/browser-"), "\(opened)")
                    #expect(try await sessions().count == 2)
                    // A session that is open can be reached from anywhere, and one that was closed is opened by the form only.
                    #expect(try await browser.get(Self.path, headers: Self.otherSite).headers["location"] == page)
                    let session = String(page.dropFirst("/scenes/".count))
                    #expect(try await installation.scenebus("sessions", "close", session).code == 0)
                    #expect(try await browser.get(Self.path, headers: Self.otherSite).status == 200)
                    #expect(try await sessions().count == 1)
                }
            }

            @Test("A session is closed when its browser no longer comes, also after a restart of the console")
            func rest() async throws {
                let arguments = Self.allowed + ["--configure", "console.openRest=1"]
                try await installation.withConsole(arguments) { session in
                    _ = try await open(try await installation.browser())
                    try await installation.killConsole()
                    // Sessions that the console has not opened stay.
                    try await installation.until("sessions", "ls", "--json", within: .seconds(60)) {
                        try $0.json([SessionReply].self).map(\.session) == [session]
                    }
                }
            }
        }
    }
#endif
