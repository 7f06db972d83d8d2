// A build without the trait has no console.
#if Console
    import Foundation
    import Testing

    extension CommandTests {
        /// Pages that stay open, whatever happens to what is behind them, and whoever else is there.
        @Suite(.timeLimit(.minutes(5)), .enabled(if: Browser.obstacle == nil, "\(Browser.obstacle ?? "")"))
        struct LastingPageTests {
            private static let guest = "[name='field.guest']"

            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            private func value(_ name: String, in browser: Browser) async throws -> String {
                try await browser.value(of: "document.querySelector(\"\(Self.guest)\").\(name)")
            }

            /// Presses a button, and waits until the scene has what was typed.
            private func book(_ name: String, in browser: Browser) async throws {
                try await browser.until("document.getElementById('state').dataset.live === 'yes'")
                try await browser.click("button[value='book']:not(.default)")
                try await browser.until("document.querySelector('.facts').innerText.includes('\(name), 3,')")
            }

            @Test("Half-typed text, focus and caret outlive a move while they are used, and the host, which is killed")
            func moveAndHost() async throws {
                try await Browser.run(in: installation) { browser in
                    try await installation.withBlocks(keepsStore: true, ends: SIGKILL) { session in
                        try await installation.openBlocks(session, in: browser)
                        try await browser.type("half", into: Self.guest)
                        let before: SessionReply = try await installation.scenebus(
                            "sessions", "show", session, "--json"
                        ).json()
                        async let move = installation.scenebus("scene", "move", session)
                        for letter in "-typed" { try await browser.press(String(letter)) }
                        let moved = try await move
                        #expect(moved.code == 0, "\(moved.error)")
                        let after: SessionReply = try await installation.scenebus("sessions", "show", session, "--json")
                            .json()
                        #expect(after.worker != before.worker && after.pid != before.pid)
                        #expect(try await value("value", in: browser) == "half-typed")
                        try await book("half-typed", in: browser)
                        #expect(try await browser.value(of: "document.activeElement.value") == "book")
                        try await browser.type(" again", into: Self.guest)
                        _ = try await browser.value(
                            of: "document.querySelector(\"\(Self.guest)\").setSelectionRange(2, 4)")
                        // What is typed now has not been told to anybody when the host dies.
                        try await browser.press("X")
                    }
                    #expect(try await value("value", in: browser) == "haX-typed again")
                    try await browser.until("document.documentElement.hasAttribute('data-lost')")
                    try await installation.withBlocks(keepsStore: true) { session in
                        try await browser.until("!document.documentElement.hasAttribute('data-lost')")
                        #expect(try await value("value", in: browser) == "haX-typed again")
                        #expect(try await value("selectionStart", in: browser) == "3")
                        #expect(try await browser.value(of: "document.activeElement.name") == "field.guest")
                        try await book("haX-typed again", in: browser)
                    }
                }
            }

            @Test("Two users have a session each, and share a third one")
            func users() async throws {
                let arguments = ["--configure", "console.open=[\"ControlRoom\"]"]
                try await installation.withConsole(arguments) { session in
                    try await Browser.run(in: installation, of: "ada") { ada in
                        try await Browser.run(in: installation, of: "bob") { bob in
                            for (name, browser) in [("ada", ada), ("bob", bob)] {
                                if name == "bob" { try await create(name, by: ada) }
                                try await browser.open(try await installation.consoleLink())
                                try await browser.until(
                                    "document.querySelector(\"a[href='/open/ControlRoom']\") !== null")
                                try await browser.click("a[href='/open/ControlRoom']")
                                try await browser.until("document.querySelector(\"[name='field.username']\") !== null")
                                try await browser.type(name, into: "[name='field.username']")
                                try await browser.type("difference", into: "[name='field.password']")
                                try await browser.click(
                                    "button[value='\(name == "ada" ? "create" : "login")']:not(.default)")
                                try await browser.until("document.body.innerText.includes('Logged in as \(name)')")
                            }
                            #expect(
                                try await ada.value(of: "document.body.innerText.includes('Logged in as ada')")
                                    == "true")
                            #expect(try await ada.value(of: "location.href") != bob.value(of: "location.href"))
                            try await share(session, ada, bob)
                        }
                    }
                }
            }

            /// Makes an account in the session of who is logged in there.
            private func create(_ name: String, by browser: Browser) async throws {
                let session = try await browser.value(of: "location.pathname.split('/')[2]")
                let created = try await installation.scenebus(
                    "request", "accountCreate", "username=\(name)", installation.secret("password", "difference"),
                    "--session", session)
                #expect(created.code == 0, "\(created.error)")
            }

            /// Both look at one scene, in which one types and the other one presses the button.
            private func share(_ session: String, _ ada: Browser, _ bob: Browser) async throws {
                for browser in [ada, bob] {
                    let origin = try await browser.value(of: "location.origin")
                    try await browser.open("\(origin)/scenes/\(session)")
                }
                let name = "document.querySelector(\"[name='field.username']\")"
                try await ada.type("bob", into: "[name='field.username']")
                try await bob.until("\(name).value === 'bob'")
                try await bob.type("difference", into: "[name='field.password']")
                #expect(try await ada.value(of: "document.querySelector(\"[name='field.password']\").value") == "")
                try await bob.click("button[value='login']:not(.default)")
                for browser in [ada, bob] {
                    try await browser.until("document.body.innerText.includes('Logged in as bob')")
                }
            }
        }
    }
#endif
