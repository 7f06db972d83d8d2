import Bus
import Foundation
import Testing

extension CommandTests {
    /// Missing hosts, wrong arguments and interrupts: each is reported, and nothing is left behind.
    @Suite(.timeLimit(.minutes(5)))
    struct OperatorTests {
        struct WorkerReply: Decodable {
            var worker: String
            var pid: Int32
            var isDraining: Bool
        }

        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        @Test("Without a socket file a command exits at once with 3, and the doctor reports the missing folder")
        func noSocket() async throws {
            let began = MonotonicInstant.now
            for _ in 0..<5 {
                let outcome = try await installation.scenebus("status")
                #expect(outcome.code == 3)
                #expect(outcome.error.contains("start one with 'scenebus host'"))
            }
            #expect(MonotonicInstant.now - began < .seconds(8))
            let doctor = try await installation.scenebus("doctor")
            #expect(doctor.code == 1)
            #expect(doctor.output.contains("BAD  runtime folder: \(installation.folder)/run"), "\(doctor.output)")
            #expect(doctor.output.contains("is not there"), "\(doctor.output)")
        }

        @Test("SCENEBUS_HOST selects the host, as for workers, and --host and --name override it")
        func environment() async throws {
            let address = "ipc://\(installation.folder)/run/other/bus"
            func status(_ arguments: String..., host: String? = nil) async throws -> Outcome {
                try await installation.run(
                    "env",
                    ["SCENEBUS_HOST=\(host ?? address)", "\(Installation.executables)/scenebus", "status", "--json"]
                        + arguments)
            }
            try await installation.withHost("--no-store") { first in
                #expect(try await status().code == 3)
                let other = try await installation.run(
                    "\(Installation.executables)/scenebus", ["host", "--no-store", "--name", "other"]
                ) { running in
                    _ = try await installation.scenebus("wait", "--name", "other", "--timeout", "20")
                    #expect(try await status().json(StatusReply.self).pid == running.pid)
                    #expect(try await status("--name", "default").json(StatusReply.self).pid == first.pid)
                    let explicit = "ipc://\(installation.folder)/run/default/bus"
                    #expect(try await status("--host", explicit).json(StatusReply.self).pid == first.pid)
                    try running.send(SIGTERM)
                }
                #expect(other.code == 0)
            }
            let wrong = try await status(host: "nonsense")
            #expect(wrong.code == 2)
            #expect(wrong.error.contains("SCENEBUS_HOST"))
        }

        @Test("A suspended host is distinguished from an absent one, and gets the whole timeout to answer")
        func standsStill() async throws {
            let host = try await installation.run(
                "\(Installation.executables)/scenebus", ["host", "--no-store"]
            ) { running in
                #expect(try await installation.scenebus("wait", "--timeout", "60").code == 0)
                try running.send(SIGSTOP)
                let still = try await installation.scenebus("status", "--timeout", "2.5")
                #expect(still.code == 3)
                #expect(still.error.contains("has not answered within 2.5 s"), "\(still.error)")
                try running.send(SIGKILL)
            }
            #expect(host.code != 0)
            // The killed host's socket file still exists.
            let gone = try await installation.scenebus("status", "--timeout", "60")
            #expect(gone.code == 3)
            #expect(gone.error.contains("no host answers"), "\(gone.error)")
        }

        @Test("An invalid URL and an empty notification are refused and open no session")
        func links() async throws {
            try await installation.withHost(
                "--no-store", "--open", "ControlRoom", plugins: Installation.plugins,
                waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let opened = try await installation.scenebus("sessions", "open", "--url", "notaurl")
                #expect(opened.code == 2)
                #expect(opened.error.contains("'notaurl' is not a URL"))
                #expect(try await installation.scenebus("open-url", "notaurl").code == 2)
                #expect(
                    try await installation.scenebus("sessions", "ls", "--json").json([SessionReply].self).count == 1)
                let nothing = try await installation.scenebus("notify", "alert=")
                #expect(nothing.code == 4)
                #expect(!nothing.output.contains("delivered"))
            }
        }

