// A build without the trait has no console.
#if Console
    import Foundation
    import Testing

    extension PluginProcessTests {
        /// The images of scenes, as the console serves them.
        @Suite(.timeLimit(.minutes(5)))
        struct ConsoleImageTests {
            let installation: Installation

            init() throws {
                installation = try Installation()
            }

            /// The address of the image that a page shows.
            private func image(of page: String, for browser: ConsoleBrowser) async throws -> String {
                let page = try await browser.get(page)
                let match = try #require(
                    page.body.firstMatch(of: #/<img src="(/[^"]*/images/[0-9a-f]{64})"/#), "\(page.body)")
                return String(match.1)
            }

            private func expectImage(_ reply: HTTPReply) {
                #expect(reply.status == 200, "\(reply.body)")
                #expect(reply.headers["content-type"] == "image/png")
                #expect(reply.headers["content-length"] == "74")
                #expect(reply.headers["x-content-type-options"] == "nosniff")
                #expect(reply.headers["cache-control"] == "private, max-age=3600")
                let policy = reply.headers["content-security-policy"] ?? ""
                #expect(policy.contains("default-src 'none'") && policy.contains("sandbox"))
                #expect(!policy.contains("script-src"))
            }

            @Test("Whoever may see the scene gets its image, which a browser may keep and cannot run; nobody else does")
            func serve() async throws {
                try await installation.withBlocks { session in
                    let browser = try await installation.browser()
                    let page = "/scenes/\(session)"
                    let address = try await image(of: page, for: browser)
                    #expect(address.hasPrefix("\(page)/images/"))
                    expectImage(try await browser.get(address))
                    let head = try await browser.request("HEAD", address)
                    expectImage(head)
                    #expect(head.body.isEmpty)

                    let hash = address.suffix(64)
                    let unknown = String(repeating: "0", count: 64)
                    for other in [
                        "\(page)/images/\(unknown)", "/scenes/other/images/\(hash)", "\(page)/images/\(hash)0",
                    ] {
                        let reply = try await browser.get(other)
                        #expect(reply.status == 404 && reply.headers["cache-control"] == "no-store", "\(other)")
                    }
                    #expect(try await browser.request("POST", address).status == 405)
                    #expect(try await browser.get(address, headers: ["Sec-Fetch-Site": "cross-site"]).status == 403)
                    var stranger = browser
                    stranger.cookie = nil
                    #expect(try await stranger.get(address).status == 401)
                }
            }

            @Test("A scene that has moved to another worker has the image at the same address")
            func move() async throws {
                try await installation.withBlocks { session in
                    let browser = try await installation.browser()
                    let address = try await image(of: "/scenes/\(session)", for: browser)
                    let moved = try await installation.scenebus("scene", "move", session)
                    #expect(moved.code == 0, "\(moved.error)")
                    #expect(try await image(of: "/scenes/\(session)", for: browser) == address)
                    // This console has not fetched it before, so it comes from the scene's new worker.
                    expectImage(try await browser.get(address))
                }
            }

            @Test("A screen on a wall gets the images of its own session")
            func wall() async throws {
                try await installation.withBlocks { session in
                    let made = try await installation.until(
                        "request", "consoleWall", "configuration=Blocks", "name=hall", "--json"
                    ) { $0.code == 0 }
                    let link = try made.json(String.self)
                    var screen = try ConsoleBrowser(link: link)
                    #expect(try await screen.logIn(link).status == 303)
                    #expect(try await screen.get("/wall/Blocks").status == 200)
                    let walls: [Wall] = try await installation.scenebus("request", "consoleWalls", "--json").json()
                    let own = try #require(walls.first?.session)
                    let opened = try await installation.scenebus("scene", "act", own, "open")
                    #expect(opened.code == 0, "\(opened.error)")
                    let stream = try await screen.events(at: "/wall/Blocks")
                    _ = try await stream.read { $0.contains("/wall/Blocks/images/") }
                    let address = try await image(of: "/wall/Blocks", for: screen)
                    #expect(address.hasPrefix("/wall/Blocks/images/"))
                    expectImage(try await screen.get(address))
                    // The key opens nothing else.
                    #expect(try await screen.get("/scenes/\(own)/images/\(address.suffix(64))").status == 401)
                    screen.cookie = nil
                    #expect(try await screen.get(address).status == 403)
                }
            }

            /// What `consoleWalls` returns.
            private struct Wall: Decodable {
                var session: String
            }
        }
    }
#endif
