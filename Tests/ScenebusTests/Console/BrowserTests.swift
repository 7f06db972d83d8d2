// A build without the trait has no console.
#if Console
    import Foundation
    import Testing

    extension PluginProcessTests {
        /// Scenes in a real browser.
        @Suite(
            .timeLimit(.minutes(5)), .enabled(if: Browser.obstacle == nil, "\(Browser.obstacle ?? "")"))
        struct BrowserTests {
            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            @Test("What is typed stays while the page changes, and a pressed button changes the scene")
            func use() async throws {
                try await installation.withConsole { session in
                    try await Browser.run(in: installation) { browser in
                        try await installation.openLogin(session, in: browser)
                        try await browser.type("a", into: LoginFields.name)
                        // The first account is made elsewhere, so the page changes while the name is being typed.
                        let created = try await installation.scenebus(
                            "request", "accountCreate", "username=ada", installation.secret("password", "difference"))
                        #expect(created.code == 0, "\(created.error)")
                        try await browser.until("!document.body.innerText.includes('Create the first account')")
                        #expect(try await LoginFields.property("value", of: browser) == "a")
                        #expect(try await browser.value(of: "document.activeElement.name") == "field.username")
                        try await browser.type("da", into: LoginFields.name)
                        try await browser.type("difference", into: LoginFields.password)
                        try await browser.click("button[value='login']:not([aria-hidden])")
                        try await browser.until("document.body.innerText.includes('Logged in as ada')")
                        // What another surface does is shown, too.
                        try await installation.scenebus("open-url", "controlroom://process/1", "--session", session)
                        try await browser.until("document.body.innerText.includes('Process 1')")
                    }
                }
            }

            @Test("Half-typed text and the caret outlive the worker, which is killed")
            func killedWorker() async throws {
                try await installation.withConsole { session in
                    try await Browser.run(in: installation) { browser in
                        try await installation.openLogin(session, in: browser)
                        try await browser.type("half", into: LoginFields.name)
                        _ = try await browser.value(
                            of: "document.querySelector(\"\(LoginFields.name)\").setSelectionRange(1, 3)")
                        let before: SessionReply = try await installation.scenebus(
                            "sessions", "show", session, "--json"
                        ).json()
                        let victim = try #require(before.pid)
                        #expect(kill(victim, SIGKILL) == 0)
                        try await installation.until("sessions", "show", session, "--json") {
                            let now = try $0.json(SessionReply.self)
                            return now.pid != nil && now.pid != victim && now.problem == nil
                        }
                        // The new worker's scene takes input from this page.
                        let created = try await installation.scenebus(
                            "request", "accountCreate", "username=ada", installation.secret("password", "difference"))
                        #expect(created.code == 0, "\(created.error)")
                        try await browser.until("!document.body.innerText.includes('Create the first account')")
                        #expect(try await LoginFields.property("value", of: browser) == "half")
                        #expect(try await LoginFields.property("selectionStart", of: browser) == "1")
                        #expect(try await LoginFields.property("selectionEnd", of: browser) == "3")
                        #expect(try await browser.value(of: "document.activeElement.name") == "field.username")
                    }
                }
            }

            @Test("A sheet begins at its first field and says there what is wrong, and a key leads one level up")
            func sheetAndWay() async throws {
                try await installation.withConsole { session in
                    try await Browser.run(in: installation) { browser in
                        try await installation.openLogin(session, in: browser)
                        try await browser.type("ada", into: LoginFields.name)
                        try await browser.type("difference", into: LoginFields.password)
                        try await browser.click("button[value='create']:not([aria-hidden])")
                        try await browser.until("document.body.innerText.includes('Logged in as ada')")
                        try await installation.scenebus("open-url", "controlroom://settings", "--session", session)
                        try await browser.until("document.querySelector(\"button[value='changePassword']\") !== null")
                        try await browser.click("button[value='changePassword']")
                        try await browser.until(
                            "document.activeElement.matches(\".sheet \(LoginFields.password)\")")
                        try await browser.type("short", into: LoginFields.password)
                        try await browser.click("button[value='continue']:not([aria-hidden])")
                        try await browser.until(
                            "document.querySelector('.sheet .error')?.innerText.includes('too short')")
                        #expect(try await browser.value(of: "document.getElementById('notice').innerText") == "")
                        // The next step begins at its field, too.
                        try await browser.until("document.querySelector(\"\(LoginFields.password)\").value === ''")
                        try await browser.type("analytical", into: LoginFields.password)
                        try await browser.click("button[value='continue']:not([aria-hidden])")
                        try await browser.until(
                            "document.querySelector('.sheet h1')?.innerText === 'Current password'")
                        try await browser.until(
                            "document.activeElement.matches(\".sheet \(LoginFields.password)\")")
                        try await browser.click("button[value='dismiss']")
                        try await browser.until("document.querySelector('.sheet') === null")

                        func goUp() async throws {
                            _ = try await browser.value(
                                of: """
                                    document.body.dispatchEvent(
                                      new KeyboardEvent('keydown', { key: 'ArrowUp', altKey: true, bubbles: true }))
                                    """)
                        }
                        // The scene's way back is the first.
                        try await goUp()
                        try await browser.until(
                            "document.querySelector('h1').innerText === 'Overview' && !history.state?.layer")
                        try await goUp()
                        try await browser.until("location.pathname === '/sessions/\(session)'")
                        try await goUp()
                        try await browser.until("location.pathname + location.search === '/?only=sessions'")
                    }
                }
            }

            @Test("A page in the background says from time to time that it is open, so that its login lasts")
            func background() async throws {
                try await installation.withConsole { session in
                    try await Browser.run(in: installation) { browser in
                        try await installation.openLogin(session, in: browser)
                        // Its script takes the page for hidden, and its long timers are those of the test.
                        _ = try await browser.value(
                            of: """
                                (window.asked = [], window.timers = [], window.realFetch = fetch, window.realTimeout = setTimeout,
                                  window.fetch = (at, how) => realFetch(at, how).then((reply) => {
                                    asked.push(how.method + ' ' + at + ' ' + reply.status);
                                    return reply;
                                  }),
                                  window.setTimeout = (body, time) =>
                                    time < 900000 ? realTimeout(body, time) : timers.push({ body, time }),
                                  Object.defineProperty(document, 'hidden', { value: true, configurable: true }),
                                  document.dispatchEvent(new Event('visibilitychange')))
                                """)
                        #expect(try await browser.value(of: "timers.map(({ time }) => time < 1800000)") == "true")
                        _ = try await browser.value(of: "(timers[0].body(), true)")
                        try await browser.until("asked.join() === 'HEAD /scenes/\(session)/stay 204'")
                        // It comes again.
                        try await browser.until("timers.length === 2")
                    }
                }
            }

            @Test("The page of a killed console connects again by itself, and keeps what is typed")
            func killedConsole() async throws {
                try await installation.withConsole { session in
                    try await Browser.run(in: installation) { browser in
                        try await installation.openLogin(session, in: browser)
                        let size = try await browser.result(of: Self.measuring, [])
                        #expect(try #require(Int(size)) < 10_000)
                        try await hearNothing(browser)
                        try await browser.type("half", into: LoginFields.name)
                        #expect(kill(try await installation.consoleProcess(), SIGKILL) == 0)
                        let created = try await installation.scenebus(
                            "request", "accountCreate", "username=ada", installation.secret("password", "difference"))
                        #expect(created.code == 0, "\(created.error)")
                        try await browser.until("!document.body.innerText.includes('Create the first account')")
                        #expect(try await LoginFields.property("value", of: browser) == "ahalf")
                    }
                }
            }

            /// Returns how many bytes of the script a browser loads, compressed as a proxy does it.
            private static let measuring = """
                const done = arguments[0];
                fetch(document.querySelector('script').src)
                  .then((reply) => new Response(reply.body.pipeThrough(new CompressionStream('gzip'))).arrayBuffer())
                  .then((bytes) => done(String(bytes.byteLength)));
                """

            /// A page says that it hears nothing before it takes the connection for lost.
            private func hearNothing(_ browser: Browser) async throws {
                // The timer is that of the test, from the next sign of life on.
                _ = try await browser.value(
                    of: """
                        (window.silence = [], window.realTimeout = setTimeout,
                          window.setTimeout = (body, time) =>
                            time === 21000 ? silence.push(body) : realTimeout(body, time))
                        """)
                try await browser.type("a", into: LoginFields.name)
                try await browser.until("silence.length > 0")
                let said = try await browser.result(
                    of: """
                        const done = arguments[0];
                        silence.at(-1)();
                        realTimeout(() => done(document.getElementById('connection').innerText), 0);
                        """, [])
                #expect(said.hasPrefix("Reconnecting") && said.contains("since "), "\(said)")
                // What comes next takes it away.
                try await browser.until("!document.documentElement.hasAttribute('data-lost')")
            }
        }
    }
#endif
