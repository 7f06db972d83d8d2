/// Who is logged in to the console: the links that log browsers in, and the browsers that have used one.
///
/// It holds digests only. Times are in seconds since 1970.
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

        package init() {}
    }

    /// How exact the kept time of the last use is, in seconds, so that not every use has to be kept.
    private static let useGranularity = 60.0

    private let limits: Limits
    /// When each link expires.
    private var links: [TokenDigest: Double] = [:]
    /// When each browser was used last.
    private(set) var browsers: [TokenDigest: Double] = [:]
    /// Counts the changes that a restart must not forget.
    package private(set) var changes: UInt64 = 0

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Takes up browsers that were logged in before a restart.
    init(browsers: [TokenDigest: Double], limits: Limits = Limits(), at now: Double) {
        self.limits = limits
        for (browser, use) in browsers {
            // A clock that was wrong must not keep a browser logged in for ever.
            let use = min(use, now)
            if now - use < limits.idleSeconds { self.browsers[browser] = use }
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
        dropIdle(at: now)
        if browsers.count >= limits.browsers { removeOldestBrowser() }
        browsers[browser.digest] = now
        changes += 1
        return true
    }

    /// Says that a browser is being used.
    /// - Returns: whether it is logged in.
    package mutating func use(_ browser: TokenDigest, at now: Double) -> Bool {
        guard let use = browsers[browser] else { return false }
        guard now - use < limits.idleSeconds else {
            browsers[browser] = nil
            changes += 1
            return false
        }
        if abs(now - use) >= Self.useGranularity {
            browsers[browser] = now
            changes += 1
        }
        return true
    }

    /// Logs a browser out.
    package mutating func logOut(_ browser: TokenDigest) {
        if browsers.removeValue(forKey: browser) != nil { changes += 1 }
    }

    private mutating func dropIdle(at now: Double) {
        browsers = browsers.filter { now - $0.value < limits.idleSeconds }
    }

    private mutating func removeOldestBrowser() {
        if let oldest = browsers.min(by: { $0.value < $1.value })?.key { browsers[oldest] = nil }
    }
}
