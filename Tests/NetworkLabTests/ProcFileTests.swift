import Glibc
import NetworkLab
import Testing

/// What `/proc` says of processes.
@Suite(.timeLimit(.minutes(5)))
struct ProcFileTests {
    @Test func `A process that has ended does not run, before anybody has waited for it`() throws {
        #expect(ProcFile.runs(getpid()))
        var pid: pid_t = 0
        let name = try #require(strdup("true"))
        defer { free(name) }
        let result = posix_spawnp(&pid, name, nil, nil, [name, nil], nil)
        try #require(result == 0)
        var information = siginfo_t()
        #expect(waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) == 0)
        #expect(kill(pid, 0) == 0 && !ProcFile.runs(pid))
        waitpid(pid, nil, 0)
        #expect(!ProcFile.runs(pid))
    }
}
