import Testing

@testable import ConsoleModel

/// The sessions that the console opens for browsers. The tests say the time.
@Suite(.timeLimit(.minutes(5)))
struct OwnSessionsTests {
    private let browser = ConsoleToken().digest
    private let other = ConsoleToken().digest

    private func own(_ change: (inout OwnSessions.Limits) -> Void = { _ in }) -> OwnSessions {
        var limits = OwnSessions.Limits()
        change(&limits)
        return OwnSessions(limits: limits)
    }

    private func id(_ entry: OwnSessions.Entry) throws -> String {
        guard case .session(let id) = entry else { throw NoSession() }
        return id
    }

    private struct NoSession: Error {}

    @Test("A browser finds its session of a configuration again, and no other's")
    func again() throws {
        var own = own()
        let wall = try id(own.enter("Wall", for: browser, at: 0))
        #expect(own.enter("Wall", for: browser, at: 7 * 3600) == .session(wall))
        #expect(try id(own.enter("Desk", for: browser, at: 0)) != wall)
        #expect(try id(own.enter("Wall", for: other, at: 0)) != wall)
        // As the host wants them.
        #expect(wall.utf8.count <= 64 && wall.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
    }

    @Test("Whether a browser has a session can be asked without giving it one")
    func ask() throws {
        var own = own()
        #expect(own.session(of: "Wall", for: browser) == nil)
        let wall = try id(own.enter("Wall", for: browser, at: 0))
        #expect(own.session(of: "Wall", for: browser) == wall)
        #expect(own.session(of: "Wall", for: other) == nil && own.session(of: "Desk", for: browser) == nil)
    }

    @Test("A browser has eight sessions, and all together as many as the limit says, with those to be closed")
    func limits() throws {
        var own = own { $0.total = 10 }
        for number in 0..<8 { _ = try id(own.enter("\(number)", for: browser, at: 0)) }
        #expect(own.enter("8", for: browser, at: 0) == .tooManyOwn)
        #expect(try own.enter("7", for: browser, at: 0) == .session(id(own.enter("7", for: browser, at: 0))))
        own.close("wall-a-1")
        _ = try id(own.enter("0", for: other, at: 0))
        #expect(own.enter("1", for: other, at: 0) == .tooMany)
        own.closed("wall-a-1")
        _ = try id(own.enter("1", for: other, at: 0))
    }

    @Test("A user has twenty sessions, and the one gives way that was left longest ago and that nobody looks at")
    func limitOfUser() throws {
        var own = own()
        // The user logs in, opens one and logs out, again and again.
        let left = try (0..<20).map { number in
            try id(own.enter("Wall", for: ConsoleToken().digest, as: "ada", at: Double(number)))
        }
        #expect(own.enter("Wall", for: browser, as: "ada", at: 130) == .tooManyOwn, "all are logged in")
        let early = own.enter("Wall", for: browser, as: "ada", at: 100, isLoggedIn: { _ in false })
        #expect(early == .tooManyOwn, "somebody may be about to look at them")
        own.use(of: [left[0]], at: 100)
        _ = try id(own.enter("Wall", for: browser, as: "ada", at: 130, isLoggedIn: { _ in false }))
        #expect(own.takeResting(at: 130) == [left[1]])
        // Others have theirs, and so have browsers with a link.
        _ = try id(own.enter("Wall", for: other, as: "bob", at: 130))
        for _ in 0..<21 { _ = try id(own.enter("Wall", for: ConsoleToken().digest, at: 130)) }
    }

    @Test("A browser's sessions are known, and one that was closed is its browser's no longer")
    func known() throws {
        var own = own()
        let wall = try id(own.enter("Wall", for: browser, at: 0))
        let desk = try id(own.enter("Desk", for: browser, at: 0))
        let others = try id(own.enter("Wall", for: other, at: 0))
        #expect(own.sessions(of: browser).map(\.id) == [desk, wall])
        #expect(own.sessions(of: browser).map(\.configuration) == ["Desk", "Wall"])
        #expect(Set(own.all.map(\.id)) == [wall, desk, others])
        own.closed(wall)
        #expect(own.sessions(of: browser).map(\.id) == [desk])
        #expect(try id(own.enter("Wall", for: browser, at: 1)) != wall)
        #expect(own.sessions(of: other).map(\.id) == [others])
    }

    @Test("A session whose browser has not come for long enough is closed, until the host has done so")
    func rest() throws {
        var own = own { $0.restSeconds = 1000 }
        let resting = try id(own.enter("Wall", for: browser, at: 0))
        let used = try id(own.enter("Wall", for: other, at: 0))
        own.use(of: other, at: 500)
        #expect(own.takeResting(at: 999) == [])
        #expect(own.takeResting(at: 1000) == [resting])
        #expect(own.takeResting(at: 1001) == [resting], "the host was away")
        // The browser that comes now gets another one.
        #expect(try id(own.enter("Wall", for: browser, at: 1001)) != resting)
        own.closed(resting)
        #expect(own.takeResting(at: 1499) == [])
        #expect(own.takeResting(at: 1500) == [used])
    }

