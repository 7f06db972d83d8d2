import Testing

@testable import ConsoleModel

/// The screens on walls, and their keys.
@Suite(.timeLimit(.minutes(5)))
struct ConsoleWallsTests {
    @Test("A key leads to its screen, and no other key does")
    func keys() throws {
        var walls = ConsoleWalls()
        let entrance = try walls.add("entrance", showing: "Lobby")
        let bar = try walls.add("bar", showing: "Lobby")
        let wall = try #require(walls[entrance.digest])
        #expect(wall.name == "entrance" && wall.configuration == "Lobby")
        #expect(walls[bar.digest]?.session != wall.session)
        #expect(walls[ConsoleToken().digest] == nil)
        #expect(walls.all.map(\.name) == ["bar", "entrance"])
    }

    @Test("A revoked key leads nowhere, and a later screen of its name shows another session")
    func revoked() throws {
        var walls = ConsoleWalls()
        let key = try walls.add("entrance", showing: "Lobby")
        let removed = walls.revoke("entrance")
        let revoked = try #require(removed)
        #expect(revoked.key == key.digest)
        #expect(walls[key.digest] == nil && walls.all.isEmpty)
        #expect(walls.revoke("entrance") == nil)
        let next = try walls.add("entrance", showing: "Lobby")
        #expect(walls[next.digest]?.session != revoked.wall.session)
    }

    @Test("All keys can be revoked at once, and it is known which screens need new ones")
    func revokeAll() throws {
        var walls = ConsoleWalls()
        let key = try walls.add("entrance", showing: "Lobby")
        _ = try walls.add("bar", showing: "Lobby")
        #expect(walls.revokeAll().map(\.name) == ["bar", "entrance"])
        #expect(walls[key.digest] == nil && walls.all.isEmpty)
        #expect(walls.revokeAll().isEmpty)
    }

    @Test("A name is given once, and there is a limit")
    func limits() throws {
        var walls = ConsoleWalls()
        _ = try walls.add("a", showing: "Lobby")
        #expect(throws: ConsoleWalls.Problem.exists) { try walls.add("a", showing: "Bar") }
        for number in 1..<ConsoleWalls.maximumCount { _ = try walls.add("n\(number)", showing: "Lobby") }
        #expect(throws: ConsoleWalls.Problem.tooMany) { try walls.add("b", showing: "Bar") }
    }

    @Test("The session of the longest name has an identifier that a host takes")
    func identifier() throws {
        var walls = ConsoleWalls()
        let key = try walls.add(String(repeating: "a", count: ConsoleWalls.maximumName), showing: "Lobby")
        #expect(try #require(walls[key.digest]).session.utf8.count <= 64)
    }

    @Test(
        "Other texts are no names", arguments: ["", "A", "a b", "a/b", "ü", "a\n", String(repeating: "a", count: 41)])
    func names(name: String) {
        var walls = ConsoleWalls()
        #expect(throws: ConsoleWalls.Problem.name) { try walls.add(name, showing: "Lobby") }
    }

    @Test("What has no page is no configuration", arguments: ["", ".", "..", String(repeating: "a", count: 257)])
    func configurations(name: String) {
        var walls = ConsoleWalls()
        #expect(throws: ConsoleWalls.Problem.configuration) { try walls.add("a", showing: name) }
    }

    @Test("What is no link is refused, and so is an access that there is not, with what there is")
    func linkAndAccess() throws {
        for url in [
            "101", ":101", "1a:b", "a b:c", "sign://1 0", "sign://1\n", "", "s:" + String(repeating: "a", count: 1024),
        ] {
            var walls = ConsoleWalls()
            #expect(throws: ConsoleWalls.Problem.url, "\(url)") { try walls.add("a", showing: "Sign", url: url) }
        }
        let error = #expect(throws: ConsoleWalls.Problem.self) { try ConsoleWalls.Access(named: "view") }
        #expect(error?.description.contains("'show' or 'use'") == true)
        #expect(try ConsoleWalls.Access(named: "use") == .use)
    }

    @Test("A screen keeps its link and its access over a restart", arguments: [nil, ConsoleWalls.Access.show, .use])
    func keptLink(access: ConsoleWalls.Access?) throws {
        var walls = ConsoleWalls()
        _ = try walls.add("door-101", showing: "Sign", url: "sign://101?floor=ü", access: access)
        _ = try walls.add("door-102", showing: "Sign", access: access)
        #expect(KeptLogins(text: KeptLogins(walls: walls, port: 1).text, at: 0).walls == walls)
    }

    @Test("The file of an earlier console still reads, and what it does not say of a screen allows nothing more")
    func earlier() throws {
        let key = ConsoleToken()
        func wall(_ rest: String) -> ConsoleWalls.Wall? {
            let text = "scenebus console 1\nport 1\nwall \(key.digest.text) bar wall-bar-1 4c6f626279\(rest)\n"
            return KeptLogins(text: text, at: 0).walls[key.digest]
        }
        let plain = try #require(wall(""))
        #expect(plain.configuration == "Lobby" && plain.url == nil && plain.access == nil)
        #expect(wall(" use")?.access == .use && wall(" -")?.access == nil)
        #expect(wall(" everything")?.access == .show)
        #expect(wall(" - 7369676e3a2f2f31")?.url == "sign://1")
        #expect(wall(" - 0") == nil && wall(" - 20") == nil && wall(" - 61 61") == nil)
    }

    @Test("After a restart each screen has its key and its session, and the file holds no key")
    func kept() throws {
        var walls = ConsoleWalls()
        let key = try walls.add("entrance", showing: "The Lobby\n2")
        let text = KeptLogins(walls: walls, port: 1).text
        #expect(!text.contains(key.text))
        #expect(KeptLogins(text: text, at: 0).walls == walls)
    }
}
