import Messaging
@testable import Hub
import TestKit
import Bus
import CoordinatorKit
import Foundation
import Glibc
import Testing

@testable import SceneHost

/// Which process may use a plugin's name. Running processes are covered by the command line's tests.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct PluginSupervisorTests {
    private func supervisor(_ folder: TemporaryFolder) throws -> PluginSupervisor {
        try folder.write(
            """
            {"id": "clock", "version": "1", "protocol": {"min": 1, "max": 1}, "executable": "clock",
             "handles": ["clockSet"], "services": ["clock"], "provides": ["time"]}
            """, to: "clock/plugin.json")
        return try PluginSupervisor(
            folders: [folder.path], endpoint: "", overrides: [], logger: LiveHost.logger, isHostBehind: { _ in false },
            onEnd: { _, _, _ in })
    }

    private func hello(_ name: String = "clock", pid: Int32, handles: [String] = ["clockSet"]) -> Hello {
        Hello(role: .plugin, peer: name, pid: pid, endpoint: "", handles: handles, provides: ["time"])
    }

    /// - Parameter process: the process that has connected, as the system attests it; the inner `nil` for a connection
    ///   over the network.
    private func refusal(
        by supervisor: PluginSupervisor, of hello: Hello, from process: Int32?? = nil
    ) -> Refusal? {
        Admission.refusal(
            of: hello, rules: Admission.Rules(), namesake: nil, linkCount: 0, place: .free,
            registration: supervisor.registration(of: hello, from: process ?? hello.pid))
    }

    @Test("Until the plugin's process id is known, its name is refused to all peers temporarily")
    func unknown() throws {
        let supervisor = try supervisor(TemporaryFolder())
        let refusal = try #require(self.refusal(by: supervisor, of: hello(pid: 42)))
        #expect(refusal.code == .taken)
        #expect(refusal.isTemporary)
        supervisor.instance(named: "clock")?.pid = 42
        #expect(self.refusal(by: supervisor, of: hello(pid: 42)) == nil)
    }

    @Test("A stranger cannot take a plugin's name, and the refusal names the owner")
    func stranger() throws {
        let supervisor = try supervisor(TemporaryFolder())
        supervisor.instance(named: "clock")?.pid = 42
        let refusal = try #require(self.refusal(by: supervisor, of: hello(pid: getpid())))
        #expect(refusal.code == .taken)
        #expect(refusal.reason.contains("'clock'"))
        #expect(refusal.reason.contains("process 42"))
        #expect(self.refusal(by: supervisor, of: hello("other", pid: getpid())) == nil)
    }

    @Test("A stranger that says the plugin's process id is refused: what counts is which process has connected")
    func liar() throws {
        let supervisor = try supervisor(TemporaryFolder())
        supervisor.instance(named: "clock")?.pid = 42
        for process in [getpid(), nil] {
            #expect(refusal(by: supervisor, of: hello(pid: 42), from: .some(process))?.code == .taken)
        }
        #expect(refusal(by: supervisor, of: hello(pid: 43), from: .some(42)) == nil)
    }

    @Test("A process in the plugin's process group counts as the plugin")
    func group() async throws {
        let supervisor = try supervisor(TemporaryFolder())
        supervisor.instance(named: "clock")?.pid = getpgrp()
        let program = try await WaitingProcess()
        #expect(self.refusal(by: supervisor, of: hello(pid: program.pid)) == nil)
        try await program.end()
    }

    @Test("The refusal of a program that a plugin's script has started is the plugin's problem")
    func refusedGroup() async throws {
        let supervisor = try supervisor(TemporaryFolder())
        supervisor.instance(named: "clock")?.pid = getpgrp()
        let program = try await WaitingProcess()
        supervisor.refused(hello(pid: program.pid), Refusal(.full, "there are too many peers"), from: program.pid)
        try await program.end()
        #expect(supervisor.instance(named: "clock")?.status.problem == "there are too many peers")
    }

    @Test("Messages that the manifest does not list are refused for good")
    func manifest() throws {
        let supervisor = try supervisor(TemporaryFolder())
        supervisor.instance(named: "clock")?.pid = 42
        let refusal = try #require(
            self.refusal(by: supervisor, of: hello(pid: 42, handles: ["clockSet", "clockSteal"])))
        #expect(refusal.code == .unauthorized)
        #expect(refusal.reason.contains("clockSteal"))
        supervisor.refused(hello(pid: 42), refusal, from: 42)
        #expect(supervisor.instance(named: "clock")?.status.problem == refusal.reason)
    }

    @Test("A plugin is expected to handle the messages and the services of its manifest")
    func expects() throws {
        let supervisor = try supervisor(TemporaryFolder())
        func expects(_ name: String) -> Bool {
            var frame = Frame(.request)
            frame.name = name
            return supervisor.expects(frame)
        }
        #expect(expects("clockSet"))
        #expect(expects("clock/anything"))
        #expect(!expects("clock"))
        #expect(!expects("clockSet/anything"))
    }

    @Test("A restart or log request for an unknown instance is refused with the list of started ones")
    func notStarted() throws {
        let supervisor = try supervisor(TemporaryFolder())
        let errors = [
            #expect(throws: SceneCommandError.self) { try supervisor.restart("nobody") },
            #expect(throws: SceneCommandError.self) {
                try supervisor.logs(of: "nobody", isPrevious: false, after: nil)
            },
        ]
        for error in errors {
            #expect(error?.code == "unknownWorker")
            #expect(error?.description.contains("it has started: clock") == true)
        }
    }
}
