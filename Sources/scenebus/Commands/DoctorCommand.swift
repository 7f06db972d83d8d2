import OperatorKit
import ArgumentParser
import Bus
import Messaging
import Foundation
import PeerLink
import ZeroMQ

struct DoctorCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks this machine and the running host, and reports problems.")
    @OptionGroup var client: ClientOptions

    private struct Finding: Codable {
        var check: String
        var isFine: Bool
        var detail: String
    }

    func execute() async throws {
        var findings: [Finding] = []
        func found(_ check: String, _ isFine: Bool, _ detail: String) {
            findings.append(Finding(check: check, isFine: isFine, detail: detail))
        }
        let version = SocketContext.libraryVersion
        found("libzmq", version >= (4, 3, 0), "\(version.0).\(version.1).\(version.2)")
        found(
            "encryption", SocketContext.hasCurve,
            SocketContext.hasCurve ? "libzmq has CURVE" : "libzmq was built without CURVE; install libzmq5 from Debian")
        let context = SocketContext()
        found(
            "descriptors", context.descriptorLimit >= 4096,
            "limit \(context.descriptorLimit)" + (context.descriptorLimit < 4096 ? "; raise 'ulimit -n'" : ""))
        if client.address == nil {
            let directory = client.directory
            do {
                try PrivateFolder.check(endpoint: directory.endpoint)
                found("runtime folder", true, directory.folder)
            } catch {
                // Whether a host runs nevertheless, and what to do, is found out below.
                found("runtime folder", false, error.description)
            }
        }
        do {
            let host = try await HostClient(client)
            defer { host.close() }
            let status = try await host.chain.hostStatus()
            let plugins = try await host.chain.hostPlugins()
            let entries = try await host.chain.hostDependencies().map { ShownEntry($0) }
            found("host", true, "process \(status.pid), \(status.linkCount) links, \(status.openSessions) sessions")
            for problem in status.problems { found("host", false, problem) }
            for plugin in plugins {
                found(
                    "plugin \(plugin.instance)", plugin.state == .attached,
                    plugin.state.rawValue + (plugin.problem.map { ": \($0)" } ?? ""))
            }
            let waiting = status.openSessions - status.connectedScenes
            found(
                "scenes", waiting == 0,
                waiting == 0
                    ? "every session has a scene" : "sessions without a scene: \(waiting); see 'scenebus sessions ls'")
            let stale = entries.filter { $0.ownerGoneSeconds != nil }
            found(
                "entries", stale.isEmpty,
                stale.isEmpty
                    ? "the owners of all entries are attached"
                    : "the owners of \(stale.map(\.key).joined(separator: ", ")) are gone; see 'scenebus deps get'"
            )
        } catch {
            found("host", false, CommandError(error).message)
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
}