        @Test("'wait' waits for a worker of a scene, and names the scene that nobody runs")
        func waitsForScene() async throws {
            try await installation.withHost("--no-store", waitFor: []) { _ in
                let missing = try await installation.scenebus("wait", "--scene", "ControlRoom", "--timeout", "0.2")
                #expect(missing.code == 3)
                #expect(missing.error.contains("no worker is attached that runs 'ControlRoom'"), "\(missing.error)")
                let worker = try await installation.run("\(Installation.executables)/controlroom-worker") { worker in
                    let wait = try await installation.scenebus("wait", "--scene", "ControlRoom", "--timeout", "30")
                    #expect(wait.code == 0, "\(wait.error)")
                    #expect(try await installation.scenebus("sessions", "open", "ControlRoom").code == 0)
                    try worker.send(SIGTERM)
                }
                #expect(worker.code == 0, "\(worker.error)")
            }
        }

        @Test("'wait' does not count the session of a worker that was killed just before")
        func waitsForLivingWorkers() async throws {
            try await installation.withHost("--no-store", waitFor: []) { _ in
                let worker = try await installation.run("\(Installation.executables)/controlroom-worker") { worker in
                    #expect(
                        try await installation.scenebus("wait", "--scene", "ControlRoom", "--timeout", "30").code == 0)
                    #expect(try await installation.scenebus("sessions", "open", "ControlRoom").code == 0)
                    let running = try await installation.scenebus("wait", "--sessions", "--timeout", "60")
                    #expect(running.code == 0, "\(running.error)")
                    try worker.send(SIGKILL)
                }
                #expect(worker.code != 0)
                let killed = try await installation.scenebus("wait", "--sessions", "--timeout", "0.7")
                #expect(killed.code == 3, "\(killed.output)\(killed.error)")
            }
        }

        @Test("'wait' names the session without a place and what it waits for")
        func waits() async throws {
            try await installation.withHost(
                "--no-store", "--open", "ControlRoom", "--open", "ControlRoom", "--open", "ControlRoom", "--open",
                "ControlRoom", "--open", "ControlRoom", plugins: Installation.plugins
            ) { _ in
                let wait = try await installation.scenebus("wait", "--sessions", "--timeout", "3")
                #expect(wait.code == 3)
                #expect(wait.error.contains("scenebus: waiting: session "), "\(wait.error)")
                #expect(wait.error.contains("has room"), "\(wait.error)")
                // An interrupted restart leaves no worker drained, and a drain without room elsewhere reports that.
                let drain = try await installation.scenebus("worker", "drain", "controlroom-2", "--timeout", "0.5")
                #expect(drain.code == 1)
                #expect(drain.error.contains("controlroom-1 runs 2 of 2"), "\(drain.error)")
                #expect(try await installation.scenebus("worker", "undrain", "controlroom-2").code == 0)
                let restart = try await installation.run(
                    "\(Installation.executables)/scenebus", ["worker", "restart", "controlroom-1", "--timeout", "30"]
                ) { running in
                    try await installation.until("worker", "ls", "--json") {
                        try $0.json([WorkerReply].self).contains { $0.worker == "controlroom-1" && $0.isDraining }
                    }
                    try running.send(SIGINT)
                }
                #expect(restart.code == 1)
                #expect(restart.error.contains("interrupted"), "\(restart.error)")
                let workers: [WorkerReply] = try await installation.scenebus("worker", "ls", "--json").json()
                #expect(workers.filter(\.isDraining).isEmpty)
                // A worker that is killed while drained returns undrained, so the drain command must not report
                // success.
                let killed = try await installation.run(
                    "\(Installation.executables)/scenebus", ["worker", "drain", "controlroom-1", "--timeout", "30"]
                ) { _ in
                    let shown = try await installation.until("worker", "ls", "--json") {
                        try $0.json([WorkerReply].self).contains { $0.worker == "controlroom-1" && $0.isDraining }
                    }
                    let worker = try shown.json([WorkerReply].self).first { $0.worker == "controlroom-1" }
                    kill(try #require(worker?.pid), SIGKILL)
                }
                #expect(killed.code == 1)
                #expect(killed.error.contains("'controlroom-1' was started again meanwhile"), "\(killed.error)")
            }
        }

        @Test("'wait --plugins' succeeds although the store has a problem")
        func storeProblem() async throws {
            // A folder in the place of a file that the host writes beside its store.
            try installation.write("", to: "store.sqlite.epoch.new/file")
            try await installation.withHost(
                "--store", "\(installation.folder)/store.sqlite", plugins: Installation.plugins, waitFor: []
            ) { _ in
                let wait = try await installation.scenebus("wait", "--plugins", "--timeout", "30")
                #expect(wait.code == 0, "\(wait.error)")
                let status: StatusReply = try await installation.scenebus("status", "--json").json()
                #expect(status.problems.map { $0.hasPrefix("store: ") } == [true], "\(status.problems)")
            }
        }

        @Test(
            "An action that sends a message which nobody handles has failed; a request that nobody handles was not done"
        )
        func maybe() async throws {
            // The action has begun before the scene's request turns out to have no handler.
            try installation.write(
                """
                {"id": "controlroom", "version": "1.0.0", "protocol": {"min": 1, "max": 1},
                 "executable": "controlroom-worker", "scenes": ["ControlRoom"]}
                """, to: "plugins/controlroom/plugin.json")
            try await installation.withHost(
                "--no-store", "--open", "ControlRoom", plugins: "\(installation.folder)/plugins",
                waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let sessions: [SessionReply] = try await installation.scenebus("sessions", "ls", "--json").json()
                let session = try #require(sessions.first?.session)
                let act = try await installation.scenebus("scene", "act", session, "login", "username=ada")
                #expect(act.code == 1, "\(act.error)")
                #expect(act.error.contains("no responder handles 'accountLogin'"), "\(act.error)")
                // The path begins at the screen, which has sent the message.
                #expect(act.error.contains("it climbed LoginViewController > "), "\(act.error)")
                let request = try await installation.scenebus("request", "alertAcknowledge", "id=cpu")
                #expect(request.code == 4)
                #expect(!request.error.contains("may have been"))
            }
        }

        @Test("However many operators stay attached to a full host, a command gets in")
        func full() async throws {
            try await installation.withHost("--no-store", "--maximum-links", "1") { _ in
                let watching = """
                    trap 'kill $(jobs -p); exit' TERM
                    for number in $(seq 24); do "$1" deps watch > /dev/null 2>&1 & done
                    wait
                    """
                let watchers = try await installation.run(
                    "bash", ["-c", watching, "bash", "\(Installation.executables)/scenebus"]
                ) { running in
                    // The operators that give up their places come back, and need those of others.
                    let outcome = try await installation.until("status", "--json", "--timeout", "10") {
                        $0.code != 0 || $0.output.contains("detached: the host is full")
                    }
                    #expect(outcome.code == 0, "\(outcome.error)")
                    for _ in 1...5 {
                        let again = try await installation.scenebus("status", "--timeout", "10")
                        #expect(again.code == 0, "\(again.error)")
                    }
                    try running.send(SIGTERM)
                }
                #expect(watchers.code == 0)
            }
        }

        @Test("A scene's content is shown without control characters, and is complete in JSON")
        func terminal() async throws {
            try await installation.withHost(
                "--no-store", "--open", "ControlRoom", plugins: Installation.plugins,
                waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let opened = try await installation.scenebus("open-url", "controlroom://alert/a%E2%80%AEb", "--json")
                let session = try opened.json(SessionReply.self).session
                let shown = try await installation.scenebus("scene", "show", session)
                #expect(shown.output.contains("a\u{FFFD}b"), "\(shown.output)")
                let json = try await installation.scenebus("scene", "show", session, "--json")
                #expect(json.output.contains(#"a\u202eb"#), "\(json.output)")
            }
        }

        @Test("Deploy/run beside a running host gives the reason and prints nothing of that host")
        func secondRun() async throws {
            // This script replaces the compiler, because everything is built already.
            try installation.write(
                """
                #!/bin/sh
                case "$*" in *--show-bin-path*) echo \(Installation.executables) ;; esac
                """, to: "bin/swift", mode: 0o755)
            try await installation.withHost("--no-store", "--open", "ControlRoom", plugins: Installation.plugins) { _ in
                let second = try await installation.run(
                    "bash", ["-c", "PATH=\(installation.folder)/bin:$PATH exec deploy/run"],
                    folder: Installation.package)
                #expect(second.code == 1)
                #expect(second.error.contains("a host runs there already"), "\(second.error)")
                #expect(!second.output.contains("Try in another terminal"), "\(second.output)")
            }
        }
    }
}
