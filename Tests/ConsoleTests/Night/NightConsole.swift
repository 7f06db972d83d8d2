// A build without the trait has no console.
#if Console
    import CBOR
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
        private let folder: TemporaryFolder

        /// - Parameter sessions: the open sessions.
        init(open sessions: [String]) throws {
            folder = try TemporaryFolder()
            host = NightHost(clock, open: sessions)
            let settings = try ConsoleSettings([
                "open": .array([.string("Desk")]), "file": .string("\(folder.path)/console/logins"),
            ])
            let logger = Logger(label: "night") { _ in SwiftLogNoOpLogHandler() }
            console = Console(settings, logger: logger, clock: clock.console) { [host] _ in host.chain }
            console.listens(on: NightBrowser.port)
        }
    }
#endif
