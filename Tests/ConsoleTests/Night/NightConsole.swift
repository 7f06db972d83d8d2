// A build without the trait has no console.
#if Console
    import CBOR
    import InMemoryLogging
    import Logging
    import TestKit

    @testable import Messaging
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

        /// All that is in its log, also what it says beside its messages.
        var wholeLog: String { handler.entries.map { "\($0.message) \($0.metadata)" }.joined(separator: "\n") }

        /// Who is named in the log for having asked for something.
        var loggedSenders: [String] { handler.entries.compactMap { $0.metadata["by"].map { "\($0)" } } }

        /// Has the console handle a message of a peer.
        /// - Parameters:
        ///   - actor: who acts, as the host attests it; `nil` if it does not say so.
        ///   - session: the session that the message names.
        ///   - parent: the message because of which it was sent; 0 for none.
        func handle<Reply>(
            from actor: MessageActor? = MessageActor(role: .operator, peer: "desk-1"), in session: String? = nil,
            because parent: UInt64 = 0, _ handler: @MainActor (ConsoleResponder) async throws -> Reply
        ) async throws -> Reply {
            let remote = MessageContext.Remote(
                sender: "", session: session, requestID: 1, trace: .none, token: 0, actor: actor?.text ?? "",
                parent: parent)
            let context = MessageContext("consoleLink", from: remote, timeout: nil, at: nil, session: nil)
            return try await MessageContext.with(context) { try await handler(ConsoleResponder(console)) }
        }
    }
#endif
