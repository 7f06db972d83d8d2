import Foundation
import NetworkLab
import TestKit
import Testing

extension MachineTests {
    /// The command behind `deploy/chaos`.
    @Suite(.timeLimit(.minutes(5)))
    struct ChaosTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        private struct Report: Decodable {
            struct Verdict: Decodable {
                var faults: [String: Int]
                var requests: [String: [String: Int]]
                var violations: [Violation]
                var longestRestoration: [String: Int]
            }
            struct Violation: Decodable {
                var promise: String
                var detail: String
            }
            var seed: UInt64
            var folder: String?
            var verdict: Verdict
        }

        private func chaos(_ arguments: String...) async throws -> Outcome {
            try await installation.run("\(Installation.executables)/scenebus-chaos", arguments)
        }

        @Test(
            "Killing workers breaks no promise and leaves nothing behind",
            .enabled(if: LabObstacle.here == nil, "\(LabObstacle.here?.description ?? "")"))
        func workers() async throws {
            let outcome = try await chaos(
                "--seconds", "5", "--seed", "3", "--only", "killWorker", "--workers", "3", "--sessions", "9", "--json")
            let report: Report = try outcome.json()
            #expect(report.seed == 3)
            #expect(report.verdict.faults.keys.sorted() == ["kill -9 of a worker"])
            #expect(report.verdict.violations.map(\.detail) == [])
            #expect(report.verdict.requests["plain", default: [:]]["reply", default: 0] > 0)
            #expect(!report.verdict.longestRestoration.isEmpty)
            #expect(report.folder == nil)
        }

        @Test(
            "A signal ends the chaos, and its folder is removed, or named if it is to be kept",
            .enabled(if: LabObstacle.here == nil, "\(LabObstacle.here?.description ?? "")"), arguments: [false, true])
        func interrupted(isKept: Bool) async throws {
            let folder = "\(installation.folder)/t"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            func contents() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder) }
            let outcome = try await installation.run(
                "env",
                ["TMPDIR=\(folder)", "\(Installation.executables)/scenebus-chaos", "--seconds", "600"]
                    + ["--only", "killWorker", "--workers", "3", "--sessions", "3"] + (isKept ? ["--keep"] : [])
            ) { chaos in
                // The signals are handled before the first process is started.
                try await until("there are processes", every: .milliseconds(50), within: .seconds(60)) {
                    try contents().first.map { hasProcesses(in: "\(folder)/\($0)/log") } ?? false
                }
                try chaos.send(SIGTERM)
            }
            #expect(outcome.code == 128 + SIGTERM, "\(outcome.error)")
            #expect(try contents().isEmpty == !isKept)
            if isKept { #expect(outcome.error.contains("\(folder)/scenebus-chaos-")) }
        }

        /// Whether the folder of the records has those of the chaos and of two processes that it has started.
        private func hasProcesses(in folder: String) -> Bool {
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
            return (names?.count ?? 0) > 2
        }

        @Test(
            "A power cut, a clock jump and the loss of half the workers break no promise",
            .enabled(if: LabObstacle.here == nil, "\(LabObstacle.here?.description ?? "")"))
        func powerAndClock() async throws {
            let outcome = try await chaos(
                "--seconds", "8", "--seed", "2", "--only", "powerCut", "--only", "clockJump", "--only", "killRack",
                "--workers", "4", "--sessions", "8", "--json")
            let report: Report = try outcome.json()
            #expect(
                report.verdict.faults.keys.sorted() == [
                    "host's time of day jumps", "kill -9 of half of the workers", "power cut of the store",
                ])
            #expect(report.verdict.violations.map(\.detail) == [])
        }

        @Test("Wrong arguments exit with 2, and the help has examples")
        func usage() async throws {
            for arguments in [["--hosts", "1"], ["--seconds", "0"], ["--only", "rain"]] {
                let outcome = try await installation.run("\(Installation.executables)/scenebus-chaos", arguments)
                #expect(outcome.code == 2, "\(arguments)")
                #expect(outcome.error.contains(arguments[0]))
            }
            let help = try await chaos("--help")
            #expect(help.code == 0)
            #expect(help.output.contains("--seed 42"))
        }

        @Test("Where namespaces are impossible, the command gives the reason and exits with 4")
        func obstacle() async throws {
            // The command searches for tools on its path and in the system's folders, so an unprivileged user has them,
            // too.
            let outcome = try await installation.run(
                "setpriv",
                [
                    "--bounding-set=-net_admin", "--inh-caps=-net_admin", "--",
                    "\(Installation.executables)/scenebus-chaos",
                ])
            #expect(outcome.code == 4)
            #expect(outcome.error.contains("CAP_NET_ADMIN") || outcome.error.contains("apt-get install"))
        }
    }
}
