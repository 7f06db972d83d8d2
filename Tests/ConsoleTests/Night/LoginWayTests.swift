// A build without the trait has no console.
#if Console
    import CBOR
    import ConsoleModel
    import Testing

    @testable import console_plugin

    /// Where a login with a link leads, and when the console says that browsers can come.
    @Suite(.timeLimit(.minutes(5)))
    @MainActor
    struct LoginWayTests {
        /// What a browser has asked for before its login, as a cookie.
        private func asked(_ target: String, _ console: Console, cookie: String? = nil) async throws -> ConsoleAnswer {
            let answer = try #require(await NightBrowser(console, cookie: cookie).get(target))
            #expect(answer.status == 401)
            return answer
        }

        @Test("A link to log in leads to the page that was asked for, once, wherever the link was")
        func link() async throws {
            for site in ["none", "cross-site"] {
                let console = try NightConsole(open: []).console
                let cookie = try #require(await asked("/open/Desk", console).cookies.first)
                let stranger = NightBrowser(console, cookie: cookie)
                // Neither a link that does not work nor what a page loads changes it.
                #expect(try await asked("/login?token=x", console, cookie: cookie).cookies == [cookie])
                #expect(try await asked("/scenes/a/events", console, cookie: cookie).cookies == [cookie])
                let answer = try #require(await stranger.get(NightBrowser.link(to: console), from: site))
                #expect(answer.location == "/open/Desk" || answer.text.contains("content=\"0;url=/open/Desk\""))
                #expect(answer.cookies.count == 2 && answer.cookies.contains("\(console.askedCookie.name)="))
            }
        }

        @Test("Who asks for nothing in particular is led to the start, whatever was asked for before")
        func start() async throws {
            let night = try NightConsole(open: [], ["start": "/open/Desk"])
            let console = night.console
            let cookie = try #require(await asked("/workers/w", console).cookies.first)
            let answer = try await asked("/", console, cookie: cookie)
            #expect(answer.cookies == ["\(console.askedCookie.name)="] && !answer.text.contains("/workers/w"))
            let login = try #require(await NightBrowser(console, cookie: nil).get(NightBrowser.link(to: console)))
            #expect(login.location == "/open/Desk")
            #expect(try await asked("/", console).cookies.isEmpty)
        }

        @Test("Who may open no session is not led to one")
        func viewer() async throws {
            let console = try NightConsole(open: [], ["start": "/open/Desk", "role": "viewer"]).console
            #expect(await NightBrowser(console, cookie: nil).get(NightBrowser.link(to: console))?.location == "/")
            let settings: [String: CBORValue] = ["start": "/open/Desk", "users": "accounts", "viewers": ["eve"]]
            let other = try NightConsole(open: [], settings).console
            #expect(other.start(of: "Eve") == .application && other.start(of: "ada").path == "/open/Desk")
        }

        @Test(
            "A cookie or a form that somebody else has made leads to no other site",
            arguments: ["//evil.example", "https://evil.example", "/\\evil.example", "/nowhere"])
        func hostile(target: String) async throws {
            let console = try NightConsole(open: []).console
            let stranger = NightBrowser(console, cookie: "\(console.askedCookie.name)=\(target)")
            #expect(await stranger.get(NightBrowser.link(to: console))?.location == "/")
        }

        @Test("A link of another site to one's own session still asks, after the login, too")
        func otherSite() async throws {
            let console = try NightConsole(open: []).console
            let first = try #require(await NightBrowser(console, cookie: nil).get("/open/Desk", from: "cross-site"))
            #expect(first.text.contains("url=/open/Desk?ask=1") && first.cookies.isEmpty)
            let cookie = try #require(await asked("/open/Desk?ask=1", console).cookies.first)
            let login = await NightBrowser(console, cookie: cookie).get(NightBrowser.link(to: console))
            #expect(login?.location == "/open/Desk?ask=1")
        }

        @Test(
            "A start that is no page of the console, or that nobody may open, is refused with the way out",
            arguments: [
                ("//evil.example", "'start' must be the path"), ("open/Desk", "'start' must be the path"),
                ("/open/Lobby", "add it to the list 'open'"),
            ])
        func wrongStart(start: String, says words: String) throws {
            let error = try #require(throws: SettingsError.self) {
                try ConsoleSettings(["open": ["Desk"], "start": .string(start)])
            }
            #expect(error.description.contains(words))
        }

        @Test("The log says how browsers come in once the console listens and the host has admitted it, and once only")
        func ready() throws {
            for attachesFirst in [false, true] {
                let night = try NightConsole(open: [], listens: false)
                let steps = [{ night.console.listens(on: NightBrowser.port) }, { night.console.attaches() }]
                (attachesFirst ? steps.reversed() : steps)[0]()
                #expect(night.log.isEmpty)
                for _ in 0..<2 { for step in steps { step() } }
                #expect(night.log.count == 2 && night.log[0].contains("/login?token="), "\(night.log)")
                #expect(night.log[1] == "the console is ready")
            }
        }
    }
#endif
