/// Who is logged in to the console: the links that log browsers in, and the browsers that are logged in, with such a link or
/// as a user.
///
/// It holds digests of links and browsers only. Times are in seconds since 1970.
package struct ConsoleLogins: Hashable, Sendable {
    /// What the console keeps, and for how long.
    package struct Limits: Hashable, Sendable {
        /// For how long a link can be used.
        package var linkSeconds = 600.0
        /// After how long without any use a browser has to log in again.
        package var idleSeconds = 8 * 3600.0
        /// The number of unused links. A further one takes the place of the oldest.
        package var links = 100
        /// The number of browsers. A further one takes the place of the one that was used least recently.
        package var browsers = 1000
        /// The number of browsers in which a user is logged in, so that no user takes the place of all others.
        package var browsersOfUser = 20

        package init() {}
    }

    /// A browser that is logged in.
    struct Browser: Hashable, Sendable {
        /// When it was used last.
        var use: Double
        /// The name of the user; `nil` for a browser that was logged in with a link.
        var user: String?
    }

    /// How exact the kept time of the last use is, in seconds, so that not every use has to be kept.
    private static let useGranularity = 60.0

    private let limits: Limits
    /// When each link expires.
    private var links: [TokenDigest: Double] = [:]
    private(set) var browsers: [TokenDigest: Browser] = [:]
    /// Counts the changes that a restart must not forget.
    package private(set) var changes: UInt64 = 0

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Takes up browsers that were logged in before a restart.
    init(browsers: [TokenDigest: Browser], limits: Limits = Limits(), at now: Double) {
        self.limits = limits
        for (digest, var browser) in browsers {
            // A clock that was wrong must not keep a browser logged in for ever.
            browser.use = min(browser.use, now)
            if now - browser.use < limits.idleSeconds { self.browsers[digest] = browser }
        }
        while self.browsers.count > limits.browsers { removeOldestBrowser() }
    }

    /// Allows a link to be used once.
    package mutating func allow(link: ConsoleToken, at now: Double) {
        links = links.filter { $0.value > now }
        if links.count >= limits.links, let oldest = links.min(by: { $0.value < $1.value })?.key { links[oldest] = nil }
        links[link.digest] = now + limits.linkSeconds
    }

    /// Logs a browser in with a link, which then is used up.
    /// - Returns: whether the link was one that could be used.
    package mutating func logIn(_ browser: ConsoleToken, with link: ConsoleToken, at now: Double) -> Bool {
        guard let expiry = links.removeValue(forKey: link.digest), expiry > now else { return false }
        add(browser, Browser(use: now), at: now)
        return true
    }

    /// Logs a browser in as a user, whose password was checked.
    package mutating func logIn(_ browser: ConsoleToken, as user: String, at now: Double) {
        if browsers.values.count(where: { $0.user == user }) >= limits.browsersOfUser {
            removeOldestBrowser { $0.user == user }
        }
        add(browser, Browser(use: now, user: user), at: now)
    }

    private mutating func add(_ token: ConsoleToken, _ browser: Browser, at now: Double) {
        browsers = browsers.filter { now - $0.value.use < limits.idleSeconds }
        if browsers.count >= limits.browsers { removeOldestBrowser() }
        browsers[token.digest] = browser
        changes += 1
    }

    /// The name of the user who is logged in with a browser; `nil` if it was logged in with a link, or is not logged in.
    package func user(of browser: TokenDigest) -> String? { browsers[browser]?.user }

    /// Whether a browser is logged in, as far as it is known.
    package func knows(_ browser: TokenDigest) -> Bool { browsers[browser] != nil }

    /// Says that a browser is being used.
    /// - Returns: whether it is logged in.
    package mutating func use(_ browser: TokenDigest, at now: Double) -> Bool {
        guard let use = browsers[browser]?.use else { return false }
        guard now - use < limits.idleSeconds else {
            browsers[browser] = nil
            changes += 1
            return false
        }
        if abs(now - use) >= Self.useGranularity {
            browsers[browser]?.use = now
            changes += 1
        }
        return true
    }

    /// Takes up that the clock was set by some seconds: nobody has been away for longer because of it.
    package mutating func shift(by seconds: Double) {
        links = links.mapValues { $0 + seconds }
        for browser in browsers.keys { browsers[browser]?.use += seconds }
        changes += 1
    }

    /// Logs a browser out.
    package mutating func logOut(_ browser: TokenDigest) {
        if browsers.removeValue(forKey: browser) != nil { changes += 1 }
    }

    /// Logs all browsers out, and has no link log one in that was made so far.
    /// - Returns: how many were logged in.
    package mutating func logOutAll() -> Int {
        let count = browsers.count
        if count > 0 { changes += 1 }
        (browsers, links) = ([:], [:])
        return count
    }

    /// Logs all users out, and not those who have come with a link.
    package mutating func logOutUsers() {
        let others = browsers.filter { $0.value.user == nil }
        guard others.count < browsers.count else { return }
        browsers = others
        changes += 1
    }

    private mutating func removeOldestBrowser(where isMeant: (Browser) -> Bool = { _ in true }) {
        let oldest = browsers.filter { isMeant($0.value) }.min { $0.value.use < $1.value.use }
        if let oldest { browsers[oldest.key] = nil }
    }
}
