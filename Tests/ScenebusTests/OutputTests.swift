import Foundation
import Testing

extension CommandTests {
    /// Outputs that are full, closed or not read, and the signals that end a process.
    @Suite(.timeLimit(.minutes(5)))
    struct OutputTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        private func shell(
            _ script: String, whileRunning body: (Installation.Running) async throws -> Void = { _ in }
        ) async throws -> Outcome {
            try await installation.run("bash", ["-c", script], whileRunning: body)
        }

        private var scenebus: String { "\(Installation.executables)/scenebus" }

        @Test("A command whose output cannot be written says so, and exits with 1")
        func full() async throws {
            try await installation.withHost("--no-store", waitFor: []) { _ in
                for command in [
                    "status", "status --json", "sessions ls", "sessions ls --json", "deps get", "plugins ls", "monitor",
                    "doctor", "--help", "host --help", "sessions",
                ] {
                    let outcome = try await shell("exec \(scenebus) \(command) > /dev/full")
                    #expect(outcome.code == 1, "\(command): \(outcome.error)")
                    #expect(outcome.error.contains("cannot write the output: No space left on device"), "\(command)")
                }
            }
        }

        @Test("A session that was opened is named if the output cannot be written")
        func openedNevertheless() async throws {
            try await installation.withHost("--no-store", waitFor: []) { _ in
                for (id, option) in [("first", ""), ("second", "--json")] {
                    let outcome = try await shell(
                        "exec \(scenebus) sessions open Wall --id \(id) \(option) > /dev/full")
                    #expect(outcome.code == 1)
                    #expect(outcome.error.contains("cannot write the output: No space left on device"))
                    #expect(outcome.error.contains("session \(id) is open"), "\(outcome.error)")
                }
            }
        }

        @Test("A command whose reader is gone ends without a message")
        func closed() async throws {
            // The pipe is opened for both, so that it has no reader when that descriptor is closed.
            let outcome = try await shell(
                "mkfifo \(installation.folder)/pipe; exec 3<>\(installation.folder)/pipe 4>\(installation.folder)/pipe; "
                    + "exec 3>&-; exec \(scenebus) --help >&4")
            #expect(outcome.code == 128 + SIGPIPE)
            #expect(outcome.error == "")
        }

        @Test("A host whose log nobody reads goes on serving, and ends in order")
        func unreadLog() async throws {
            let pipe = "\(installation.folder)/pipe"
            let outcome = try await shell(
                "mkfifo \(pipe); exec 3<>\(pipe); head -c 65536 /dev/zero >&3; exec \(scenebus) host --no-store -v 2>\(pipe)"
            ) { host in
                try await installation.until("wait") { $0.code == 0 }
                for _ in 0..<3 { #expect(try await installation.scenebus("status").code == 0) }
                try host.send(SIGTERM)
            }
            #expect(outcome.code == 0)
            #expect(installation.runtimeFiles.isEmpty)
        }

        @Test("A host outlives the reader of its log")
        func closedLog() async throws {
            let pipe = "\(installation.folder)/pipe"
            let outcome = try await shell(
                "mkfifo \(pipe); exec 3<>\(pipe) 4>\(pipe); exec 3>&-; exec \(scenebus) host --no-store -v 2>&4 4>&-"
            ) { host in
                try await installation.until("wait") { $0.code == 0 }
                let status: StatusReply = try await installation.scenebus("status", "--json").json()
                #expect(try #require(status.counters["dropped: lines of the host's log that could not be written"]) > 0)
                try host.send(SIGTERM)
            }
            #expect(outcome.code == 0)
        }

        @Test("SIGHUP and SIGQUIT end a host and its plugins in order", arguments: [SIGHUP, SIGQUIT])
        func endingSignals(signal: Int32) async throws {
            let outcome = try await installation.withHost("--no-store", plugins: Installation.plugins, ends: false) {
                try $0.send(signal)
            }
            #expect(outcome.code == 0, "\(outcome.error)")
            #expect(installation.runtimeFiles.isEmpty)
        }

        @Test("A host that was started with SIGHUP ignored, as by nohup, ignores it")
        func noHangUp() async throws {
            let outcome = try await shell("trap '' HUP; exec \(scenebus) host --no-store") { host in
                try await installation.until("wait") { $0.code == 0 }
                try host.send(SIGHUP)
                #expect(try await installation.scenebus("status").code == 0)
                try host.send(SIGTERM)
            }
            #expect(outcome.code == 0, "\(outcome.error)")
        }
    }
}
