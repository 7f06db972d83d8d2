#if Console
    import ConsoleModel
    import Glibc
    import Logging
    import NIOCore
    import PeerLink
    import PluginKit

    /// How the console comes to its port.
    extension Console {
        /// Listens until the task is cancelled.
        /// - Parameter last: the port of the console's last life; `nil` for none.
        func listen(last: Int?) async throws {
            // With its last port, the console is found again by the browsers that were logged in.
            let ports = settings.port == 0 ? [last, 0].compactMap { $0 } : [settings.port]
            let limits = ConnectionLimits(total: Self.maximumConnections, proxy: settings.proxy)
            let server = ConsoleServer(console: self, logger: logger, limits: limits, certificate: certificate)
            for (number, port) in ports.enumerated() {
                do {
                    return try await server.run(on: settings.listen, port: port) { await self.listens(on: $0) }
                } catch let error where !(error is CancellationError) {
                    if self.port == nil, port == last, Self.isTaken(port, error) { await endLogins(ofTaken: port) }
                    guard self.port == nil, number < ports.count - 1 else {
                        throw SettingsError(
                            "cannot listen on \(settings.listen), port \(port): \(error); \(Self.advice(error))")
                    }
                    logger.notice(
                        "the port of the last time is in use, so browsers have to log in again",
                        metadata: ["port": "\(port)"])
                }
            }
        }

        /// What to write instead of an address or a port on which the console cannot listen.
        private static func advice(_ error: any Error) -> String {
            switch (error as? IOError)?.errnoCode {
            case EADDRINUSE: "end the program that listens there, or set 'port' to a free one, or to 0 for any"
            case EADDRNOTAVAIL: "set 'listen' to an address that this machine has"
            case EACCES: "set 'port' to one that this user may use: from 1024 on, as a rule"
            default: "set 'listen' or 'port' to another one"
            }
        }

        /// Whether somebody else listens on a port on which the console cannot listen. An earlier process of this user may be about to end,
        /// and could read what the console keeps anyway.
        private static func isTaken(_ port: Int, _ error: any Error) -> Bool {
            let users = ["tcp", "tcp6"].reduce(into: Set<UInt32>()) { users, table in
                users.formUnion(PortUsers.listening(on: port, in: KernelFile.text(of: "/proc/net/\(table)") ?? ""))
            }
            // Whoever it was may have gone by now, or the system may not say it.
            guard !users.isEmpty else { return (error as? IOError)?.errnoCode == EADDRINUSE }
            return users != [geteuid()]
        }

        /// As many as all streams need, and some more, or as many as the process may have files.
        private static var maximumConnections: Int {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            return max(16, min(streams.total + 1000, Int(clamping: limit.rlim_cur) - 100))
        }

        /// The console listens, so browsers can come.
        func listens(on port: Int) {
            self.port = port
            check = RequestCheck(
                port: port, listen: settings.listen, speaksTLS: certificate != nil, address: settings.address)
            save()
            sayReady()
        }

        /// The host has admitted the console.
        func attaches() {
            isAttached = true
            sayReady()
        }

        /// Says once how browsers come in. A console that its host refuses shows nothing to them.
        private func sayReady() {
            guard isAttached, !hasSaidReady, let port, let link = makeLink() else { return }
            hasSaidReady = true
            logger.notice("this address logs one browser in, once, within ten minutes: \(link)")
            // The host quotes the last line of a plugin that has crashed to all who may list plugins.
            logger.notice("the console is ready", metadata: ["port": "\(port)"])
        }
    }
#endif
