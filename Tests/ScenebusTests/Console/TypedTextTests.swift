// A build without the trait has no console.
#if Console
    import Foundation
    import Testing

    extension PluginProcessTests {
        /// What is typed into scenes in a real browser, and not sent with an action yet.
        @Suite(
            .timeLimit(.minutes(5)), .enabled(if: Browser.obstacle == nil, "\(Browser.obstacle ?? "")"))
        struct TypedTextTests {
            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            /// Has the scene store a user name, as another page does it.
            private static func fill(_ text: String) -> String {
                """
                realFetch(location.pathname + '/fill', { method: 'POST', body: new URLSearchParams({
                  token: document.documentElement.dataset.token, 'field.username': '\(text)',
                  layer: document.querySelector('.layer input[name=layer]').value }) })
                """
            }

            @Test(
                "What is typed and not sent is seen by others, and is there in another browser after this one has logged out"
            )
            func typed() async throws {
                try await installation.withConsole { session in
                    try await Browser.run(in: installation) { browser in
                        try await installation.openLogin(session, in: browser)
                        try await browser.type("half", into: LoginFields.name)
                        try await browser.type("secret words", into: LoginFields.password)
                        try await installation.until("scene", "show", session) { $0.output.contains("half") }
                        let shown = try await installation.scenebus("scene", "show", session)
                        #expect(!shown.output.contains("secret words"))
                        try await browser.type("!", into: LoginFields.name)
                        try await logOutElsewhere(browser)
                        let link = "document.querySelector('#connection a').pathname"
                        #expect(try await browser.value(of: link) == "/scenes/\(session)")
                        #expect(try await browser.value(of: "Object.keys(sessionStorage).length") == "0")
                        #expect(try await browser.hardToRead() == "")
                    }
                    try await Browser.run(in: installation) { browser in
                        try await installation.openLogin(session, in: browser)
                        #expect(try await LoginFields.property("value", of: browser).hasPrefix("half"))
                        try await browser.open("\(try await browser.value(of: "location.origin"))/")
                        try await browser.until("document.body.innerText.includes('\(session)')")
                        try await logOutElsewhere(browser)
                    }
                }
            }

            /// Logs the browser out, as another page of it does. This page shows nothing any more.
            private func logOutElsewhere(_ browser: Browser) async throws {
                _ = try await browser.value(
                    of: """
                        fetch('/logout', { method: 'POST', body: new URLSearchParams({
                            confirmed: '1', token: document.documentElement.dataset.token }) })
                          .then(() => document.dispatchEvent(new Event('visibilitychange')))
                        """)
                try await browser.until(
                    "document.querySelector('main').childElementCount === 0 && document.querySelector('#connection a') !== null"
                )
                let said = try await browser.value(of: "document.getElementById('connection').innerText")
                #expect(said.contains("logged") && said.hasSuffix("Log in"), "\(said)")
            }

            @Test(
                "What is typed is told until it has arrived, gives way to what is newer, and goes with one action once")
            func typedOnce() async throws {
                try await installation.withConsole { session in
                    let created = try await installation.scenebus(
                        "request", "accountCreate", "username=ada", installation.secret("password", "difference"))
                    #expect(created.code == 0, "\(created.error)")
                    try await Browser.run(in: installation) { browser in
                        try await installation.openLogin(session, in: browser)
                        let drafts = "Object.keys(sessionStorage).length"
                        // Forms are counted, and refused as by a console that does not reach the host.
                        _ = try await browser.value(
                            of: """
                                (window.posts = [], window.isAway = true, window.held = Promise.resolve(),
                                  window.realFetch = fetch, window.fetch = (at, how) => {
                                    posts.push(at.split('/').pop() + ' ' + how.body);
                                    return isAway ? Promise.resolve(Response.json({ accepted: false }, { status: 409 }))
                                      : realFetch(at, how).then((reply) => held.then(() => reply));
                                  })
                                """)
                        try await browser.type("abc", into: LoginFields.name)
                        try await browser.type("unsaid words", into: LoginFields.password)
                        try await browser.until("posts.length > 0")
                        _ = try await browser.value(of: "(isAway = false)")
                        try await installation.until("scene", "show", session) { $0.output.contains("abc") }
                        // The scene has it, so there is nothing to bring back.
                        try await browser.until("\(drafts) === 0")
                        #expect(try await browser.value(of: "posts.join().includes('unsaid')") == "false")

                        // What another one types is newer, also after the page was loaded again.
                        _ = try await browser.value(of: Self.fill("xyz"))
                        try await browser.until("document.querySelector(\"\(LoginFields.name)\").value === 'xyz'")
                        #expect(
                            try await browser.value(of: "document.querySelector(\"\(LoginFields.password)\").value")
                                == "unsaid words")
                        // Also if it comes before the answer to this one's fill does.
                        _ = try await browser.value(of: "(held = new Promise((done) => (window.letGo = done)))")
                        try await browser.type("1", into: LoginFields.name)
                        try await browser.until(
                            "document.querySelector(\"\(LoginFields.name)\").defaultValue === 'xyz1'")
                        _ = try await browser.value(of: Self.fill("zyx"))
                        try await browser.until("document.querySelector(\"\(LoginFields.name)\").value === 'zyx'")
                        // Who leaves the page does not wait for that answer.
                        try await browser.type("2", into: LoginFields.name)
                        #expect(
                            try await browser.value(
                                of: """
                                    (dispatchEvent(new PageTransitionEvent('pagehide')), posts.at(-1).includes('zyx2'))
                                    """) == "true")
                        _ = try await browser.value(
                            of: "(letGo(), dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))")
                        try await browser.until("\(drafts) === 0")
                        // Also what another one has written while this one's text did not arrive. It is there to be copied.
                        _ = try await browser.value(of: "(isAway = true)")
                        try await browser.type("?", into: LoginFields.name)
                        try await browser.until("posts.at(-1).includes('zyx2%3F') && \(drafts) === 1")
                        _ = try await browser.value(of: Self.fill("newer"))
                        try await browser.until(
                            """
                            document.querySelector('#gone p')?.innerText
                              === 'The field “User name” was changed meanwhile; what you typed: zyx2?'
                            """)
                        #expect(try await LoginFields.property("value", of: browser) == "newer")
                        #expect(try await browser.value(of: drafts) == "0")
                        try await browser.click("#gone button")
                        // What did not arrive is there after the page was loaded again, and then it is told.
                        try await browser.type("!", into: LoginFields.name)
                        try await browser.until("posts.at(-1).includes('newer%21') && \(drafts) === 1")
                        #expect(
                            try await browser.value(of: "JSON.stringify(sessionStorage).includes('unsaid')") == "false")
                        _ = try await browser.value(of: "location.reload()")
                        try await browser.until(
                            "!window.posts && document.querySelector(\"\(LoginFields.name)\")?.value === 'newer!'")
                        try await installation.until("scene", "show", session) { $0.output.contains("newer!") }
                        try await browser.until("\(drafts) === 0")

                        // Two clicks are one action, which posts what was typed and nothing else.
                        _ = try await browser.value(
                            of: """
                                (window.posts = [], window.realFetch = fetch, window.fetch = (at, how) => {
                                  posts.push(at.split('/').pop() + ' ' + how.body);
                                  return realFetch(at, how);
                                })
                                """)
                        try await browser.type("wrong words", into: LoginFields.password)
                        let button = "document.querySelector(\"button[value='login']:not([aria-hidden])\")"
                        _ = try await browser.value(of: "(\(button).click(), \(button).click())")
                        try await browser.until("posts.length > 0 && document.querySelector('[aria-busy]') === null")
                        #expect(
                            try await browser.value(of: "posts.filter((one) => one.startsWith('act')).length") == "1")
                        #expect(try await browser.value(of: "posts.join().includes('field.username')") == "false")
                        // A password that was wrong does not stay for whoever comes next, and the name does.
                        try await browser.until("document.querySelector(\"\(LoginFields.password)\").value === ''")
                        #expect(try await LoginFields.property("value", of: browser) == "newer!")
                        // Who logs out leaves nothing behind.
                        _ = try await browser.value(of: "sessionStorage.setItem('left', 'behind')")
                        try await browser.click("form[action='/logout'] button")
                        try await browser.until("location.pathname === '/logout' && \(drafts) === 0")
                    }
                }
            }
        }
    }
#endif
