#if Console
    import ConsoleModel
    import ConsolePages
    import Glibc
    import Logging
    import Messaging
    import Monotonic
    import PluginKit

    /// The console: who is logged in, what they look at, and what they are shown.
    @MainActor
    final class Console {
        /// The time between two signs of life on each stream.
        private static let beatTime = Duration.seconds(10)
        /// The number of streams of changes, of all browsers and of each.
        private static let streams = (total: 10_000, each: 32)
        /// The number of forms that are read and acted on at a time, of all browsers and of each.
        private static let forms = (total: 64, each: 8)

        let settings: ConsoleSettings
        let overview: Overview
        let watching: SceneWatching
        var streams = Places<TokenDigest>(total: Console.streams.total, each: Console.streams.each)
        var forms = Places<TokenDigest>(total: Console.forms.total, each: Console.forms.each)
        var logins = ConsoleLogins()
        /// What the console refuses from pages of other sites; `nil` until it listens.
        private(set) var check: RequestCheck?

        private let plugin: Plugin
        private let file: LoginsFile
        private var port: Int?

        init(_ settings: ConsoleSettings, plugin: Plugin) {
            self.settings = settings
            self.plugin = plugin
            file = LoginsFile(settings.file, logger: plugin.logger)
            overview = Overview { plugin.chain }
            watching = SceneWatching(access: settings.role == .viewer ? .view : .use) { plugin.chain }
        }

        var chain: ResponderChain { plugin.chain }

        /// The name of the cookie. Cookies do not tell ports apart, so that the consoles of one machine need a name each.
        var cookie: String { "scenebus-console-\(port ?? 0)" }

        // MARK: - Running

        /// Listens until the task is cancelled.
        func run() async throws {
            let kept = file.read(at: ConsoleClock.now)
            logins = kept.logins
            // With the port of its last life, the console is found again by the browsers that were logged in.
            let ports = settings.port == 0 ? [kept.port, 0].compactMap { $0 } : [settings.port]
            try await withThrowingTaskGroup { group in
                let listen: @MainActor @Sendable () async throws -> Void = { try await self.listen(on: ports) }
                let beat: @MainActor @Sendable () async throws -> Void = { try await self.beat() }
                group.addTask(operation: listen)
                group.addTask(operation: beat)
                defer { group.cancelAll() }
                try await group.next()
            }
        }

        private func listen(on ports: [Int]) async throws {
            let server = ConsoleServer(
                console: self, logger: plugin.logger, limits: ConnectionLimits(total: Self.maximumConnections))
            for (number, port) in ports.enumerated() {
                do {
                    return try await server.run(on: settings.listen, port: port) { await self.listens(on: $0) }
                } catch let error where !(error is CancellationError) {
                    guard self.port == nil, number < ports.count - 1 else {
                        throw SettingsError("cannot listen on \(settings.listen), port \(port): \(error)")
                    }
                    plugin.logger.notice(
                        "the port of the last time is in use, so browsers have to log in again",
                        metadata: ["port": "\(port)"])
                }
            }
        }

        /// As many as all streams need, and some more, or as many as the process may have files.
        private static var maximumConnections: Int {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            return max(16, min(streams.total + 1000, Int(clamping: limit.rlim_cur) - 100))
        }

        private func listens(on port: Int) {
            self.port = port
            check = RequestCheck(port: port, address: settings.address)
            save()
            if let link = makeLink() {
                plugin.logger.notice("this address logs one browser in, once, within ten minutes: \(link)")
            }
            // The host quotes the last line of a plugin that has crashed to all who may list plugins.
            plugin.logger.notice("the console is ready", metadata: ["port": "\(port)"])
        }

        private func beat() async throws {
            while true {
                try await Task.sleep(for: Self.beatTime)
                let now = ConsoleClock.now
                for owner in streams.owners where !logins.use(owner, at: now) {
                    watching.end(streamsOf: owner, "You are no longer logged in.")
                }
                watching.beat(at: .now)
                save()
            }
        }

        /// Keeps who is logged in.
        func save() { file.save(KeptLogins(logins: logins, port: port)) }

        // MARK: - Logging in

        /// Returns an address that logs one browser in; `nil` until the console listens.
        func makeLink() -> String? {
            guard let port else { return nil }
            let token = ConsoleToken()
            logins.allow(link: token, at: ConsoleClock.now)
            let host = settings.isLocal && settings.listen != "::1" ? "127.0.0.1" : "[::1]"
            return "\(settings.address?.origin ?? "http://\(host):\(port)")/login?token=\(token.text)"
        }

        /// The header that gives a browser its cookie, or takes it away.
        func setCookie(_ browser: ConsoleToken?) -> String {
            let secure = settings.address?.isSecure == true ? "; Secure" : ""
            let value = browser.map { $0.text } ?? ""
            return "\(cookie)=\(value); Path=/; HttpOnly; SameSite=Strict\(secure)"
                + (browser == nil ? "; Max-Age=0" : "")
        }

        // MARK: - Streams

        /// A stream has ended.
        func leave(_ stream: SceneStream) {
            stream.close()
            streams.leave(stream.owner)
            watching.leave(stream.channel)
        }
    }

    /// The time of day.
    enum ConsoleClock {
        /// In seconds since 1970.
        static var now: Double {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
    }
#endif
