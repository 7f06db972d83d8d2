import Foundation
import Testing

extension MachineTests {
    /// The tours as a new user runs them: the automatic one, and the one that the README describes.
    @Suite(.timeLimit(.minutes(5)))
    struct DeployTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        /// Runs a script in the package's folder, with the folder of the executables as its first argument.
        private func bash(_ script: String) async throws -> Outcome {
            try await installation.run(
                "bash", ["-c", script, "bash", Installation.executables], folder: Installation.package)
        }

        @Test("The demo plays all of its steps")
        func demo() async throws {
            let outcome = try await bash(
                """
                set -u -o pipefail
                . deploy/prepare
                export PATH=$1:$PATH
                scenebus=$1/scenebus
                . deploy/demo
                """)
            #expect(outcome.code == 0, "\(outcome.output)\(outcome.error)")
            #expect(outcome.output.contains("All 10 steps were as they should be."))
            #expect(!outcome.output.contains("FAILED"))
        }

        @Test("The demo uses its own host, even when SCENEBUS_HOST is set")
        func demoHost() async throws {
            // These scripts replace the compiler and the commands.
            try installation.write(
                "#!/bin/sh\ncase \"$*\" in *--show-bin-path*) echo \(installation.folder)/bin ;; esac\n",
                to: "bin/swift", mode: 0o755)
            try installation.write(
                "#!/bin/sh\necho \"host=${SCENEBUS_HOST-none}\" >> \(installation.folder)/said\nexit 1\n",
                to: "bin/scenebus", mode: 0o755)
            let outcome = try await bash(
                "PATH=\(installation.folder)/bin:$PATH SCENEBUS_HOST=tcp://192.0.2.7:5570 exec deploy/run --demo")
            #expect(outcome.code != 0)
            let said = try String(contentsOfFile: "\(installation.folder)/said", encoding: .utf8)
            #expect(Set(said.split(separator: "\n")) == ["host=none"])
        }

        @Test("A build that is interrupted leaves no log behind", arguments: ["INT", "TERM", "HUP"])
        func interruptedBuild(signal: String) async throws {
            let folder = "\(installation.folder)/t"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            // This script replaces the compiler. It signals the script that builds.
            try installation.write(
                "#!/bin/sh\nls $TMPDIR > \(installation.folder)/seen\nkill -\(signal) $PPID\nexit 1\n", to: "bin/swift",
                mode: 0o755)
            let outcome = try await bash(
                "TMPDIR=\(folder) PATH=\(installation.folder)/bin:$PATH bash -c '. deploy/prepare; build; echo built'")
            #expect(outcome.code > 128, "\(outcome.output)\(outcome.error)")
            #expect(!outcome.output.contains("built\n"))
            let seen = try String(contentsOfFile: "\(installation.folder)/seen", encoding: .utf8)
            #expect(!seen.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }

        @Test("A demo step with unexpected output ends the demo with a failure")
        func demoFails() async throws {
            let wrapper = try installation.write(
                """
                #!/bin/bash
                [ "$1" = request ] && exec scenebus sessions ls
                exec -a "$0" scenebus "$@"
                """, to: "scenebus", mode: 0o755)
            let outcome = try await bash(
                """
                set -u -o pipefail
                . deploy/prepare
                export PATH=$1:$PATH
                scenebus=\(wrapper)
                . deploy/demo
                """)
            #expect(outcome.code == 1)
            #expect(outcome.output.contains("FAILED"), "\(outcome.output)\(outcome.error)")
            // A failed tour stops the processes that it has started.
            let hosts = try await bash("pgrep -f '[/]\(wrapper.dropFirst()) host'")
            #expect(hosts.output.isEmpty)
        }

        @Test("The README's tour works as written")
        func tour() async throws {
            let readme = try String(contentsOfFile: "\(Installation.package)/README.md", encoding: .utf8)
            let commands = Self.tour(in: readme)
            try #require(commands.count > 10)
            let script = commands.map { command in
                switch command {
                // A user stops these with Ctrl-C.
                case _ where command.contains(" watch ") || command.contains(" monitor "):
                    "timeout -s INT 2 \(command) || [ $? -eq 124 ]"
                case _ where command.contains("wallExplode"): "\(command) || [ $? -eq 4 ]"
                // A user types the password at the prompt.
                case _ where command.hasSuffix("password@"): "\(command)- <<< difference"
                default: command
                }
            }
            try await installation.withHost(
                "--open", "ControlRoom", "--open", "ControlRoom", plugins: Installation.plugins,
                waitFor: ["--plugins", "--sessions"]
            ) { _ in
                let outcome = try await bash((["set -e", "export PATH=$1:$PATH"] + script).joined(separator: "\n"))
                #expect(outcome.code == 0, "\(outcome.output)\(outcome.error)")
                #expect(outcome.output.contains("Logged in as ada"), "\(outcome.output)")
                // Once after the link, once after the worker's end, and once after the drain.
                #expect(outcome.output.components(separatedBy: "\nProcess 1").count == 4, "\(outcome.output)")
                #expect(outcome.output.contains("LATENCY"))
                #expect(outcome.error.contains("no responder handles 'wallExplode'"), "\(outcome.error)")
            }
        }

        /// The commands of the section "Five minutes", without those for the first terminal.
        static func tour(in readme: String) -> [String] {
            guard let section = readme.components(separatedBy: "\n## ").first(where: { $0.hasPrefix("Five minutes") })
            else { return [] }
            let blocks = section.components(separatedBy: "```sh\n").dropFirst()
            return blocks.flatMap { $0.components(separatedBy: "\n```")[0].split(separator: "\n").map(String.init) }
                .filter { $0 != "deploy/run" && !$0.hasPrefix("export PATH=") }
        }
    }
}
