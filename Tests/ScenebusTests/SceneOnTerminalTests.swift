import Foundation
import Synchronization
import TestKit
import Testing

extension CommandTests {
    /// A scene on a whole terminal, with a host, its plugins and a worker.
    @Suite(.timeLimit(.minutes(5)))
    struct SceneOnTerminalTests {
        private static let password = "zwiebelkuchen-4712"

        let installation: Installation
        let terminal: PseudoTerminal

        init() throws {
            installation = try Installation()
            terminal = try PseudoTerminal()
        }

        /// Attaches to a scene on the terminal, and says the exit code on it at the end.
        private func attached(
            to session: String, whileRunning body: (Installation.Running, ShownScreen) async throws -> Void
        ) async throws {
            try terminal.resize(columns: 100, rows: 40)
            let line = "TERM=xterm scenebus scene attach \(session); echo code $?"
            let outcome = try await installation.run(
                "setsid",
                [
                    "--wait", "sh", "-c",
                    "PATH=\(Installation.executables):$PATH; exec < \(terminal.path) > \(terminal.path) 2>&1; \(line)",
                ]
            ) { running in
                try await body(running, ShownScreen(terminal: terminal))
            }
            #expect(outcome.code == 0)
        }

        private func withScene(_ body: (String) async throws -> Void) async throws {
            try await installation.withHost(
                "--no-store", "--open", "ControlRoom", plugins: Installation.plugins,
                waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let sessions: [SessionReply] = try await installation.scenebus("sessions", "ls", "--json").json()
                let id = try #require(sessions.first?.session)
                try await installation.until("scene", "show", id) { $0.output.contains("[create]") }
                try await body(id)
            }
        }

        @Test("A person logs in on a terminal, sees the scene change, and leaves a terminal as it was")
        func login() async throws {
            try await withScene { session in
                try await attached(to: session) { _, screen in
                    try await screen.shows("User name:")
                    #expect(!terminal.echoes)
                    // A password that is too short is refused, and what was typed stays.
                    try terminal.type("ada\tshort\t\r")
                    try await screen.shows("it needs at least")
                    try await screen.shows("User name: ada")
                    try terminal.type("\u{1B}[Z\u{15}\(Self.password)\t\r")
                    try await screen.shows("Logged in as ada")
                    let output = screen.all
                    #expect(!output.contains(Self.password))
                    #expect(!output.contains("zwiebel"))
                    // The same scene is elsewhere at the same time, and goes on.
                    try await installation.until("scene", "show", session) { $0.output.contains("Logged in as ada") }
                    try terminal.type("\u{3}")
                    try await terminal.shown(until: "code 0")
                    #expect(terminal.echoes)
                    try await installation.until("scene", "show", session) { $0.output.contains("Logged in as ada") }
                }
            }
        }

        /// Waits until a text that was typed as the user's name is on the terminal, and in the scene.
        private func name(_ text: String, reaches session: String, from screen: ShownScreen) async throws {
            try await screen.shows("User name: \(text)")
            try await installation.until("scene", "show", session) { $0.output.contains(text) }
        }

        @Test("A terminal outlives its scene's worker and the host, which are killed, with what was typed and not sent")
        func kills() async throws {
            let plugins = Installation.plugins
            let outcome = try await installation.withHost(
                "--open", "ControlRoom", plugins: plugins, waitFor: ["--plugins", "--sessions"], ends: false
            ) { host in
                let sessions: [SessionReply] = try await installation.scenebus("sessions", "ls", "--json").json()
                let before = try #require(sessions.first)
                let (session, victim) = (before.session, try #require(before.pid))
                try await attached(to: session) { _, screen in
                    try await screen.shows("User name:")
                    try terminal.type("half")
                    try await name("half", reaches: session, from: screen)
                    #expect(kill(victim, SIGKILL) == 0)
                    try await installation.until("sessions", "show", session, "--json") {
                        let pid = try $0.json(SessionReply.self).pid
                        return pid != nil && pid != victim
                    }
                    try await screen.shows("\(session)  running")
                    try terminal.type("-typed")
                    try await name("half-typed", reaches: session, from: screen)
                    try host.send(SIGKILL)
                    try await screen.shows("\(session)  the host is away since ")
                    try await screen.shows("User name: half-typed")
                    try await installation.withHost(plugins: plugins, waitFor: ["--plugins", "--sessions"]) { _ in
                        try await screen.shows("\(session)  running")
                        try terminal.type(", again")
                        try await name("half-typed, again", reaches: session, from: screen)
                        try terminal.type("\u{3}")
                        try await terminal.shown(until: "code 0")
                    }
                }
            }
            #expect(outcome.code == 128 + SIGKILL)
        }

        @Test("Whatever ends it, the terminal is as it was", arguments: ["SIGTERM", "SIGINT", "SIGHUP", "close"])
        func ends(how: String) async throws {
            try await withScene { session in
                try await attached(to: session) { _, screen in
                    try await screen.shows("User name:")
                    #expect(!terminal.echoes)
                    if how == "close" {
                        try await installation.scenebus("sessions", "close", session)
                    } else {
                        let id = try await installation.run("pgrep", ["-f", "scene attach \(session)$"]).output
                        let pid = try #require(pid_t(id.trimmingCharacters(in: .whitespacesAndNewlines)))
                        kill(pid, ["SIGINT": SIGINT, "SIGHUP": SIGHUP][how] ?? SIGTERM)
                    }
                    let rest = try await terminal.shown(until: "code ")
                    #expect(rest.contains("\u{1B}[?1049l"))
                    #expect(rest.contains(how == "close" ? "code 4" : "code 0"), "\(rest)")
                    #expect(terminal.echoes)
                }
            }
        }

        @Test("A change of the terminal's size draws the scene anew, and what was typed just before Ctrl-C gets there")
        func resize() async throws {
            try await withScene { session in
                try await attached(to: session) { _, screen in
                    try await screen.shows("User name:")
                    try terminal.resize(columns: 60, rows: 20)
                    try await terminal.shown(until: "\u{1B}[2J")
                    try terminal.type("mei\u{3}")
                    try await terminal.shown(until: "code 0")
                    try await installation.until("scene", "show", session) { $0.output.contains("mei") }
                }
            }
        }
    }
}

/// What a terminal shows of all that was written to it.
private final class ShownScreen: Sendable {
    private let terminal: PseudoTerminal
    private let output = Mutex("")

    init(terminal: PseudoTerminal) { self.terminal = terminal }

    /// All that was written so far.
    var all: String { output.withLock { $0 } }

    /// Waits until a row has a text.
    func shows(_ text: String) async throws {
        let before = all
        let isShown: @Sendable (String) -> Bool = { new in
            var drawn = DrawnTerminal(columns: 100, rows: 40)
            drawn.draw(before + new)
            return drawn.rows.contains { $0.contains(text) }
        }
        let new = try await terminal.shown(until: "'\(text)'", isShown)
        output.withLock { $0 += new }
    }
}