    @Test("A session that somebody looks at does not rest, whoever that is")
    func watched() throws {
        var own = own { $0.restSeconds = 1000 }
        let watched = try id(own.enter("Wall", for: browser, at: 0))
        let resting = try id(own.enter("Desk", for: browser, at: 0))
        for time in [300, 600, 900] { own.use(of: [watched, "someone-else-1"], at: Double(time)) }
        #expect(own.takeResting(at: 1000) == [resting])
        own.closed(resting)
        #expect(own.takeResting(at: 1899) == [])
        #expect(own.takeResting(at: 1900) == [watched])
        own.use(of: [watched], at: 1901)
        #expect(own.takeResting(at: 1901) == [watched], "it is about to be closed")
    }

    @Test("A browser that logs in anew keeps its sessions")
    func move() throws {
        var own = own()
        let wall = try id(own.enter("Wall", for: browser, at: 0))
        own.move(from: browser, to: other)
        #expect(own.enter("Wall", for: other, at: 1) == .session(wall))
        #expect(try id(own.enter("Wall", for: browser, at: 1)) != wall)
        // What the new login has already stays.
        own.move(from: browser, to: other)
        #expect(own.enter("Wall", for: other, at: 1) == .session(wall))
    }

    @Test("A login takes over what its own user has opened, and one with a link what no user has")
    func moveOfUser() throws {
        var own = own()
        let wall = try id(own.enter("Wall", for: browser, as: "ada", at: 0))
        let desk = try id(own.enter("Desk", for: browser, at: 0))
        own.move(from: browser, to: other, of: "bob")
        #expect(own.sessions(of: other).isEmpty)
        own.move(from: browser, to: other)
        #expect(own.sessions(of: other).map(\.id) == [desk])
        own.move(from: browser, to: other, of: "ada")
        #expect(own.sessions(of: other).map(\.id) == [desk, wall])
    }

    @Test("After a restart a session is its user's, also by the file of an earlier version, which does not say whose")
    func keptUser() throws {
        let token = ConsoleToken()
        var logins = ConsoleLogins()
        logins.logIn(token, as: "ada", at: 0)
        var own = own()
        let wall = try id(own.enter("Wall", for: token.digest, as: "ada", at: 0))
        let text = KeptLogins(logins: logins, own: own).text
        let earlier = text.replacing(" 57616c6c 616461", with: " 57616c6c")
        #expect(earlier != text)
        for text in [text, earlier] {
            var kept = KeptLogins(text: text, at: 1)
            #expect(kept.own == own)
            kept.own.move(from: token.digest, to: other)
            #expect(kept.own.sessions(of: other).isEmpty)
            kept.own.move(from: token.digest, to: other, of: "ada")
            #expect(kept.own.sessions(of: other).map(\.id) == [wall])
        }
    }

    @Test("Uses within a minute change nothing that has to be kept")
    func changes() throws {
        var own = own()
        _ = try id(own.enter("Wall", for: browser, at: 0))
        let before = own
        own.use(of: browser, at: 59)
        #expect(own == before)
        own.use(of: browser, at: 60)
        #expect(own != before)
    }

    @Test("A browser that is seen all the time keeps its session, however short the rest is")
    func shortRest() throws {
        var own = own { $0.restSeconds = 20 }
        _ = try id(own.enter("Wall", for: browser, at: 0))
        for time in 1...10 {
            own.use(of: browser, at: Double(10 * time))
            #expect(own.takeResting(at: Double(10 * time)) == [])
        }
    }

    @Test("After a restart each browser has its session, what was to be closed still is, and rest goes on")
    func kept() throws {
        var own = own { $0.restSeconds = 1000 }
        let wall = try id(own.enter("The Wall / 2 ü", for: browser, at: 100))
        own.close("wall-lobby-1")
        var limits = OwnSessions.Limits()
        limits.restSeconds = 1000
        let text = KeptLogins(own: own).text
        var kept = KeptLogins(text: text, ownLimits: limits, at: 200)
        #expect(kept.own == own)
        #expect(kept.own.enter("The Wall / 2 ü", for: browser, at: 100) == .session(wall))
        var later = KeptLogins(text: text, ownLimits: limits, at: 1100)
        #expect(later.own.takeResting(at: 1100) == [wall, "wall-lobby-1"])
        // A clock that was wrong keeps no session open for ever.
        var early = KeptLogins(text: text, ownLimits: limits, at: 50)
        #expect(early.own.takeResting(at: 1050).contains(wall))
    }

    @Test(
        "A session that is not the console's own is not taken up",
        arguments: [
            "close other-1", "close wall-1 2", "open x 1 browser-1 41", "open DIGEST 1 other 41",
            "open DIGEST 1 browser-1 41 x",
        ])
    func foreign(line: String) {
        let line = line.replacing("DIGEST", with: browser.text)
        #expect(KeptLogins(text: "scenebus console 1\n\(line)\n", at: 10).own == OwnSessions())
    }
}
