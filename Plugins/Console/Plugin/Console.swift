#if Console
    import ConsoleModel
    import ConsolePages
    import Glibc
    import Logging
    import Messaging
    import PluginKit

    /// The console: who is logged in, what they look at, and what they are shown.
    @MainActor
    final class Console {
        /// The time between two signs of life on each stream.
        private static let beatTime = Duration.seconds(10)
        /// The number of streams of changes, of all browsers and of each.
        static let streams = (total: 10_000, each: 32)
        /// The number of forms that are read at a time, of all, and of each user or browser.
        private static let forms = (total: 64, each: 8)
        /// The number of acts that wait for the host at a time, of all, of each user or browser, and in each scene.
        private static let acts = (total: 256, each: 16, scene: 8)
        /// The number of pages that are drawn and written at a time, for all, and for each user or browser.
        private static let drawings = (total: 128, each: 16)
        /// The number of forms with a password that are read at a time, of all and of each machine.
        private static let passwordForms = (total: 32, each: 4)
        /// The number of passwords that are checked at a time, of all and of each machine.
        private static let passwordChecks = (total: 8, each: 2)
        /// The number of scenes that are watched at a time for requests alone, which have no stream, for all, and for each user or browser:
        /// fewer than all that are watched.
        private static let visits = (total: 500, each: 32)

        let settings: ConsoleSettings
        let overview: Overview
        let traffic: Traffic
        let watching: SceneWatching
        let images: SceneImages
        let opening: SessionOpening
        var streams = Places<TokenDigest>(total: Console.streams.total, each: Console.streams.each)
        var forms = Places<PlaceOwner>(total: Console.forms.total, each: Console.forms.each)
        var acts = Places<PlaceOwner>(total: Console.acts.total, each: Console.acts.each)
        var sceneActs = Places<String>(total: Console.acts.total, each: Console.acts.scene)
        var drawings = Places<PlaceOwner>(total: Console.drawings.total, each: Console.drawings.each)
        var passwordForms = Places<PlaceOwner>(total: Console.passwordForms.total, each: Console.passwordForms.each)
        var passwordChecks = Places<PlaceOwner>(total: Console.passwordChecks.total, each: Console.passwordChecks.each)
        var visits = Places<PlaceOwner>(total: Console.visits.total, each: Console.visits.each)
        var logins = ConsoleLogins()
        /// The sessions that the console has opened for browsers.
        var own: OwnSessions
        var walls = ConsoleWalls()
        /// The closing of sessions; `nil` while none is closed.
        var closing: Task<Void, Never>?
        /// What the console refuses from pages of other sites; `nil` until it listens.
        var check: RequestCheck?
        /// The certificate; `nil` for a console that speaks no TLS.
        var certificate: LiveCertificate?

        let logger: Logger
        /// The chain to the host, for what a user does; for `nil` the console's own.
        private let chain: @MainActor (_ user: String?) -> ResponderChain
        let clock: ConsoleClock
        private var jumps: ClockJumps
        private let file: LoginsFile
        /// The port; `nil` until the console listens.
        var port: Int?
        /// Whether the host has admitted the console, and whether the log says how browsers come in.
        var (isAttached, hasSaidReady) = (false, false)

        convenience init(_ settings: ConsoleSettings, plugin: Plugin) {
            self.init(settings, logger: plugin.logger, clock: .system) { user in
                user.map { plugin.chain(actingFor: $0) } ?? plugin.chain
            }
            plugin.onAttach = { [weak self] in self?.attaches() }
        }

        /// - Parameter chain: returns the chain to the host, for what a user does, or for the console's own acts.
        init(
            _ settings: ConsoleSettings, logger: Logger, clock: ConsoleClock,
            over chain: @escaping @MainActor (_ user: String?) -> ResponderChain
        ) {
            self.settings = settings
            self.logger = logger
            self.clock = clock
            jumps = ClockJumps(time: clock.time(), instant: clock.now())
            self.chain = chain
            own = OwnSessions(limits: settings.own)
            file = LoginsFile(settings.file, own: settings.own, logger: logger)
            overview = Overview(clock) { chain(nil) }
            traffic = Traffic(clock) { chain(nil) }
            watching = SceneWatching(clock) { chain(nil) }
            images = SceneImages { chain(nil) }
            opening = SessionOpening(over: chain)
        }

        /// The chain for what a user does; `nil` for those who have no name: what they do is the console's own act.
        func chain(actingFor user: String?) -> ResponderChain { chain(user) }

        /// The time of day, in seconds since 1970. If the clock was set, the times that are kept have been moved along.
        var now: Double {
            followClock()
            return clock.time()
        }

        /// Whether the console listens, and knows what it has kept.
        var isReady: Bool { port != nil }

        /// What whoever is logged in may do with a scene, unless it is a user who may only see it.
        var access: SceneAccess { settings.role == .viewer ? .view : .use }

        /// What a user may do with a scene; `nil` for those who have come with a link.
        func access(of user: String?) -> SceneAccess { user.map(settings.isViewer) == true ? .view : access }

        /// What those who stand before a screen on a wall may do with its scene.
        func access(of wall: ConsoleWalls.Wall) -> SceneAccess {
            (wall.access.map { $0 == .use } ?? settings.wallsAreUsed) ? access : .view
        }

        /// The cookie of a login.
        var cookie: ConsoleCookie { .login(port: port ?? 0, isSecure: settings.isSecure) }

        /// The cookie of the page that was asked for before a login.
        var askedCookie: ConsoleCookie { .asked(port: port ?? 0, isSecure: settings.isSecure) }

        /// The cookie of a screen on a wall.
        func wallCookie(of configuration: String) -> ConsoleCookie {
            .wall(port: port ?? 0, path: SceneAddress.wall(configuration).path, isSecure: settings.isSecure)
        }

        // MARK: - Running

        /// Listens until the task is cancelled.
        func run() async throws {
            let kept = try file.read(at: now)
            (logins, own, walls) = (kept.logins, kept.own, kept.walls)
            if settings.users == .none { logins.logOutUsers() }
            if let files = settings.certificate {
                certificate = try await LiveCertificate(files, for: settings.host, at: now, logger: logger)
            }
            try await withThrowingTaskGroup { group in
                let listen: @MainActor @Sendable () async throws -> Void = { try await self.listen(last: kept.port) }
                let beat: @MainActor @Sendable () async throws -> Void = { try await self.beat() }
                let sample: @MainActor @Sendable () async throws -> Void = { try await self.traffic.run() }
                group.addTask(operation: sample)
                group.addTask(operation: listen)
                group.addTask(operation: beat)
                defer { group.cancelAll() }
                try await group.next()
            }
        }

        /// Does every few seconds what nobody asks for, until the task is cancelled.
        func beat() async throws {
            while true {
                try await clock.sleep(Self.beatTime)
                followClock()
                let now = now
                for owner in streams.owners where walls[owner] == nil && !isLoggedIn(owner, at: now) {
                    watching.end(streamsOf: owner, "You are no longer logged in.")
                }
                own.use(of: watching.sessions, at: now)
                closeSessions(at: now)
                watching.beat()
                save()
                await certificate?.renew(at: now)
            }
        }

        /// Finds out whether the clock was set, which would log all out at once, or nobody for long.
        func followClock() {
            guard let jump = jumps.next(time: clock.time(), instant: clock.now()) else { return }
            logger.notice("the clock was set; nobody is logged out for that", metadata: ["seconds": "\(Int(jump))"])
            logins.shift(by: jump)
            own.shift(by: jump)
        }

        /// Keeps who is logged in.
        func save() { file.save(KeptLogins(logins: logins, own: own, walls: walls, port: port)) }

        /// Keeps it, and waits until it is in the file.
        /// - Returns: why it is not; `nil` if it is.
        @discardableResult
        func saveNow() async -> String? {
            save()
            return await file.finish()
        }

        // MARK: - Logging in

        /// Returns an address that logs one browser in; `nil` until the console listens.
        func makeLink() -> String? {
            guard let origin else { return nil }
            let token = ConsoleToken()
            logins.allow(link: token, at: now)
            return "\(origin)/login?token=\(token.text)"
        }

        /// How browsers begin the addresses of pages; `nil` until the console listens.
        var origin: String? {
            guard let port else { return nil }
            let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
            return settings.address?.origin ?? "\(settings.certificate == nil ? "http" : "https")://\(host):\(port)"
        }

        /// Says that a browser is being used.
        /// - Returns: whether it is logged in.
        func isLoggedIn(_ browser: TokenDigest, at now: Double) -> Bool {
            guard logins.use(browser, at: now) else { return false }
            own.use(of: browser, at: now)
            return true
        }

        // MARK: - Streams

        /// A stream of a browser has ended.
        func leave(_ channel: SceneChannel, of owner: TokenDigest) {
            streams.leave(owner)
            watching.visitors(of: channel)?.go(owner)
            watching.leave(channel)
        }
    }
#endif
