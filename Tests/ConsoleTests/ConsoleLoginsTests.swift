import Testing

@testable import ConsoleModel

/// Who is logged in to the console. The tests say the time.
@Suite(.timeLimit(.minutes(5)))
struct ConsoleLoginsTests {
    private func logins(_ change: (inout ConsoleLogins.Limits) -> Void = { _ in }) -> ConsoleLogins {
        var limits = ConsoleLogins.Limits()
        change(&limits)
        return ConsoleLogins(limits: limits)
    }

    @Test("A link logs in once")
    func once() {
        var logins = logins()
        let (link, browser) = (ConsoleToken(), ConsoleToken())
        logins.allow(link: link, at: 0)
        #expect(logins.logIn(browser, with: link, at: 1) == true)
        #expect(logins.use(browser.digest, at: 2) == true)
        let second = ConsoleToken()
        #expect(logins.logIn(second, with: link, at: 2) == false)
        #expect(logins.use(second.digest, at: 2) == false)
    }

    @Test("A form that is posted again has the same identifier; another form, and that of another browser, has another")
    func identifier() {
        let (one, other) = (ConsoleToken(), ConsoleToken())
        let identifier = one.identifier(of: ["s", "action", "go"])
        #expect(identifier.utf8.count == 32 && UInt64(identifier.prefix(16), radix: 16) != nil)
        #expect(one.identifier(of: ["s", "action", "go"]) == identifier)
        #expect(one.identifier(of: ["s", "action", "g", "o"]) != identifier)
        #expect(one.identifier(of: ["s", "action 2 go"]) != identifier)
        #expect(other.identifier(of: ["s", "action", "go"]) != identifier)
    }

    @Test("A link expires after ten minutes")
    func linkExpires() {
        var logins = logins()
        let (early, late) = (ConsoleToken(), ConsoleToken())
        logins.allow(link: early, at: 0)
        logins.allow(link: late, at: 0)
        #expect(logins.logIn(ConsoleToken(), with: early, at: 599) == true)
        #expect(logins.logIn(ConsoleToken(), with: late, at: 600) == false)
    }

