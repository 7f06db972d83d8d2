// A build without the trait has no console.
#if Console
    import CBOR
    import ConsoleModel
    import Testing

    @testable import console_plugin

    /// The users who see and use their own sessions, and nothing else.
    @Suite(.timeLimit(.minutes(5)))
    @MainActor
    struct ConfinedUserTests {
        /// Desks for all users but Mei, and a session of the host.
        private func desks() throws -> NightConsole {
            try NightConsole(open: ["busy"], ["users": "accounts", "own": "*", "administrators": ["mei"]])
        }

        /// The paths of a session.
        private func paths(_ session: String) -> [String] {
            let scene = "/scenes/\(session)"
            let image = "\(scene)/images/\(String(repeating: "0a", count: 32))"
            return [
                scene, "\(scene)/events", "\(scene)/stay", image, "/sessions/\(session)", "/sessions/\(session)/close",
            ]
        }

        /// Posts a form, and returns the status of its refusal; `nil` if it is read.
        private func post(_ path: String, _ browser: NightBrowser) async -> Int? {
            await browser.get(path, "POST")?.status
        }

        @Test("The start has the reader's own sessions, those of the reader's other browser, and nothing of others")
        func start() async throws {
            let console = try desks().console
            let (ada, other) = (NightBrowser(console, as: "ada"), NightBrowser(console, as: "ada"))
            let bob = NightBrowser(console, as: "bob")
            let (own, second) = (try #require(await ada.open("Desk")), try #require(await other.open("Desk")))
            let others = try #require(await bob.open("Desk"))
            for query in ["", "?only=sessions", "?only=workers", "?q=bus", "?only=entries&sort=-state"] {
                let page = try #require(await ada.get("/\(query)"))
                #expect(page.status == 200)
                for part in [own, second, "/open/Desk"] { #expect(page.text.contains(part), "\(query): \(part)") }
                for part in [others, "busy", "bob", "/workers/", "/entries", "Messages"] {
                    #expect(!page.text.contains(part), "\(query): \(part)")
                }
            }
            let session = try #require(await ada.get("/sessions/\(own)"))
            #expect(session.status == 200 && session.text.contains("/sessions/\(own)/close"))
            for part in ["/workers/", "Worker", "scenebus"] { #expect(!session.text.contains(part), "\(part)") }
        }

        @Test("What is the reader's own can be seen, used and closed, from each browser of the reader's")
        func own() async throws {
            let console = try desks().console
            let (ada, other) = (NightBrowser(console, as: "ada"), NightBrowser(console, as: "ada"))
            let own = try #require(await ada.open("Desk"))
            for browser in [ada, other] {
                for path in paths(own) where !path.contains("/images/") {
                    let status = try #require(await browser.get(path, path.hasSuffix("/stay") ? "HEAD" : "GET")).status
                    #expect([200, 204].contains(status), "\(path): \(status)")
                }
                for path in [
                    "/scenes/\(own)/act", "/scenes/\(own)/fill", "/sessions/\(own)/close", "/open/Desk", "/logout",
                ] {
                    #expect(await post(path, browser) == nil, "\(path)")
                }
            }
            for path in ["/", "/open/Desk", "/stay"] { #expect(await ada.get(path)?.status != 404) }
        }

        @Test("Who guesses what others have finds nothing there, the same as where there is nothing at all")
        func guesses() async throws {
            let night = try desks()
            let console = night.console
            let (ada, bob) = (NightBrowser(console, as: "ada"), NightBrowser(console, as: "bob"))
            let others = try #require(await bob.open("Desk"))
            let nothing = try #require(await ada.get("/scenes/nothing"))
            #expect(nothing.status == 404)
            let things = ["/workers/w", "/workers/x", "/plugins/p", "/entries", "/entries/a"]
            for path in [others, "busy", "nothing"].flatMap(paths) + things {
                let answer = try #require(await ada.get(path))
                #expect(answer.status == 404 && answer.text == nothing.text, "\(path)")
            }
            for session in [others, "busy"] {
                for path in ["/scenes/\(session)/act", "/scenes/\(session)/fill", "/sessions/\(session)/close"] {
                    #expect(await post(path, ada) == 404, "\(path)")
                }
            }
            #expect(console.streams.count == 0 && night.host.openSessions == ["busy", others])
            // Whoever may see all does.
            for browser in [NightBrowser(console, as: "mei"), try await NightBrowser(console)] {
                #expect(await browser.get("/scenes/\(others)")?.status == 200)
                #expect(try #require(await browser.get("/")).text.contains("/workers/w"))
            }
        }

        @Test("Who logs in after another one on the same browser does not get what that one has had")
        func next() async throws {
            let console = try desks().console
            let ada = NightBrowser(console, as: "ada")
            let own = try #require(await ada.open("Desk"))
            let bob = NightBrowser(console, as: "bob")
            #expect(await bob.get("/scenes/\(own)")?.status == 404)
            console.logins.logOut(try #require(ConsoleToken(ada.cookie?.split(separator: "=").last ?? "")).digest)
            #expect(await ada.get("/scenes/\(own)")?.status == 401)
            #expect(await NightBrowser(console, as: "bob").get("/scenes/\(own)")?.status == 404)
        }

        @Test("Who opens a link on a browser whose user's login has ended does not get what the user has had")
        func link() async throws {
            let console = try desks().console
            let ada = NightBrowser(console, as: "ada")
            _ = try #require(await ada.open("Desk"))
            _ = console.logins.logOutAll()
            let login = try #require(await ada.get(NightBrowser.link(to: console)))
            let cookie = try #require(login.cookies.first)
            let link = try #require(ConsoleToken(cookie.split(separator: "=").last ?? ""))
            #expect(console.logins.knows(link.digest) && console.own.sessions(of: link.digest).isEmpty)
        }

        @Test("Who logs out while a form arrives does not get the rights of those who have come with a link")
        func lateForm() async throws {
            let night = try NightConsole(open: ["busy"], ["users": "accounts"])
            let browser = ConsoleToken()
            night.console.logins.logIn(browser, as: "ada", at: night.console.now)
            let head = RequestHead(
                method: "POST", target: "/sessions/busy/close", host: nil,
                contentType: "application/x-www-form-urlencoded")
            let visit = FormVisit(browser: browser, owner: .user("ada"), purpose: .close(session: "busy"))
            let form = Array("token=\(browser.formToken)".utf8)
            for isLoggedIn in [true, false] {
                if !isLoggedIn { night.console.logins.logOut(browser.digest) }
                #expect(await night.console.take(form, of: head, from: visit).status == (isLoggedIn ? 403 : 401))
                #expect(night.host.openSessions == ["busy"])
            }
        }

        @Test(
            "Only those whose names are listed are confined, whatever the case, and all for a star but who is named otherwise"
        )
        func names() throws {
            let listed = try ConsoleSettings(["users": "accounts", "own": ["Ada"]])
            #expect(listed.isConfined("aDA") && !listed.isConfined("bob"))
            let all = try ConsoleSettings([
                "users": "accounts", "own": "*", "viewers": ["eve"], "administrators": ["mei"],
            ])
            #expect(all.isConfined("ada") && !all.isConfined("EVE") && !all.isConfined("Mei"))
        }

        @Test("What makes no sense is refused with what does")
        func wrong() throws {
            for (configuration, words) in [
                (["users": "accounts", "own": "ada"], "\"*\" for all"), (["own": "*"], "set 'users' to 'accounts'"),
                (["own": ["ada"]], "set 'users' to 'accounts'"),
                (["users": "accounts", "own": ["ada"], "viewers": ["ADA"]], "'own' and 'viewers'"),
                (["users": "accounts", "own": ["ada"], "administrators": ["ada"]], "'own' and 'administrators'"),
            ] as [([String: CBORValue], String)] {
                let error = #expect(throws: SettingsError.self) { try ConsoleSettings(configuration) }
                #expect(error?.description.contains(words) == true, "\(words)")
            }
        }
    }
#endif
