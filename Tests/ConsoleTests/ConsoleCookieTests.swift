import Testing

@testable import ConsoleModel

/// The cookies that the console gives browsers.
@Suite(.timeLimit(.minutes(5)))
struct ConsoleCookieTests {
    @Test("Scripts cannot read a cookie, and browsers send it for pages of this site only")
    func attributes() {
        let token = ConsoleToken()
        let cookie = ConsoleCookie.login(port: 8080, isSecure: false)
        #expect(
            cookie.giving(token)
                == "\(cookie.name)=\(token.text); Path=/; HttpOnly; SameSite=Strict; Max-Age=34560000")
        #expect(cookie.taking == "\(cookie.name)=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
    }

    @Test("Each console of a machine has names of its own, and so has a screen on a wall")
    func names() {
        let cookies = [8080, 8081].flatMap { port in
            [ConsoleCookie.login(port: port, isSecure: false), .wall(port: port, path: "/wall/a", isSecure: false)]
        }
        #expect(Set(cookies.map(\.name)).count == 4)
    }

    @Test("What was asked for is kept for a short time, and known where a link of another site logs in")
    func asked() throws {
        let target = try #require(PageTarget("/open/Desk?ask=1"))
        let cookie = ConsoleCookie.asked(port: 8080, isSecure: true)
        #expect(
            cookie.giving(target)
                == "\(cookie.name)=/open/Desk?ask=1; Path=/; HttpOnly; SameSite=Lax; Max-Age=600; Secure")
        #expect(cookie.name.hasPrefix("__Host-") && cookie.name != ConsoleCookie.login(port: 8080, isSecure: true).name)
    }

    @Test("With TLS, browsers take a cookie with TLS only, and a login's for the whole of this site and no other")
    func secure() {
        let token = ConsoleToken()
        let login = ConsoleCookie.login(port: 8080, isSecure: true).giving(token)
        // Browsers demand these of the prefix.
        #expect(login.hasPrefix("__Host-") && login.contains("; Path=/;") && login.hasSuffix("; Secure"))
        #expect(!login.contains("Domain"))
        let wall = ConsoleCookie.wall(port: 8080, path: "/wall/Lobby", isSecure: true).giving(token)
        #expect(wall.hasPrefix("__Secure-") && wall.contains("; Path=/wall/Lobby;") && wall.hasSuffix("; Secure"))
        #expect(ConsoleCookie.login(port: 8080, isSecure: true).taking.hasSuffix("; Secure"))
    }
}
