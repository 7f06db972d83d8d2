// A build without the trait has no console.
#if Console
    import CBOR
    import InMemoryLogging
    import Logging
    import Messaging
    import TestKit

    @testable import console_plugin

    /// A console without connections, whose clock tests drive and whose host is in memory.
    @MainActor
    struct NightConsole {
        let clock = NightClock()
        let host: NightHost
        let console: Console
        private let handler = InMemoryLogHandler()
        private let folder: TemporaryFolder

        /// - Parameters:
        ///   - sessions: the open sessions.
        ///   - configuration: more keys of the configuration.
        ///   - listens: whether the console listens already.
        init(
            open sessions: [String], _ configuration: [String: CBORValue] = [:], listens: Bool = true
        ) throws {
            folder = try TemporaryFolder()
            host = NightHost(clock, open: sessions)
            let standard: [String: CBORValue] = [
                "open": .array([.string("Desk")]), "file": .string("\(folder.path)/console/logins"),
            ]
            let settings = try ConsoleSettings(standard.merging(configuration) { $1 })
            let logger = Logger(label: "night") { [handler] _ in handler }
            console = Console(settings, logger: logger, clock: clock.console) { [host] _ in host.chain }
            if listens { console.listens(on: NightBrowser.port) }
        }

        /// What the console has written to its log.
        var log: [String] { handler.entries.map { "\($0.message)" } }
    }
#endif
