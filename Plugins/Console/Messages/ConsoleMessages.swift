public import Messaging

/// The messages that the console handles.
@ResponderMessages
public protocol ConsoleMessages {
    /// Returns an address that logs one browser in to the console. It works once, and for ten minutes.
    ///
    /// Whoever has the address can use every scene. The bus carries it in plain, because an operator has to read it; neither
    /// the monitor nor the audit shows what a reply holds.
    func consoleLink() async throws -> String
}

extension ResponderChain: ConsoleMessages {}
