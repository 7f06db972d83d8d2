import Glibc
import Testing

@testable import SceneHost

/// What may have ended a process, as far as the kernel tells.
@Suite(.timeLimit(.minutes(5)))
struct ProcessEndHintTests {
    private func kills(_ count: Int) -> OutOfMemoryKills {
        OutOfMemoryKills(statistics: "pgfault 7\noom_kill \(count)\nnr_free 1\n")
    }

    @Test("A process that was killed when the kernel had no memory left may be one of those that it has killed")
    func outOfMemory() {
        for end in [ProcessEnd.signaled(SIGKILL), .exited(128 + SIGKILL)] {
            #expect(kills(3).hint(for: end, since: kills(2))?.contains("for want of memory") == true)
            #expect(kills(2).hint(for: end, since: kills(2)) == nil)
            #expect(OutOfMemoryKills(statistics: "").hint(for: end, since: kills(2)) == nil)
            #expect(kills(2).hint(for: end, since: OutOfMemoryKills(statistics: "")) == nil)
        }
        for end in [ProcessEnd.signaled(SIGTERM), .exited(1), .killed("it hangs")] {
            #expect(kills(3).hint(for: end, since: kills(2)) == nil)
        }
    }

    @Test("The limit of memory is named only after a crash, and only if there is one")
    func memoryLimit() {
        let limits = ResourceLimits(memoryMegabytes: 64)
        #expect(limits.hint(for: .signaled(SIGABRT))?.contains("64") == true)
        #expect(limits.hint(for: .exited(128 + SIGSEGV)) != nil)
        #expect(limits.hint(for: .exited(1)) == nil)
        #expect(ResourceLimits().hint(for: .signaled(SIGABRT)) == nil)
    }

    @Test("Used up processor time is said, also for the program of a script")
    func processorTime() {
        #expect(ProcessEnd.signaled(SIGXCPU).words(lastLine: nil) == "used up its 'limits.cpuSeconds' (SIGXCPU)")
        #expect(ProcessEnd.exited(128 + SIGXCPU).words(lastLine: nil).contains("used up its 'limits.cpuSeconds'"))
    }

    @Test("A program that was not executed is told from one that ends with the same code")
    func launch() {
        let line = "scenebus-launch: /opt/p: Permission denied"
        #expect(
            ProcessEnd.exited(127).afterLaunch(lastLine: line)
                == .notStarted("it cannot be executed: /opt/p: Permission denied"))
        for (end, line) in [(ProcessEnd.exited(127), "sh: ls: not found"), (.exited(127), nil), (.exited(1), line)] {
            #expect(end.afterLaunch(lastLine: line) == end)
        }
    }
}
