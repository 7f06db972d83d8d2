// A build without the trait has no console.
#if Console
    import ConsoleModel
    import ConsolePages
    import Messaging
    import Testing

    @testable import console_plugin

    /// Screens of one configuration that show different things.
    @Suite(.timeLimit(.minutes(5)))
    @MainActor
    struct WallLinkTests {
        private func screen(_ night: NightConsole, _ address: String) -> NightBrowser {
            let key = address.split(separator: "=").last.map(String.init) ?? ""
            return NightBrowser(night.console, cookie: "\(night.console.wallCookie(of: "Sign").name)=\(key)")
        }

        private func add(
            _ night: NightConsole, _ name: String, url: String? = nil, access: String? = nil
        ) async throws -> NightBrowser {
            let address = try await night.handle {
                try await $0.consoleWall(configuration: "Sign", name: name, url: url, access: access)
            }
            return screen(night, address)
        }

        @Test("Each screen's session is opened with the screen's own link, also when it has to be opened again")
        func links() async throws {
            let night = try NightConsole(open: [])
            let (one, two) = (try await add(night, "door-101", url: "sign://101"), try await add(night, "door-102"))
            for screen in [one, two, one] { #expect(await screen.get("/wall/Sign")?.status == 200) }
            #expect(night.host.links == [.url("sign://101")])
            let walls = night.console.walls.all
            #expect(walls.map(\.url) == ["sign://101", nil] && walls.map(\.access) == [nil, nil])
            try await night.console.opening.close(try #require(walls.first).session)
            #expect(await one.get("/wall/Sign")?.status == 200)
            #expect(night.host.links == [.url("sign://101"), .url("sign://101")])
        }

        @Test(
            "What is said of one screen goes before what is said of all, and nobody uses anything where all only look",
            arguments: [("view", "user"), ("use", "user"), ("use", "viewer")])
        func access(walls: String, role: String) async throws {
            let night = try NightConsole(open: [], ["walls": .string(walls), "role": .string(role)])
            for (name, access) in [("a", nil), ("b", "show"), ("c", "use")] as [(String, String?)] {
                let page = try #require(try await add(night, name, access: access).get("/wall/Sign"))
                let isUsed = role == "user" && (access ?? walls) == "use"
                #expect(page.text.contains("<form") == isUsed, "\(name)")
            }
        }

        @Test("A link or an access that makes no sense adds no screen")
        func refused() async throws {
            let night = try NightConsole(open: [])
            await #expect(throws: ConsoleWalls.Problem.url) { _ = try await add(night, "a", url: "101") }
            await #expect(throws: ConsoleWalls.Problem.access) { _ = try await add(night, "a", access: "all") }
            #expect(night.console.walls.all.isEmpty)
        }
    }
#endif
