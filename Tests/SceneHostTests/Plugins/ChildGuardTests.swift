import Glibc
import TestKit
import Testing

@testable import SceneHost

/// The guard's process, which is this test program under another name.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ChildGuardTests {
    /// No process and no group has this id.
    private static let noGroup = Int32.max

    private func started() async throws -> (guardian: ChildGuard, pid: Int32) {
        let guardian = ChildGuard(logger: LiveHost.logger)
        await guardian.start()
        return (guardian, try #require(guardian.pid))
    }

    @Test("When the start has returned there is a guard, and after the end there is none")
    func life() async throws {
        let (guardian, pid) = try await started()
        #expect(kill(pid, 0) == 0)
        #expect(guardian.problem == nil)
        await guardian.end()
        #expect(guardian.pid == nil)
        #expect(kill(pid, 0) != 0)
    }

    @Test("A guard that is stopped does not keep the host from ending")
    func stopped() async throws {
        let (guardian, pid) = try await started()
        #expect(kill(pid, SIGSTOP) == 0)
        await guardian.end()
        #expect(kill(pid, 0) != 0)
    }

    @Test("While there is no guard, that is a problem; then there is another one")
    func replaced() async throws {
        let (guardian, pid) = try await started()
        #expect(kill(pid, SIGKILL) == 0)
        try await until("there is a problem") { guardian.problem != nil }
        #expect(guardian.problem?.contains("may outlive this host") == true)
        #expect(guardian.problem?.contains("SIGKILL") == true)
        #expect(guardian.pid == nil)
        try await until("a guard runs") { guardian.pid != nil }
        #expect(guardian.pid != pid)
        #expect(guardian.problem == nil)
        await guardian.end()
    }

    @Test("A pause before the next guard does not delay the end")
    func endsInPause() async throws {
        let (guardian, pid) = try await started()
        #expect(kill(pid, SIGKILL) == 0)
        try await until("there is a problem") { guardian.problem != nil }
        await guardian.end()
        #expect(guardian.pid == nil)
    }

    @Test("A guard that does not read what it is told is replaced by one that knows all groups")
    func notReading() async throws {
        let (guardian, pid) = try await started()
        let child = try await WaitingProcess(leadsGroup: true)
        guardian.add(child.pid)
        #expect(kill(pid, SIGSTOP) == 0)
        for _ in 0..<100_000 where guardian.pid == pid {
            guardian.add(Self.noGroup)
            guardian.remove(Self.noGroup)
            await Task.yield()
        }
        #expect(guardian.pid != pid)
        try await until("another guard runs") { guardian.pid != nil && guardian.pid != pid }
        // The guard takes the end of its input for the end of the host.
        await guardian.end()
        #expect(try await child.signal() == SIGTERM)
    }

    @Test("A child whose start had begun is found and ended when the host is gone, and only such a child")
    func begun() async throws {
        let (guardian, _) = try await started()
        guardian.begin("one")
        let child = try await WaitingProcess(
            leadsGroup: true, variable: (ChildEnvironment.guardVariable, guardian.mark))
        let stranger = try await WaitingProcess(
            leadsGroup: true, variable: (ChildEnvironment.guardVariable, guardian.mark + "0"))
        let other = try await WaitingProcess(leadsGroup: true)
        await guardian.end()
        #expect(try await child.signal() == SIGTERM)
        for process in [stranger, other] {
            #expect(kill(process.pid, 0) == 0)
            try await process.end()
        }
    }

    @Test("When no start is under way, the guard ends only the groups of which it was told")
    func finished() async throws {
        let (guardian, _) = try await started()
        guardian.begin("one")
        guardian.begin("two")
        let child = try await WaitingProcess(
            leadsGroup: true, variable: (ChildEnvironment.guardVariable, guardian.mark))
        let daemon = try await WaitingProcess(
            leadsGroup: true, variable: (ChildEnvironment.guardVariable, guardian.mark))
        guardian.add(child.pid)
        for name in ["one", "two", "two"] { guardian.finish(name) }
        await guardian.end()
        #expect(try await child.signal() == SIGTERM)
        #expect(kill(daemon.pid, 0) == 0)
        try await daemon.end()
    }

    @Test("A guard is told of the starts that had begun before it")
    func successor() async throws {
        let (guardian, pid) = try await started()
        guardian.begin("one")
        #expect(kill(pid, SIGKILL) == 0)
        try await until("there is a problem") { guardian.problem != nil }
        let child = try await WaitingProcess(
            leadsGroup: true, variable: (ChildEnvironment.guardVariable, guardian.mark))
        try await until("a guard runs") { guardian.pid != nil }
        await guardian.end()
        #expect(try await child.signal() == SIGTERM)
    }
}
