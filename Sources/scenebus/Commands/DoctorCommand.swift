import OperatorKit
import ArgumentParser
import Bus
import Messaging
import Foundation
import PeerLink
import ZeroMQ

struct DoctorCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks this machine and the running host, and reports problems.",
        discussion: """
            For a host that is reached over TCP, the command also says which of its two ports cannot be reached, and whether \
            the clocks of both machines agree. It exits with 1 if anything is wrong.

            EXAMPLES:
              scenebus doctor
              scenebus doctor --host wall
              scenebus doctor --json
            """)
    @OptionGroup var client: ClientOptions

    fileprivate struct Finding: Codable {
        var check: String
        var isFine: Bool
        var detail: String
    }

    func execute() async throws {
        var findings: [Finding] = []
        let version = SocketContext.libraryVersion
        findings.add("libzmq", version >= (4, 3, 0), "\(version.0).\(version.1).\(version.2)")
        findings.add(
            "encryption", SocketContext.hasCurve,
            SocketContext.hasCurve ? "libzmq has CURVE" : "libzmq was built without CURVE; install libzmq5 from Debian")
        let context = SocketContext()
        findings.add(
            "descriptors", context.descriptorLimit >= 4096,
            "limit \(context.descriptorLimit)" + (context.descriptorLimit < 4096 ? "; raise 'ulimit -n'" : ""))
        // Why there is no reference is found out below.
        let reference = try? client.reference()
        if client.address == nil, reference?.context == nil {
            let directory = client.directory
            do {
                try PrivateFolder.check(endpoint: directory.endpoint)
                findings.add("runtime folder", true, directory.folder)
            } catch {
                // Whether a host runs nevertheless, and what to do, is found out below.
                findings.add("runtime folder", false, error.description)
            }
        }
        // Also of an address for which no key is known yet.
        var ports = (reference?.endpoint ?? client.address).flatMap { HostEndpoint(listeningAt: $0) }
        do {
            let host = try await HostClient(client)
            defer { host.close() }
            ports?.publisher = HostEndpoint.resolve(
                publisher: host.welcome.publisher, connectedTo: host.reference.endpoint)
            if let ports { findings += await Self.check(ports) }
            ports = nil
            findings += try await Self.check(host)
        } catch {
            if let ports { findings += await Self.check(ports) }
            findings.add("host", false, CommandError(error).message)
        }
        if client.json {
            try printJSON(findings)
        } else {
            for finding in findings {
                printLine("\(finding.isFine ? "ok  " : "BAD ") \(finding.check): \(finding.detail)")
            }
        }
        if findings.contains(where: { !$0.isFine }) { throw ExitCode(ProcessExitCode.failure.rawValue) }
    }

    /// Checks what the host says of itself.
    @MainActor
    private static func check(_ host: HostClient) async throws -> [Finding] {
        var findings: [Finding] = []
        let asked = Date()
        let status = try await host.chain.hostStatus()
        if host.reference.endpoint.hasPrefix("tcp://"), let time = status.time {
            let difference = ClockDifference(
                host: time, asked: asked.timeIntervalSince1970, answered: Date().timeIntervalSince1970)
            findings.add("clocks", difference.isFine, difference.description)
        }
        let plugins = try await host.chain.hostPlugins()
        let entries = try await host.chain.hostDependencies().map { ShownEntry($0) }
        findings.add("host", true, "process \(status.pid), \(status.linkCount) links, \(status.openSessions) sessions")
        for problem in status.problems { findings.add("host", false, problem) }
        for plugin in plugins {
            findings.add(
                "plugin \(plugin.instance)", plugin.state == .attached,
                plugin.state.rawValue + (plugin.problem.map { ": \($0)" } ?? ""))
        }
        let waiting = status.openSessions - status.connectedScenes
        findings.add(
            "scenes", waiting == 0,
            waiting == 0
                ? "every session has a scene" : "sessions without a scene: \(waiting); see 'scenebus sessions ls'")
        let stale = entries.filter { $0.ownerGoneSeconds != nil }
        findings.add(
            "entries", stale.isEmpty,
            stale.isEmpty
                ? "the owners of all entries are attached"
                : "the owners of \(stale.map(\.key).joined(separator: ", ")) are gone; see 'scenebus deps get'")
        return findings
    }

    /// How long to wait for an answer from a port.
    private static let portLimit = Duration.seconds(2)

    /// Checks the two ports of a host that is reached over TCP: a firewall may close one of them.
    private static func check(_ ports: HostEndpoint) async -> [Finding] {
        async let publisher = PortProbe.probe(ports.publisher, within: portLimit)
        let bus = await PortProbe.probe(ports.bus, within: portLimit)
        return [finding("bus port", ports.bus, bus), finding("publisher port", ports.publisher, await publisher)]
    }

    private static func finding(_ check: String, _ address: String, _ probe: PortProbe) -> Finding {
        let detail =
            switch probe {
            case .open: "\(address) can be reached"
            case .refused:
                "\(address) refuses connections: start the host with --listen, or let its firewall pass this port"
            case .silent:
                "\(address) does not answer within \(portLimit / .seconds(1)) s: let the firewalls of both machines, and "
                    + "between them, pass this port, and check that the machine runs"
            case .failed(let reason): "\(address) cannot be reached: \(reason); check the address and the network"
            }
        return Finding(check: check, isFine: probe == .open, detail: detail)
    }
}

extension [DoctorCommand.Finding] {
    fileprivate mutating func add(_ check: String, _ isFine: Bool, _ detail: String) {
        append(DoctorCommand.Finding(check: check, isFine: isFine, detail: detail))
    }
}
