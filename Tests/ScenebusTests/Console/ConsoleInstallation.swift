import Foundation
import Testing

extension Installation {
    /// The folder with the console's manifest, for `--plugins`.
    static var console: String { "\(plugins)/Console" }

    /// Runs a host with the control room, one session of it, and the console.
    /// - Parameters:
    ///   - arguments: further options of the host.
    ///   - keepsStore: whether a later host has the sessions of this one.
    ///   - ends: how the host is ended.
    func withConsole(
        _ arguments: [String] = [], keepsStore: Bool = false, ends signal: Int32 = SIGTERM,
        _ body: (_ session: String) async throws -> Void
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
            try host.send(signal)
        }
        expect(outcome, endedWith: signal)
    }

    /// Runs a host with two workers whose scenes show every block, one session of them, and the console.
    /// - Parameters:
    ///   - keepsStore: whether a later host has the sessions of this one.
    ///   - ends: how the host is ended.
    func withBlocks(
        keepsStore: Bool = false, ends signal: Int32 = SIGTERM, _ body: (_ session: String) async throws -> Void
    ) async throws {
        try makePlugin("blocks", #", "scenes": ["Blocks"], "instances": 2"#, executable: "blocks-worker")
        let store = keepsStore ? [] : ["--no-store"]
        let outcome = try await run(
            "\(Self.executables)/scenebus",
            ["host", "--plugins", pluginFolder, "--plugins", Self.console, "--open", "Blocks"] + store
        ) { host in
            let ready = try await scenebus("wait", "--plugins", "--sessions", "--timeout", "60")
            try #require(ready.code == 0, "\(ready.error)")
            let session = try await firstSession()
            // A session of an earlier host shows them already.
            try await scenebus("scene", "act", session, "open")
            try await body(session)
            try host.send(signal)
        }
        expect(outcome, endedWith: signal)
    }

    private func expect(_ host: Outcome, endedWith signal: Int32) {
        #expect(host.code == (signal == SIGTERM ? 0 : 128 + signal), "\(host.error)")
    }

    /// Opens the page of a session of blocks, in a browser that is not logged in.
    func openBlocks(_ session: String, in browser: Browser) async throws {
        try await openScene(session, in: browser, until: "[name='field.guest']")
    }

    /// Opens the page of a session that shows the control room's first screen, in a browser that is not logged in.
    func openLogin(_ session: String, in browser: Browser) async throws {
        try await openScene(session, in: browser, until: LoginFields.name)
    }

    private func openScene(_ session: String, in browser: Browser, until element: String) async throws {
        try await browser.open(try await consoleLink())
        try await browser.until("document.querySelector(\"a[href='/scenes/\(session)']\") !== null")
        try await browser.click("a[href='/scenes/\(session)']")
        try await browser.until("document.querySelector(\"\(element)\") !== null")
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

    /// Has a scene of the control room show other screens a number of times, and then process 1.
    ///
    /// The forms are those of a page without a script, whose answers wait for what they change. So this takes no process
    /// for each change.
    func changeScreens(_ count: Int, of session: String, with browser: ConsoleBrowser) async throws {
        let token = try await browser.formToken()
        for action in ["overview"] + (1..<count).map({ $0.isMultiple(of: 2) ? "back" : "alerts" }) {
            let reply = try await browser.request(
                "POST", "/scenes/\(session)/act", body: "action=\(action)&token=\(token)")
            // A change of the figures that comes between makes the form one for an earlier screen.
            #expect([303, 409].contains(reply.status), "\(action): \(reply)")
        }
        let opened = try await scenebus("open-url", "controlroom://process/1", "--session", session)
        #expect(opened.code == 0, "\(opened.error)")
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
