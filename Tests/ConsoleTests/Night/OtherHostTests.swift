// A build without the trait has no console.
#if Console
    import Testing

    @testable import ConsoleModel
    @testable import console_plugin

    /// What a browser has from the console of another host. Names of cookies tell consoles of one machine apart, but a console on the same
    /// port of another machine has the same ones, and whoever has a cookie can rename it.
    @Suite(.timeLimit(.minutes(5)))
    @MainActor
    struct OtherHostTests {
        private let own: NightConsole
        private let other: NightConsole

        init() throws {
            own = try NightConsole(open: ["desk"])
            other = try NightConsole(open: ["desk"])
        }

        /// Expects that a cookie of the other console is nothing to this one, which repeats it nowhere.
        private func expectStranger(
            with cookie: String, named name: String, at page: String, status: Int
        ) async throws {
            #expect(await NightBrowser(other.console, cookie: cookie).get(page)?.status == 200)
            try #require(cookie.hasPrefix("\(name)="))
            let token = String(cookie.dropFirst(name.count + 1))
            #expect(ConsoleToken(token) != nil)
            let stranger = NightBrowser(own.console, cookie: cookie)
            for path in [page, "\(page)/events"] {
                let answer = try #require(await stranger.get(path))
                #expect(answer.status == status, "\(path)")
                #expect(!answer.text.contains(token) && !answer.text.contains("Change 1 of"), "\(path)")
                #expect(!answer.cookies.contains { $0.contains(token) }, "\(path)")
            }
            for path in ["\(page)/act", "\(page)/fill"] {
                #expect(await stranger.post(path, ["action": "go", "layer": "desk"]).status == status, "\(path)")
            }
            #expect(!own.wholeLog.contains(token))
            #expect(own.console.logins.browsers.isEmpty && own.host.messages.isEmpty)
        }

        @Test("The login of another host's console is none here")
        func login() async throws {
            let browser = try await NightBrowser(other.console)
            try await expectStranger(
                with: try #require(browser.cookie), named: own.console.cookie.name, at: "/scenes/desk", status: 401)
            #expect(await NightBrowser(own.console, cookie: browser.cookie).get("/")?.status == 401)
        }

        @Test("The key of another host's screen on a wall is none here")
        func wall() async throws {
            let address = try await other.handle {
                try await $0.consoleWall(configuration: "Sign", name: "door", url: nil, access: nil)
            }
            let name = own.console.wallCookie(of: "Sign").name
            let key = try #require(address.split(separator: "=").last)
            try await expectStranger(with: "\(name)=\(key)", named: name, at: "/wall/Sign", status: 403)
        }
    }
#endif
