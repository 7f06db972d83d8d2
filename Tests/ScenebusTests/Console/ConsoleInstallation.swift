import Foundation
import Testing

extension Installation {
    /// The folder with the console's manifest, for `--plugins`.
    static var console: String { "\(plugins)/Console" }

    /// Runs a host with the control room, one session of it, and the console.
    /// - Parameters:
    ///   - arguments: further options of the host.
    ///   - keepsStore: whether a later host has the sessions of this one.
    func withConsole(
        _ arguments: [String] = [], keepsStore: Bool = false, _ body: (_ session: String) async throws -> Void
    ) async throws {
        let arguments =
            ["host"] + (keepsStore ? [] : ["--no-store"]) + [
                "--plugins", Self.plugins, "--plugins", Self.console, "--open", "ControlRoom",
            ]
            + arguments
        let outcome = try await run("\(Self.executables)/scenebus", arguments) { host in
            let ready = try await scenebus("wait", "--plugins", "--sessions", "--timeout", "60")
            try #require(ready.code == 0, "\(ready.error)")
            let sessions: [SessionReply] = try await scenebus("sessions", "ls", "--json").json()
            try await body(try #require(sessions.first?.session))
            try host.send(SIGTERM)
        }
        #expect(outcome.code == 0, "\(outcome.error)")
    }

    /// Returns a new address that logs a browser in to the console.
    func consoleLink() async throws -> String {
        let outcome = try await until("request", "consoleLink", "--json") { $0.code == 0 }
        return try outcome.json(String.self)
    }

    /// Returns a browser that is logged in to the console.
    func browser() async throws -> ConsoleBrowser {
        let link = try await consoleLink()
        var browser = try ConsoleBrowser(link: link)
        let reply = try await browser.logIn(link)
        #expect(reply.status == 303)
        return browser
    }

    /// Kills the console, and waits until it listens again.
    func killConsole() async throws {
        let process = try await consoleProcess()
        #expect(kill(process, SIGKILL) == 0)
        try await until("plugins", "ls", "--json") {
            let plugins = try $0.json([PluginReply].self)
            return plugins.contains { $0.id == "console" && $0.state == "attached" && $0.pid != process }
        }
        // The link is there as soon as it listens.
        _ = try await consoleLink()
    }

    /// Returns the process of the console.
    func consoleProcess() async throws -> Int32 {
        let plugins: [PluginReply] = try await scenebus("plugins", "ls", "--json").json()
        return try #require(plugins.first { $0.id == "console" }?.pid)
    }
}
