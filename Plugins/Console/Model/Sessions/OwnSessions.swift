/// The sessions that the console has opened: those that browsers have for themselves, and those that it still has to close.
///
/// A browser finds its session of a configuration again as long as its login is kept. Times are in seconds since 1970.
package struct OwnSessions: Hashable, Sendable {
    /// How many sessions there may be, and for how long.
    package struct Limits: Hashable, Sendable {
        /// The number that a browser may have.
        package var each = 8
        /// The number that a user may have, in all browsers in which the user is or was logged in: as many as these may be.
        package var eachUser = 20
        /// The number of all, with those that still have to be closed.
        package var total = 1000
        /// After how long without its browser, and without anybody who looks at it, a session is closed.
        package var restSeconds = 8 * 3600.0

        /// After how long without anybody who looks at it a session gives way to its user's next one, if its login has ended.
        var leftSeconds: Double { min(120, restSeconds) }

        package init() {}
    }

    /// Whose session it is, and of which configuration.
    struct Key: Hashable, Sendable {
        let browser: TokenDigest
        let configuration: String
    }

    /// A session of a browser.
    struct Session: Hashable, Sendable {
        let id: String
        /// When the browser came last, or somebody looked at it.
        var use: Double
        /// The user who has opened it; `nil` for a browser that was logged in with a link.
        var user: String?
    }

    /// What a browser gets that asks for its session.
    package enum Entry: Hashable, Sendable {
        /// The session of this identifier. It may have to be opened, or opened again.
        case session(String)
        /// The browser, or its user, has as many as it may have.
        case tooManyOwn
        case tooMany
    }

    private let limits: Limits
    private(set) var sessions: [Key: Session] = [:]
    /// The sessions that have to be closed.
    private(set) var closing: Set<String> = []

    /// How exact the kept time of the last use is, in seconds, so that not every use has to be kept.
    private var useGranularity: Double { min(60, limits.restSeconds / 4) }

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Takes up the sessions that were open before a restart.
    init(sessions: [Key: Session], closing: Set<String>, limits: Limits, at now: Double) {
        self.limits = limits
        // A clock that was wrong must not keep a session open for ever.
        self.sessions = sessions.mapValues { Session(id: $0.id, use: min($0.use, now), user: $0.user) }
        self.closing = closing
    }

    /// Returns the session of a configuration that a browser has, or is to have from now on.
    ///
    /// The identifier stays the same until the session is closed for want of use. Keep it before the session is opened: a
    /// further attempt then finds what the first one has opened.
    /// - Parameters:
    ///   - user: who is logged in with the browser; `nil` for one that was logged in with a link.
    ///   - isLoggedIn: whether another browser is logged in. What a login has left that has ended gives way.
    package mutating func enter(
        _ configuration: String, for browser: TokenDigest, as user: String? = nil, at now: Double,
        isLoggedIn: (TokenDigest) -> Bool = { _ in true }
    ) -> Entry {
        use(of: browser, at: now)
        let key = Key(browser: browser, configuration: configuration)
        if let session = sessions[key] { return .session(session.id) }
        guard sessions.keys.count(where: { $0.browser == browser }) < limits.each else { return .tooManyOwn }
        guard sessions.count + closing.count < limits.total else { return .tooMany }
        if let user, !makeRoom(for: user, at: now, isLoggedIn) { return .tooManyOwn }
        let id = "browser-\(ConsoleToken().text.prefix(16))"
        sessions[key] = Session(id: id, use: now, user: user)
        return .session(id)
    }

    /// Has the session closed that a user has left longest ago, if the user has as many as a user may have.
    /// - Returns: whether the user may have a further one.
    private mutating func makeRoom(for user: String, at now: Double, _ isLoggedIn: (TokenDigest) -> Bool) -> Bool {
        guard sessions.values.count(where: { $0.user == user }) >= limits.eachUser else { return true }
        guard let id = givingWay(for: user, at: now, isLoggedIn: isLoggedIn) else { return false }
        sessions = sessions.filter { $0.value.id != id }
        closing.insert(id)
        return true
    }

    /// The session that would give way to a further one of a user; `nil` for none.
    package func givingWay(for user: String, at now: Double, isLoggedIn: (TokenDigest) -> Bool) -> String? {
        let own = sessions.filter { $0.value.user == user }
        guard own.count >= limits.eachUser else { return nil }
        let left = own.filter { now - $0.value.use >= limits.leftSeconds && !isLoggedIn($0.key.browser) }
        return left.min { $0.value.use < $1.value.use }?.value.id
    }

    /// The session of a configuration that a browser has; `nil` for none.
    package func session(of configuration: String, for browser: TokenDigest) -> String? {
        sessions[Key(browser: browser, configuration: configuration)]?.id
    }

    /// The sessions that browsers have, in no order.
    package var all: [(id: String, configuration: String, browser: TokenDigest)] {
        sessions.map { ($1.id, $0.configuration, $0.browser) }
    }

    /// The sessions of a browser, in the order of their configurations.
    package func sessions(of browser: TokenDigest) -> [(id: String, configuration: String)] {
        sessions.filter { $0.key.browser == browser }.map { ($1.id, $0.configuration) }
            .sorted { $0.configuration < $1.configuration }
    }

    /// Says that a browser has come.
    package mutating func use(of browser: TokenDigest, at now: Double) {
        for (key, session) in sessions where key.browser == browser && abs(now - session.use) >= useGranularity {
            sessions[key]?.use = now
        }
    }

    /// Says that somebody looks at the scenes of some sessions, be it the browser that has them or another one.
    package mutating func use(of watched: Set<String>, at now: Double) {
        for (key, session) in sessions where watched.contains(session.id) && abs(now - session.use) >= useGranularity {
            sessions[key]?.use = now
        }
    }

    /// Takes up that the clock was set by some seconds: no session has rested for longer because of it.
    package mutating func shift(by seconds: Double) {
        for key in sessions.keys { sessions[key]?.use += seconds }
    }

    /// Gives the sessions of a browser to the login that takes the place of its earlier one: those that the same user has opened, also
    /// if the earlier login has ended by itself.
    /// - Parameter user: who is logged in now; `nil` for a login with a link.
    package mutating func move(from old: TokenDigest, to new: TokenDigest, of user: String? = nil) {
        guard old != new else { return }
        for (key, session) in sessions where key.browser == old && session.user == user {
            let moved = Key(browser: new, configuration: key.configuration)
            guard sessions[moved] == nil else { continue }
            sessions[key] = nil
            sessions[moved] = session
        }
    }

    // MARK: - Closing

    /// Whether there is anything to close, or to ask about before it is closed.
    package func hasRest(at now: Double) -> Bool { !closing.isEmpty || !resting(at: now).isEmpty }

    /// The sessions whose browsers have not come for long enough, and at which nobody has looked here.
    package func resting(at now: Double) -> [String] {
        sessions.values.filter { isResting($0, at: now) }.map(\.id).sorted()
    }

    private func isResting(_ session: Session, at now: Double) -> Bool { now - session.use >= limits.restSeconds }

    /// Returns the sessions that have to be closed: those that rest, and those before that the host has not closed yet.
    /// - Parameter isUnwatched: whether nobody looks at a session elsewhere.
    package mutating func takeResting(at now: Double, isUnwatched: (String) -> Bool = { _ in true }) -> [String] {
        for (key, session) in sessions where isResting(session, at: now) && isUnwatched(session.id) {
            sessions[key] = nil
            closing.insert(session.id)
        }
        return closing.sorted()
    }

    /// Has a session closed that the console has opened for something else.
    package mutating func close(_ session: String) { closing.insert(session) }

    /// The host has closed a session, or did not have it.
    package mutating func closed(_ session: String) {
        closing.remove(session)
        sessions = sessions.filter { $0.value.id != session }
    }
}
