// A build without the trait has no console.
#if Console
    import Foundation
    import Testing

    extension PluginProcessTests {
        /// The console beside a real host and the control room: logging in, pages, and what is refused.
        @Suite(.timeLimit(.minutes(5)))
        struct ConsoleProcessTests {
            /// What browsers allow the console's pages: its own files and forms, and no markup of a script's making.
            private static let policy = """
                default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
                form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
                trusted-types scenebus
                """

            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            @Test("A link logs one browser in, once; without a login there is a page that says how")
            func login() async throws {
                try await installation.withConsole { session in
                    let link = try await installation.consoleLink()
                    var browser = try ConsoleBrowser(link: link)
                    let stranger = try await browser.get("/")
                    #expect(stranger.status == 401)
                    #expect(stranger.body.contains("scenebus request consoleLink"), "\(stranger.body)")
                    #expect(!stranger.body.contains(session))

                    let login = try await browser.logIn(link)
                    #expect(login.status == 303 && login.headers["location"] == "/")
                    let cookie = try #require(login.headers["set-cookie"])
                    for part in ["scenebus-console-\(browser.port)=", "; Path=/", "; HttpOnly", "; SameSite=Strict"] {
                        #expect(cookie.contains(part))
                    }
                    let sessions = try await browser.get("/")
                    #expect(sessions.status == 200)
                    #expect(sessions.body.contains(session) && sessions.body.contains("controlroom-1"))
                    let scene = try await browser.get("/scenes/\(session)")
                    #expect(scene.status == 200 && scene.body.contains("User name"), "\(scene.body)")

                    var second = try ConsoleBrowser(link: link)
                    let used = try await second.logIn(link)
                    #expect(used.status == 401 && used.headers["set-cookie"] == nil)

                    let token = try await browser.formToken()
                    #expect(try await browser.post("/logout", ["token": token]).status == 401)
                    #expect(try await browser.get("/").status == 401)
                }
            }

            @Test("Other sites, other methods, unknown pages and forged forms are refused, each with all headers")
            func refusals() async throws {
                try await installation.withConsole { session in
                    let browser = try await installation.browser()
                    let act = "/scenes/\(session)/act"
                    let token = try await browser.formToken()
                    let replies = [
                        (try await browser.get("/", headers: ["Host": "evil.example:\(browser.port)"]), 403),
                        (try await browser.get("/", headers: ["Origin": "http://evil.example"]), 403),
                        (try await browser.get("/", headers: ["Sec-Fetch-Site": "cross-site"]), 403),
                        (
                            try await browser.request(
                                "POST", act, headers: ["Origin": "http://evil.example"],
                                body: "action=overview&token=\(token)"), 403
                        ),
                        (try await browser.post(act, ["action": "overview"]), 403),
                        (
                            try await browser.post(
                                act, ["action": "overview", "token": String(repeating: "0", count: 64)]), 403
                        ),
                        (try await browser.request("POST", act, body: "action=%"), 400),
                        (
                            try await browser.request("POST", act, headers: ["Content-Type": "text/plain"], body: "a"),
                            415
                        ),
                        (try await browser.post(act, ["x": String(repeating: "x", count: 1 << 20)]), 413),
                        (try await browser.get("/scenes/nobody"), 404), (try await browser.get("/nowhere"), 404),
                        (try await browser.request("POST", "/"), 405), (try await browser.get(act), 405),
                    ]
                    for (number, (reply, status)) in replies.enumerated() {
                        #expect(reply.status == status, "request \(number): \(reply)")
                        #expect(reply.headers["content-security-policy"] == Self.policy)
                        #expect(reply.headers["x-content-type-options"] == "nosniff")
                        #expect(reply.headers["cache-control"] == "no-store")
                    }
                    // Nothing of that has happened.
                    #expect(try await installation.scenebus("scene", "show", session).output.contains("User name"))
                }
            }

            @Test("Files of pages are kept for ever under the addresses that pages have")
            func files() async throws {
                try await installation.withConsole { _ in
                    let browser = try await installation.browser()
                    let page = try await browser.get("/").body
                    for name in ["script.js", "style.css"] {
                        let path = try #require(page.firstMatch(of: try Regex("/\(name)\\?[^\"' >]+"))).0
                        let file = try await browser.get(String(path))
                        #expect(file.status == 200 && !file.body.isEmpty)
                        #expect(file.headers["cache-control"] == "public, max-age=31536000, immutable")
                        #expect(try await browser.get("/\(name)").headers["cache-control"] == "no-store")
                    }
                }
            }

            @Test("An action is performed, and a refused one gives the reason")
            func actions() async throws {
                try await installation.withConsole { session in
                    let browser = try await installation.browser()
                    let act = "/scenes/\(session)/act"
                    let token = try await browser.formToken()
                    let wrong = try await browser.post(
                        act,
                        ["action": "create", "token": token, "field.username": "ada", "field.password": "x"])
                    #expect(wrong.status == 409)
                    #expect(wrong.body.contains("password"), "\(wrong.body)")
                    let created = try await browser.post(
                        act,
                        [
                            "action": "create", "token": token, "field.username": "ada",
                            "field.password": "difference & + ü",
                        ])
                    #expect(created.status == 200, "\(created.body)")
                    try await installation.until("scene", "show", session) { $0.output.contains("Logged in as ada") }
                    #expect(try await browser.get("/scenes/\(session)").body.contains("Logged in as ada"))
                    // Without a script, the answer leads to the page.
                    let plain = try await browser.request("POST", act, body: "action=settings&token=\(token)")
                    #expect([303, 409].contains(plain.status), "\(plain)")
                }
            }

            @Test("A form that is posted again is done once, also by the next console; another one is done")
            func again() async throws {
                try await installation.withConsole { session in
                    let browser = try await installation.browser()
                    let act = "/scenes/\(session)/act"
                    let page = try await browser.get("/scenes/\(session)").body
                    let layer = try #require(page.firstMatch(of: /name="layer" value="([^"]+)"/))
                    let form = [
                        "layer": String(layer.1), "action": "create", "token": try await browser.formToken(),
                        "identifier": "a1",
                        "field.username": "ada", "field.password": "difference",
                    ]
                    let created = try await browser.post(act, form)
                    #expect(created.status == 200, "\(created.body)")
                    try await installation.until("scene", "show", session) { $0.output.contains("Logged in as ada") }
                    // The screen has no such action any more.
                    #expect(try await browser.post(act, form).status == 200)
                    #expect(try await browser.post(act, form.merging(["identifier": "a2"]) { $1 }).status == 409)
                    try await installation.killConsole()
                    #expect(try await browser.post(act, form).status == 200)
                }
            }

            @Test("What is typed and not sent is in the session's next scene, although no page is open; no password is")
            func typed() async throws {
                try await installation.withConsole { session in
                    let browser = try await installation.browser()
                    let page = try await browser.get("/scenes/\(session)").body
                    let layer = try #require(page.firstMatch(of: /name="layer" value="([^"]+)"/))
                    let stored = try await browser.post(
                        "/scenes/\(session)/fill",
                        [
                            "layer": String(layer.1), "token": try await browser.formToken(),
                            "field.username": "ada.lovelace", "field.password": "unsaid words",
                        ])
                    #expect(stored.status == 200 && stored.body == "{\"accepted\":true}", "\(stored)")
                    let before: SessionReply = try await installation.scenebus("sessions", "show", session, "--json")
                        .json()
                    let worker = try #require(before.pid)
                    #expect(kill(worker, SIGKILL) == 0)
                    try await installation.until("sessions", "show", session, "--json") {
                        let status = try $0.json(SessionReply.self)
                        return status.pid != nil && status.pid != worker && status.problem == nil
                    }
                    let shown = try await installation.scenebus("scene", "show", session).output
                    #expect(shown.contains("ada.lovelace"), "\(shown)")
                    // A scene never shows a password, so what is stored is looked at.
                    let state = try await installation.scenebus("sessions", "show", session, "--state").output
                    #expect(state.contains("ada.lovelace") && !state.contains("unsaid words"), "\(state)")
                }
            }

            @Test("A viewer sees everything and changes nothing")
            func viewer() async throws {
                try await installation.withConsole(["--configure", "console.role=viewer"]) { session in
                    let browser = try await installation.browser()
                    let page = try await browser.get("/scenes/\(session)")
                    #expect(page.status == 200 && page.body.contains("User name"))
                    let token = try await browser.formToken()
                    let reply = try await browser.post(
                        "/scenes/\(session)/act", ["action": "overview", "token": token])
                    #expect(reply.status == 403)
                    let fill = try await browser.post(
                        "/scenes/\(session)/fill",
                        ["layer": "screen", "token": token, "field.username": "mallory"])
                    #expect(fill.status == 403 && fill.body.contains("not act"), "\(fill)")
                    let shown = try await installation.scenebus("scene", "show", session).output
                    #expect(shown.contains("User name") && !shown.contains("mallory"), "\(shown)")
                }
            }

            @Test(
                "Beyond this machine, the console needs a proxy with TLS: it ends with the reason, and harms nobody else",
                arguments: [[], ["--configure", "console.address=http://console.example.com"]] as [[String]])
            func configuration(address: [String]) async throws {
                let arguments =
                    ["host", "--no-store", "--plugins", Installation.console, "--configure", "console.listen=0.0.0.0"]
                    + address
                _ = try await installation.run("\(Installation.executables)/scenebus", arguments) { host in
                    try await installation.until("plugins", "ls") { $0.output.contains("set 'address'") }
                    #expect(try await installation.scenebus("status").code == 0)
                    try host.send(SIGTERM)
                }
            }

            @Test("A port that is set, and taken, is said with the way out, and harms nobody else")
            func takenPort() async throws {
                let listener = try PortListener()
                let arguments = [
                    "host", "--no-store", "--plugins", Installation.plugins, "--plugins", Installation.console,
                    "--open", "ControlRoom", "--configure", "console.port=\(listener.port)",
                ]
                let outcome = try await installation.run("\(Installation.executables)/scenebus", arguments) { host in
                    let ready = try await installation.scenebus("wait", "--sessions", "--timeout", "60")
                    try #require(ready.code == 0, "\(ready.error)")
                    try await installation.until("plugins", "ls") {
                        $0.output.contains("cannot listen on 127.0.0.1, port \(listener.port): ")
                            && $0.output.contains("set 'port' to a free one")
                    }
                    let session = try await installation.firstSession()
                    let scene = try await installation.scenebus("scene", "show", session)
                    #expect(scene.output.contains("User name"), "\(scene.error)")
                    try host.send(SIGTERM)
                }
                #expect(outcome.code == 0, "\(outcome.error)")
                withExtendedLifetime(listener) {}
            }
        }
    }
#endif
