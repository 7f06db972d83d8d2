import Foundation
import Testing

extension MachineTests {
    /// What processes refuse in order to protect their user.
    @Suite(.timeLimit(.minutes(5)))
    struct SafetyTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        private func scenebus(runtime: String, _ arguments: String...) async throws -> Outcome {
            try await installation.run(
                "/usr/bin/env",
                ["SCENEBUS_RUNTIME=\(runtime)", "\(Installation.executables)/scenebus"] + arguments)
        }

        @Test("Commands, workers and hosts refuse a folder that other users may write to, and exit with 4")
        func openFolder() async throws {
            let folder = "\(installation.folder)/open/default"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            chmod(folder, 0o777)
            let command = try await scenebus(
                runtime: "\(installation.folder)/open", "request", "accountLogin", "username=ada")
            let worker = try await installation.run(
                "\(Installation.executables)/controlroom-worker", ["--host", "ipc://\(folder)/bus"])
            let host = try await scenebus(runtime: "\(installation.folder)/open", "host", "--no-store")
            for outcome in [command, worker, host] {
                #expect(outcome.code == 4)
                #expect(outcome.error.contains(folder))
                #expect(outcome.error.contains("every user"))
            }
        }

        @Test("The doctor reports a missing runtime folder")
        func doctor() async throws {
            let outcome = try await installation.scenebus("doctor", "--json")
            let findings = try JSONDecoder().decode([FindingReply].self, from: Data(outcome.output.utf8))
            let finding = try #require(findings.first { $0.check == "runtime folder" })
            #expect(!finding.isFine)
            #expect(finding.detail.contains("not there"))
        }

        @Test("Two hosts with different runtime folders cannot share a store under any name")
        func sharedStore() async throws {
            try await installation.withHost(waitFor: []) { host in
                let store = "\(installation.folder)/state/scenebus/default.sqlite"
                symlink(store, "\(installation.folder)/link.sqlite")
                for name in [store, "\(installation.folder)/link.sqlite"] {
                    let second = try await scenebus(runtime: "\(installation.folder)/second", "host", "--store", name)
                    #expect(second.code == 1)
                    #expect(second.error.contains("process \(host.pid)"))
                    #expect(second.error.contains("--store"))
                }
                // Only this user may access the default store's folder and the files in it.
                let folder = "\(installation.folder)/state/scenebus"
                for path in [folder]
                    + (try FileManager.default.contentsOfDirectory(atPath: folder)).map({ "\(folder)/\($0)" })
                {
                    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                    #expect(mode == (path == folder ? 0o700 : 0o600), "\(path)")
                }
            }
        }
    }
}
