#if Console
    import ConsoleMessages
    import Messaging
    import PluginKit

    /// Passes the messages of operators to the console.
    @MainActor
    final class ConsoleResponder: PluginResponder, ConsoleMessages {
        private let console: Console

        init(_ console: Console) { self.console = console }

        func consoleLink() async throws -> String {
            guard let link = console.makeLink() else { throw ConsoleNotReady() }
            return link
        }
    }

    /// The error of a console that does not listen yet.
    struct ConsoleNotReady: CodedError, CustomStringConvertible {
        let code = "notReady"
        let description = "the console does not listen yet: try again"
    }
#endif
