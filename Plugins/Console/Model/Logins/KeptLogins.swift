/// What the console keeps over a restart: which browsers are logged in, the sessions that it has opened, the screens on walls,
/// and its port, without which they would not find it.
package struct KeptLogins: Hashable, Sendable {
    /// The largest file that is read, in bytes.
    package static let maximumSize = 4 << 20

    private static let firstLine = "scenebus console 1"

    package var logins: ConsoleLogins
    package var own: OwnSessions
    package var walls: ConsoleWalls
    /// The port on which the console listened last; `nil` for none.
    package var port: Int?

    package init(
        logins: ConsoleLogins = ConsoleLogins(), own: OwnSessions = OwnSessions(),
        walls: ConsoleWalls = ConsoleWalls(), port: Int? = nil
    ) {
        self.logins = logins
        self.own = own
        self.walls = walls
        self.port = port
    }

    /// Whether a text is that of a file of this version.
    package static func isKept(_ text: String) -> Bool { text.split(separator: "\n").first == firstLine[...] }

    /// Reads what was kept. A line that is none is left out: who is not found has to log in again.
    /// - Parameter now: in seconds since 1970.
    package init(
        text: String, limits: ConsoleLogins.Limits = ConsoleLogins.Limits(),
        ownLimits: OwnSessions.Limits = OwnSessions.Limits(), at now: Double
    ) {
        var kept = KeptLines()
        var lines = text.split(separator: "\n")[...]
        if lines.popFirst() == Self.firstLine[...] {
            for line in lines { kept.read(line) }
        }
        port = kept.port
        logins = ConsoleLogins(browsers: kept.browsers, limits: limits, at: now)
        for (key, session) in kept.sessions where session.user == nil {
            // The file of an earlier version does not say who has opened them.
            kept.sessions[key]?.user = logins.user(of: key.browser)
        }
        own = OwnSessions(sessions: kept.sessions, closing: kept.closing, limits: ownLimits, at: now)
        walls = ConsoleWalls(walls: kept.walls)
    }

    /// The text of the file.
    package var text: String {
        let port = port.map { ["port \($0)"] } ?? []
        let browsers = logins.browsers.map { digest, browser in
            "browser \(digest.text) \(browser.use)" + (browser.user.map { " \(KeptText.encode($0))" } ?? "")
        }
        let sessions = own.sessions.map { key, session in
            "open \(key.browser.text) \(session.use) \(session.id) \(KeptText.encode(key.configuration))"
                + (session.user.map { " \(KeptText.encode($0))" } ?? "")
        }
        let closing = own.closing.map { "close \($0)" }
        let walls = walls.walls.map { key, wall in
            "wall \(key.text) \(wall.name) \(wall.session) \(KeptText.encode(wall.configuration))"
                + (wall.access == nil && wall.url == nil ? "" : " \(wall.access?.rawValue ?? KeptText.none)")
                + (wall.url.map { " \(KeptText.encode($0))" } ?? "")
        }
        let lines = [browsers, sessions, closing, walls].flatMap { $0.sorted() }
        return ([Self.firstLine] + port + lines).map { $0 + "\n" }.joined()
    }
}