    @Test("A browser is logged out after eight hours without use, and not before")
    func idle() {
        var logins = logins()
        let (link, browser) = (ConsoleToken(), ConsoleToken())
        logins.allow(link: link, at: 0)
        #expect(logins.logIn(browser, with: link, at: 0) == true)
        for hour in 1...20 { #expect(logins.use(browser.digest, at: Double(hour) * 3600) == true) }
        #expect(logins.use(browser.digest, at: 28 * 3600) == false)
        #expect(logins.use(browser.digest, at: 28 * 3600) == false)
    }

    @Test("Who logs out is logged out")
    func logOut() {
        var logins = logins()
        let (link, browser) = (ConsoleToken(), ConsoleToken())
        logins.allow(link: link, at: 0)
        #expect(logins.logIn(browser, with: link, at: 0) == true)
        logins.logOut(browser.digest)
        #expect(logins.use(browser.digest, at: 0) == false)
    }

    @Test("All can be logged out, also those who have not used their link yet, and those after them log in")
    func logOutAll() {
        var logins = logins()
        let (used, unused, browser) = (ConsoleToken(), ConsoleToken(), ConsoleToken())
        for link in [used, unused] { logins.allow(link: link, at: 0) }
        #expect(logins.logIn(browser, with: used, at: 0) == true)
        logins.logIn(ConsoleToken(), as: "ada", at: 0)
        #expect(logins.logOutAll() == 2)
        #expect(logins.use(browser.digest, at: 0) == false)
        #expect(logins.logIn(ConsoleToken(), with: unused, at: 0) == false)
        #expect(logins.logOutAll() == 0)
        logins.allow(link: used, at: 1)
        #expect(logins.logIn(browser, with: used, at: 1) == true)
    }

    @Test("Beyond the limits, the oldest link and the browser that was used least recently give way")
    func limits() {
        var logins = logins {
            $0.links = 2
            $0.browsers = 2
        }
        let links = (0..<3).map { _ in ConsoleToken() }
        for (time, link) in links.enumerated() { logins.allow(link: link, at: Double(time)) }
        #expect(logins.logIn(ConsoleToken(), with: links[0], at: 3) == false)
        let browsers = (0..<3).map { _ in ConsoleToken() }
        #expect(logins.logIn(browsers[0], with: links[1], at: 4) == true)
        #expect(logins.logIn(browsers[1], with: links[2], at: 5) == true)
        #expect(logins.use(browsers[0].digest, at: 100) == true)
        let link = ConsoleToken()
        logins.allow(link: link, at: 100)
        #expect(logins.logIn(browsers[2], with: link, at: 101) == true)
        let isLoggedIn = browsers.map { logins.use($0.digest, at: 102) }
        #expect(isLoggedIn == [true, false, true])
    }

    @Test("What is kept logs the same browsers in after a restart, and holds no token")
    func kept() throws {
        var logins = logins()
        let (link, browser) = (ConsoleToken(), ConsoleToken())
        logins.allow(link: link, at: 1000)
        #expect(logins.logIn(browser, with: link, at: 1000) == true)
        let text = KeptLogins(logins: logins, port: 8123).text
        #expect(!text.contains(browser.text) && !text.contains(link.text))
        var kept = KeptLogins(text: text, at: 2000)
        #expect(kept.port == 8123)
        #expect(kept.logins.use(browser.digest, at: 2000) == true)
        #expect(kept.logins.use(ConsoleToken().digest, at: 2000) == false)
        // The use of the first life counts.
        var later = KeptLogins(text: text, at: 1000 + 8 * 3600)
        #expect(later.logins.use(browser.digest, at: 1000 + 8 * 3600) == false)
    }

    @Test("A user is known by the browser, also after a restart, until the browser is logged out")
    func user() throws {
        var logins = logins()
        let (link, plain, browser) = (ConsoleToken(), ConsoleToken(), ConsoleToken())
        logins.allow(link: link, at: 1000)
        #expect(logins.logIn(plain, with: link, at: 1000) == true)
        logins.logIn(browser, as: "ada", at: 1000)
        var kept = KeptLogins(text: KeptLogins(logins: logins).text, at: 2000).logins
        for var logins in [logins, kept] {
            #expect(logins.use(browser.digest, at: 2000) == true)
            #expect(logins.user(of: browser.digest) == "ada")
            #expect(logins.user(of: plain.digest) == nil)
            logins.logOut(browser.digest)
            #expect(logins.user(of: browser.digest) == nil)
        }
        kept.logOutUsers()
        #expect(kept.use(browser.digest, at: 2000) == false)
        #expect(kept.use(plain.digest, at: 2000) == true)
    }

    @Test(
        "A kept browser whose user cannot be read is logged out, and does not become one that has come with a link",
        arguments: ["", "x", "6", "ff", String(repeating: "61", count: 65), "616461 616461"])
    func damagedUser(word: String) {
        let browser = ConsoleToken()
        let line = "browser \(browser.digest.text) 1000 "
        var kept = KeptLogins(text: "scenebus console 1\n\(line)616461\n", at: 1000).logins
        #expect(kept.user(of: browser.digest) == "ada")
        kept = KeptLogins(text: "scenebus console 1\n\(line)\(word)\n", at: 1000).logins
        // A line without the word is one of a browser that has come with a link.
        #expect(kept.use(browser.digest, at: 1000) == word.isEmpty)
        #expect(kept.user(of: browser.digest) == nil)
    }

    @Test("Beyond the limit of a user, the user's own browser that was used least recently gives way")
    func limitOfUser() {
        var logins = logins { $0.browsersOfUser = 2 }
        let (browsers, other) = ((0..<3).map { _ in ConsoleToken() }, ConsoleToken())
        logins.logIn(other, as: "bob", at: 0)
        for (time, browser) in browsers.enumerated() { logins.logIn(browser, as: "ada", at: Double(time + 1)) }
        let isLoggedIn = (browsers + [other]).map { logins.use($0.digest, at: 4) }
        #expect(isLoggedIn == [false, true, true, true])
    }

    @Test("A use in the future, by a clock that was wrong, does not keep a browser logged in for ever")
    func wrongClock() {
        let browser = ConsoleToken()
        let text = "scenebus console 1\nbrowser \(browser.digest.text) 99999999999\n"
        var kept = KeptLogins(text: text, at: 1000)
        #expect(kept.logins.use(browser.digest, at: 1000) == true)
        #expect(kept.logins.use(browser.digest, at: 1000 + 8 * 3600) == false)
    }

    @Test(
        "Lines that are none are left out",
        arguments: [
            "", "scenebus console 2\nport 1", "scenebus console 1\nport 0", "scenebus console 1\nport many\n\n",
            "scenebus console 1\nbrowser x 1", "scenebus console 1\nbrowser \(String(repeating: "a", count: 64)) nan",
            "scenebus console 1\nbrowser \(String(repeating: "A", count: 64)) 1",
        ])
    func damaged(text: String) {
        let kept = KeptLogins(text: text, at: 10)
        #expect(kept.port == nil)
        #expect(kept.logins.browsers.isEmpty)
    }

    @Test("A file of another version, or of something else, is not taken for one that holds nothing")
    func version() {
        #expect(KeptLogins.isKept(KeptLogins().text))
        #expect(KeptLogins.isKept(KeptLogins(port: 1).text))
        for text in ["", "\n", "scenebus console 2\nport 1\n", "port 1\n"] { #expect(!KeptLogins.isKept(text)) }
    }

    @Test("Uses within a minute change nothing that has to be kept")
    func changes() {
        var logins = logins()
        let (link, browser) = (ConsoleToken(), ConsoleToken())
        logins.allow(link: link, at: 0)
        #expect(logins.logIn(browser, with: link, at: 0) == true)
        let before = logins
        #expect(logins.use(browser.digest, at: 59) == true)
        #expect(logins == before)
        #expect(logins.use(browser.digest, at: 60) == true)
        #expect(logins != before)
    }

    @Test("A token is 64 digits, and its form token follows from it alone")
    func tokens() throws {
        let token = ConsoleToken()
        let same = try #require(ConsoleToken(token.text))
        #expect(token.isFormToken(same.formToken))
        #expect(!token.isFormToken(ConsoleToken().formToken))
        #expect(!token.isFormToken(token.text) && !token.isFormToken(token.digest.text) && !token.isFormToken(""))
        #expect("\(token)" == "a token")
        for text in ["", "abc", String(repeating: "g", count: 64), token.text + "0", token.text.uppercased() + "é"] {
            #expect(ConsoleToken(text) == nil)
        }
    }
}
