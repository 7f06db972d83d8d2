// A build without the trait has no console.
#if Console
    import Foundation
    import Testing

    extension PluginProcessTests {
        /// The streams of changes: what arrives, how many there may be, and what becomes of them.
        @Suite(.timeLimit(.minutes(5)))
        struct ConsoleStreamTests {
            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            @Test("A stream tells what another surface has done, and goes on from the picture that the page has")
            func changes() async throws {
                try await installation.withConsole { session in
                    let browser = try await installation.browser()
                    let stream = try await browser.events(of: session)
                    let first = try await stream.read { $0.contains("User name") }
                    #expect(first.contains("text/event-stream") && first.contains("retry: 500"))
                    try await installation.scenebus("scene", "act", session, "overview")
                    let second = try await stream.read(after: first) {
                        $0.contains("Logged") || $0.contains("Overview")
                    }
                    let revisions = second.matches(of: /id: ?(\S+)/).map { String($0.1) }
                    #expect(revisions.count >= 2 && Set(revisions).count == revisions.count, "\(second)")
                    // With the newest picture nothing is sent but what changes from then on.
                    let newest = try #require(revisions.last)
                    let again = try await browser.events(of: session, known: newest)
                    let rest = try await again.read { $0.contains("event: alive") || $0.contains("id:") }
                    #expect(!rest.contains("User name"))
                }
            }

            @Test("A stream ends with the reason when its session is closed")
            func closed() async throws {
                try await installation.withConsole { session in
                    let browser = try await installation.browser()
                    let stream = try await browser.events(of: session)
                    _ = try await stream.read { $0.contains("User name") }
                    try await installation.scenebus("sessions", "close", session)
                    let end = try await stream.read { $0.contains("This session is closed") }
                    #expect(end.contains("This session is closed"))
                }
            }

            @Test("A browser that logs out gets nothing more")
            func loggedOut() async throws {
                try await installation.withConsole { session in
                    let browser = try await installation.browser()
                    let token = try await browser.formToken()
                    let stream = try await browser.events(of: session)
                    _ = try await stream.read { $0.contains("User name") }
                    _ = try await browser.post("/logout", ["token": token])
                    #expect(
                        try await stream.read { $0.contains("You have logged out") }.contains("You have logged out"))
                    let refused = try await browser.events(of: session)
                    #expect(try await refused.read { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 401"))
                }
            }

            @Test(
                "Each browser has 32 streams; a thousand whose readers are slow take little memory, and get the newest picture"
            )
            func many() async throws {
                try await installation.withConsole { session in
                    var streams: [HTTPConnection] = []
                    var browsers: [ConsoleBrowser] = []
                    let process = try await installation.consoleProcess()
                    for _ in 0..<32 {
                        let browser = try await installation.browser()
                        browsers.append(browser)
                        for _ in 0..<(browsers.count == 32 ? 8 : 32) {
                            streams.append(try await browser.events(of: session))
                        }
                    }
                    #expect(streams.count == 1000)
                    _ = try await streams[999].read { $0.contains("User name") }
                    let before = try memory(of: process)
                    let extra = try await browsers[0].events(of: session)
                    #expect(try await extra.read { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 429"))
                    // Nobody reads while the scene changes ten times.
                    try await installation.changeScreens(10, of: session, with: browsers[31])
                    #expect(try memory(of: process) - before < 200 << 10)
                    for index in [0, 500, 998] {
                        let text = try await streams[index].read { $0.contains("Process 1") }
                        #expect(text.contains("Process 1"))
                    }
                    // A page that has gone leaves its place to another one.
                    streams.removeFirst(32)
                    for _ in 0..<20 where try await !isAccepted(browsers[0], session) { continue }
                    #expect(try await isAccepted(browsers[0], session))
                }
            }

            @Test("Browsers that go before the answer, or ask for its head only, leave their places to others")
            func goneBefore() async throws {
                try await installation.withConsole { _ in
                    let made = try await installation.until(
                        "request", "consoleWall", "configuration=ControlRoom", "name=entrance", "--json"
                    ) { $0.code == 0 }
                    let address = try made.json(String.self)
                    var screen = try ConsoleBrowser(link: address)
                    #expect(try await screen.logIn(address).status == 303)
                    let page = "/wall/ControlRoom"
                    #expect(try await screen.get(page).status == 200)
                    // The console asks the host before it answers, so that the browser has gone until then.
                    for _ in 0..<200 { try await screen.events(at: page).reset() }
                    for _ in 0..<40 {
                        let head = try await screen.request("HEAD", "\(page)/events")
                        #expect(head.body.isEmpty)
                    }
                    let stream = try await screen.events(at: page)
                    #expect(try await stream.read { $0.contains("User name") }.hasPrefix("HTTP/1.1 200"))
                }
            }

            private func isAccepted(_ browser: ConsoleBrowser, _ session: String) async throws -> Bool {
                try await browser.events(of: session).read { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 200")
            }

            /// The resident memory of a process, in KiB.
            private func memory(of process: Int32) throws -> Int {
                let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
                let match = try #require(status.firstMatch(of: /VmRSS:\s+(\d+) kB/))
                return try #require(Int(match.1))
            }

            @Test("A console that is killed comes back at its address, and its browsers are logged in")
            func killed() async throws {
                try await installation.withConsole { session in
                    let browser = try await installation.browser()
                    let stream = try await browser.events(of: session)
                    _ = try await stream.read { $0.contains("User name") }
                    try await installation.killConsole()
                    _ = try await stream.read { _ in false }
                    let link = try await installation.consoleLink()
                    #expect(try ConsoleBrowser(link: link).port == browser.port)
                    let page = try await browser.get("/scenes/\(session)")
                    #expect(page.status == 200 && page.body.contains("User name"), "\(page)")
                    // The scene has not noticed.
                    #expect(try await installation.scenebus("scene", "show", session).output.contains("User name"))
                }
            }

            @Test("While its worker is away, a stream says so, and the picture stays")
            func workerKilled() async throws {
                try await installation.withConsole { session in
                    let browser = try await installation.browser()
                    let stream = try await browser.events(of: session)
                    let first = try await stream.read { $0.contains("User name") }
                    let status: SessionReply = try await installation.scenebus("sessions", "show", session, "--json")
                        .json()
                    #expect(kill(try #require(status.pid), SIGKILL) == 0)
                    let second = try await stream.read(after: first) { $0.matches(of: /id: ?/).count >= 3 }
                    #expect(second.contains("Ready"))
                }
            }
        }
    }
#endif
