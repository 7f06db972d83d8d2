// A build without the trait has no console.
#if Console
    import Foundation
    import Testing

    extension PluginProcessTests {
        /// The users of the accounts plugin, who log in to the console.
        @Suite(.timeLimit(.minutes(5)))
        struct ConsoleUserTests {
            private static let users = ["--configure", "console.users=accounts"]

            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            /// Creates the first account, and returns a browser that is not logged in.
            private func stranger(_ account: String) async throws -> ConsoleBrowser {
                let created = try await installation.scenebus(
                    "request", "accountCreate", "username=\(account)", installation.secret("password", "difference"))
                #expect(created.code == 0, "\(created.error)")
                return try ConsoleBrowser(link: try await installation.consoleLink())
            }

            /// Posts the form as a browser without script does.
            private func logIn(
                _ browser: ConsoleBrowser, _ account: String, _ password: String, headers: [String: String] = [:]
            ) async throws -> HTTPReply {
                try await browser.request(
                    "POST", "/login", headers: headers, body: "username=\(account)&password=\(password)")
            }

            @Test("A user logs in with the account's password, and what the user does is the user's act")
            func login() async throws {
                try await installation.withConsole(Self.users) { session in
                    var browser = try await stranger("ada")
                    let page = try await browser.get("/")
                    #expect(page.status == 401 && page.body.contains("action=\"/login\""), "\(page.body)")
                    #expect(page.body.contains("scenebus request consoleLink"))

                    for (account, password) in [("ada", "indifference"), ("nobody", "difference"), ("ada", "")] {
                        let wrong = try await logIn(browser, account, password)
                        #expect(wrong.status == 401 && wrong.headers["set-cookie"] == nil, "\(wrong)")
                        #expect(!wrong.body.contains("indifference"))
                    }
                    for headers in [["Origin": "http://evil.example"], ["Sec-Fetch-Site": "cross-site"]] {
                        #expect(try await logIn(browser, "ada", "difference", headers: headers).status == 403)
                    }
                    let large = String(repeating: "x", count: 8 << 10)
                    #expect(try await logIn(browser, "ada", large).status == 413)

                    let right = try await logIn(browser, "ada", "difference")
                    #expect(right.status == 303 && right.headers["location"] == "/", "\(right)")
                    browser.cookie = right.headers["set-cookie"].map { String($0.prefix { $0 != ";" }) }
                    let sessions = try await browser.get("/")
                    #expect(sessions.status == 200 && sessions.body.contains("<bdi>ada</bdi>"), "\(sessions.body)")
                    let token = try await browser.formToken()
                    let act = "/scenes/\(session)/act"
                    #expect(try await browser.post(act, ["action": "overview", "token": token]).status == 200)
                    let entries = try await audit()
                    #expect(entries.contains { $0.user == "ada" && $0.peer == "console" }, "\(entries)")

                    // The user is known after a restart, and the link still logs in without a user.
                    try await installation.killConsole()
                    #expect(try await browser.get("/").body.contains("<bdi>ada</bdi>"))
                    let other = try await installation.browser()
                    #expect(try await other.get("/").body.contains("<bdi>user</bdi>"))

                    for command in [["audit", "--json"], ["logs", "console"], ["logs", "accounts"]] {
                        let shown = try await installation.run("\(Installation.executables)/scenebus", command)
                        #expect(!shown.output.contains("difference"), "\(command): \(shown.output)")
                    }
                    #expect(try await browser.post("/logout", ["token": token]).status == 401)
                    #expect(try await browser.get("/").status == 401)
                }
            }

            @Test("The form leads to the page that was asked for, also after a wrong password, and to no other site")
            func asked() async throws {
                let options = Self.users + ["--configure", "console.open=[\"ControlRoom\"]"]
                try await installation.withConsole(options) { _ in
                    let browser = try await stranger("ada")
                    let hidden = "name=\"asked\" value=\"/open/ControlRoom\""
                    let page = try await browser.get("/open/ControlRoom")
                    #expect(page.status == 401 && page.body.contains(hidden), "\(page.body)")
                    func logIn(_ password: String, asked: String) async throws -> HTTPReply {
                        let body = "username=ada&password=\(password)&asked=\(asked)"
                        return try await browser.request("POST", "/login", body: body)
                    }
                    let wrong = try await logIn("indifference", asked: "%2Fopen%2FControlRoom")
                    #expect(wrong.status == 401 && wrong.body.contains(hidden), "\(wrong.body)")
                    let right = try await logIn("difference", asked: "%2Fopen%2FControlRoom")
                    #expect(right.status == 303 && right.headers["location"] == "/open/ControlRoom", "\(right)")
                    for asked in ["%2F%2Fevil.example", "https%3A%2F%2Fevil.example", "%2Fnowhere", ""] {
                        #expect(try await logIn("difference", asked: asked).headers["location"] == "/")
                    }
                }
            }

            private struct Entry: Decodable {
                var peer: String
                var user: String?
                var action: String
            }

            private func audit() async throws -> [Entry] {
                try await installation.scenebus("audit", "--json").json()
            }

            @Test("A user who may only see changes nothing")
            func viewer() async throws {
                let viewers = [
                    "--configure", "console.viewers=[\"ADA\"]", "--configure", "console.open=[\"ControlRoom\"]",
                ]
                try await installation.withConsole(Self.users + viewers) { session in
                    var browser = try await stranger("ada")
                    let reply = try await logIn(browser, "ada", "difference")
                    browser.cookie = reply.headers["set-cookie"].map { String($0.prefix { $0 != ";" }) }
                    let token = try await browser.formToken()
                    let act = ["action": "overview", "token": token]
                    #expect(try await browser.post("/scenes/\(session)/act", act).status == 403)
                    #expect(try await browser.get("/open/ControlRoom").status == 403)
                    let close = "/sessions/\(session)/close"
                    #expect(try await browser.get(close).status == 403)
                    #expect(try await browser.post(close, ["token": token]).status == 403)
                    #expect(try await !browser.get("/sessions/\(session)").body.contains(close))
                    #expect(try await !browser.get("/").body.contains("/open/"))
                }
            }

            @Test(
                "A user who has only the user's own sees no other session, worker or entry, and uses and closes the own one"
            )
            func confined() async throws {
                let options =
                    Self.users + ["--configure", "console.own=*", "--configure", "console.open=[\"ControlRoom\"]"]
                try await installation.withConsole(options) { session in
                    var browser = try await stranger("ada")
                    let reply = try await logIn(browser, "ada", "difference")
                    browser.cookie = reply.headers["set-cookie"].map { String($0.prefix { $0 != ";" }) }
                    let here = ["Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"]
                    let opened = try await browser.get("/open/ControlRoom", headers: here)
                    let page = try #require(opened.headers["location"])
                    let own = String(page.dropFirst("/scenes/".count))
                    let start = try await browser.get("/")
                    #expect(start.status == 200 && start.body.contains(own), "\(start.body)")
                    #expect(!start.body.contains(session) && !start.body.contains("controlroom-1"))

                    let token = try await browser.formToken()
                    for path in ["/scenes/\(session)", "/scenes/\(session)/events", "/sessions/\(session)", "/entries"]
                    {
                        #expect(try await browser.get(path).status == 404, "\(path)")
                    }
                    let act = ["action": "overview", "token": token]
                    #expect(try await browser.post("/scenes/\(session)/act", act).status == 404)
                    #expect(try await browser.post("/scenes/\(session)/fill", act).status == 404)
                    #expect(try await browser.post("/sessions/\(session)/close", ["token": token]).status == 404)
                    #expect(try await browser.get(page).status == 200)
                    #expect(try await browser.post("\(page)/act", act).status != 404)
                    let closed = try await browser.request("POST", "/sessions/\(own)/close", body: "token=\(token)")
                    #expect(closed.status == 200, "\(closed)")
                    // Who has come with a link sees all.
                    #expect(try await installation.browser().get("/").body.contains(session))
                }
            }

            @Test(
                "A user closes the sessions that are the user's own, and an administrator closes any: it is the user's act",
                arguments: [false, true])
            func close(isAdministrator: Bool) async throws {
                let options =
                    Self.users + ["--configure", "console.open=[\"ControlRoom\"]"]
                    + (isAdministrator ? ["--configure", "console.administrators=[\"ADA\"]"] : [])
                try await installation.withConsole(options) { session in
                    var browser = try await stranger("ada")
                    let reply = try await logIn(browser, "ada", "difference")
                    browser.cookie = reply.headers["set-cookie"].map { String($0.prefix { $0 != ";" }) }
                    let token = try await browser.formToken()
                    func close(_ session: String) async throws -> Int {
                        let page = try await browser.get("/sessions/\(session)/close")
                        let closed = try await browser.request(
                            "POST", "/sessions/\(session)/close", body: "token=\(token)")
                        #expect(page.status == closed.status)
                        return closed.status
                    }
                    #expect(try await close(session) == (isAdministrator ? 200 : 403))
                    let ownPage = ["Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"]
                    let opened = try await browser.get("/open/ControlRoom", headers: ownPage)
                    let location = try #require(opened.headers["location"])
                    #expect(try await close(String(location.dropFirst("/scenes/".count))) == 200)
                    let acts = try await audit().filter { $0.action == "hostCloseSession" }
                    #expect(acts.count == (isAdministrator ? 2 : 1), "\(acts)")
                    #expect(acts.allSatisfy { $0.user == "ada" && $0.peer == "console" }, "\(acts)")
                }
            }

            @Test("A name with too many wrong passwords is refused for a time, and a link logs in meanwhile")
            func guesses() async throws {
                try await installation.withConsole(Self.users) { _ in
                    let browser = try await stranger("ada")
                    var replies: [Int] = []
                    for _ in 0..<5 { replies.append(try await logIn(browser, "ada", "indifference").status) }
                    #expect(replies == [401, 401, 401, 401, 401])
                    let refused = try await logIn(browser, "ada", "difference")
                    #expect(refused.status == 429 && refused.body.contains("try again"), "\(refused)")
                    #expect(try await installation.browser().get("/").status == 200)
                }
            }

            @Test("Without the accounts plugin, the page says so, and a link logs in; without users, there is no form")
            func away() async throws {
                for (options, status) in [(Self.users, 503), ([], 403)] {
                    let arguments = ["host", "--no-store", "--plugins", Installation.console] + options
                    _ = try await installation.run("\(Installation.executables)/scenebus", arguments) { host in
                        let browser = try await installation.browser()
                        var stranger = browser
                        stranger.cookie = nil
                        let reply = try await logIn(stranger, "ada", "difference")
                        #expect(reply.status == status && reply.headers["set-cookie"] == nil, "\(reply)")
                        #expect(reply.body.contains("accounts cannot be reached") == (status == 503))
                        let page = try await stranger.get("/").body
                        #expect(page.contains("action=\"/login\"") == (status == 503), "\(page)")
                        #expect(try await browser.get("/").status == 200)
                        try host.send(SIGTERM)
                    }
                }
            }
        }
    }
#endif
