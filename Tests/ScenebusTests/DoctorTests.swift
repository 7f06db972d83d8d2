import Bus
import Foundation
import NetworkLab
import Testing

extension CommandTests {
    /// What the doctor says of a host that is reached over TCP.
    @Suite(.timeLimit(.minutes(5)))
    struct DoctorTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        @Test("Both ports of a host that runs can be reached, and the clocks agree")
        func fine() async throws {
            try await installation.withHost("--no-store", "--listen", "tcp://127.0.0.1:*", "--insecure", waitFor: []) {
                _ in
                let status: StatusReply = try await installation.scenebus("status", "--json").json()
                let address = try #require(status.endpoints.first { $0.hasPrefix("tcp://") })
                let doctor = try await installation.scenebus("doctor", "--host", address, "--insecure", "--json")
                let findings: [FindingReply] = try doctor.json()
                for check in ["bus port", "publisher port", "clocks", "host"] {
                    #expect(findings.first { $0.check == check }?.isFine == true, "\(findings)")
                }
                #expect(findings.first { $0.check == "bus port" }?.detail == "\(address) can be reached")
            }
        }

        @Test("A host on this machine has no ports to check")
        func local() async throws {
            try await installation.withHost("--no-store", waitFor: []) { _ in
                let findings: [FindingReply] = try await installation.scenebus("doctor", "--json").json()
                #expect(!findings.contains { $0.check.hasSuffix("port") || $0.check == "clocks" })
            }
        }

        @Test("Where no host listens, both ports are said to refuse connections")
        func refused() async throws {
            // Nobody listens at the ports below 1024 that are assigned to nothing.
            let doctor = try await installation.scenebus("doctor", "--host", "tcp://127.0.0.1:1", "--insecure")
            #expect(doctor.code == 1)
            #expect(doctor.output.contains("BAD  bus port: tcp://127.0.0.1:1 refuses connections"), "\(doctor.output)")
            #expect(doctor.output.contains("BAD  publisher port: tcp://127.0.0.1:2 refuses"), "\(doctor.output)")
        }
    }
}

extension MachineTests {
    /// The doctor on another machine than the host's.
    @Suite(
        .enabled(if: LabObstacle.here == nil, "\(LabObstacle.here?.description ?? "")"), .timeLimit(.minutes(5)))
    struct FirewallDoctorTests {
        let installation: Installation

        init() throws {
            installation = try Installation()
        }

        @Test("The port that a firewall closes is named, and no other", arguments: ["bus port", "publisher port"])
        func firewall(closed: String) async throws {
            try await NetworkLab.with(machines: 2) { lab in
                let (host, other) = (lab.machines[0], lab.machines[1])
                let address = "tcp://\(host.address):5570"
                let command = host.command(
                    ["\(Installation.executables)/scenebus", "host", "--listen", address, "--insecure", "--no-store"])
                _ = try await installation.run(command[0], Array(command.dropFirst())) { running in
                    try #require(try await installation.scenebus("wait", "--timeout", "30").code == 0)
                    try await lab.cut(port: closed == "bus port" ? 5570 : 5571, of: host, for: other)
                    let doctor = other.command(
                        ["\(Installation.executables)/scenebus", "doctor", "--host", address, "--insecure", "--json"])
                    let outcome = try await installation.run(doctor[0], Array(doctor.dropFirst()))
                    #expect(outcome.code == 1)
                    let findings = try JSONDecoder().decode([FindingReply].self, from: Data(outcome.output.utf8))
                    for check in ["bus port", "publisher port"] {
                        let finding = try #require(findings.first { $0.check == check })
                        #expect(finding.isFine == (check != closed), "\(finding)")
                        #expect(finding.detail.contains("does not answer within") == (check == closed), "\(finding)")
                    }
                    try running.send(SIGTERM)
                }
            }
        }
    }
}
