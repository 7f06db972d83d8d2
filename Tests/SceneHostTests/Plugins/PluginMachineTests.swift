import Bus
import TestKit
import Testing

@testable import SceneHost

/// A process that does not attach, or that hangs. The tests supply the time.
@Suite(.timeLimit(.minutes(5)))
struct PluginMachineTests {
    private let start = MonotonicInstant.now

    /// Returns a process that has started, with limits of 20, 10 and 3 seconds.
    private func life() -> PluginMachine {
        var life = PluginMachine()
        life.starts(at: start)
        return life
    }

    /// Checks the process every half second, as the host does.
    /// - Returns: When the process must be killed, and why.
    private func look(
        _ life: inout PluginMachine, from first: Double, to last: Double
    ) -> (second: Double, reason: String)? {
        for second in stride(from: first, through: last, by: 0.5) {
            if let reason = life.look(at: start + .seconds(second)) { return (second, reason) }
        }
        return nil
    }

    @Test("A process that does not attach in time is killed once, and its end is reported as the problem")
    func neverAttaches() throws {
        var life = life()
        #expect(look(&life, from: 0, to: 19.5) == nil)
        let found = try #require(look(&life, from: 20, to: 40))
        #expect(found.second == 20)
        #expect(found.reason.contains("did not attach within 20"))
        #expect(life.state == .hung)
        #expect(look(&life, from: 20.5, to: 100) == nil)
        #expect(life.verdict == found.reason)
        _ = life.ended("killed", at: start + .seconds(100))
        #expect(life.state == .waiting)
        #expect(life.problem == "killed")
        // The next process gets a verdict of its own.
        life.starts(at: start)
        #expect(try #require(look(&life, from: 0, to: 40)).reason == found.reason)
    }

    @Test("A process that lost its link but is alive counts as hung, and is killed if it does not reconnect")
    func hangs() throws {
        var life = life()
        life.attached()
        #expect(look(&life, from: 0, to: 100) == nil)
        life.detached("silent for 2.5 seconds", saidGoodbye: false, at: start + .seconds(100))
        #expect(life.state == .hung)
        #expect(life.problem == "silent for 2.5 seconds")
        let found = try #require(look(&life, from: 100, to: 120))
        #expect(found.second == 110)
        #expect(found.reason.contains("hangs"))
        #expect(found.reason.contains("silent for 2.5 seconds"))
    }

    @Test("A process is expected to attach unless it is attached, failed to start or was stopped")
    func isExpected() {
        var life = life()
        #expect(life.isExpected)
        life.attached()
        #expect(!life.isExpected)
        life.detached("silent", saidGoodbye: false, at: start)
        #expect(life.isExpected)
        _ = life.ended("killed", at: start)
        #expect(life.isExpected)
        life.starts(at: start)
        life.askedToEnd(at: start)
        #expect(life.isExpected)
        life.fails("no pipe")
        #expect(!life.isExpected)
        life.stop()
        #expect(!life.isExpected)
    }

    @Test("A process that reconnects in time is not killed")
    func comesBack() {
        var life = life()
        life.attached()
        life.detached("silent", saidGoodbye: false, at: start)
        #expect(look(&life, from: 0, to: 9.5) == nil)
        life.attached()
        #expect(life.state == .attached)
        #expect(life.problem == nil)
        #expect(look(&life, from: 10, to: 100) == nil)
    }

    @Test("A host that was suspended itself does not count that time against its processes")
    func hostStoodStill() throws {
        var life = life()
        life.attached()
        life.detached("silent", saidGoodbye: false, at: start)
        #expect(look(&life, from: 0, to: 9.5) == nil)
        // The host resumes a minute later and has not yet read what the process sent meanwhile.
        #expect(look(&life, from: 70, to: 79.5) == nil)
        #expect(try #require(look(&life, from: 80, to: 90)).second == 80)
    }

    @Test("A busy host extends a limit by a minute at most, and again for the next process", arguments: [false, true])
    func busyHost(isHung: Bool) throws {
        var life = life()
        let limit: Double = isHung ? 10 : 20
        if isHung {
            life.attached()
            life.detached("silent", saidGoodbye: false, at: start)
        }
        var first = 0.0
        for _ in 1...2 {
            for second in stride(from: first, to: first + 100, by: 0.5) {
                life.hostIsBusy(at: start + .seconds(second))
                let reason = life.look(at: start + .seconds(second))
                #expect((reason != nil) == (second == first + 59.5 + limit))
            }
            _ = life.ended("killed", at: start + .seconds(first + 100))
            first += 100
            life.starts(at: start + .seconds(first))
            if isHung {
                life.attached()
                life.detached("silent", saidGoodbye: false, at: start + .seconds(first))
            }
        }
    }

    @Test("A process whose hello is refused temporarily does not count as hung")
    func refused() {
        var life = life()
        for second in stride(from: 15.0, to: 150, by: 15) {
            #expect(look(&life, from: second - 15, to: second) == nil)
            life.refused("the host is full", at: start + .seconds(second))
        }
        #expect(life.state == .starting)
        #expect(life.problem == "the host is full")
    }

    @Test("A process that does not exit after a stop request or its goodbye is killed")
    func doesNotEnd() throws {
        var asked = life()
        asked.attached()
        asked.askedToEnd(at: start)
        #expect(asked.state == .ending)
        #expect(try #require(look(&asked, from: 0, to: 10)).second == 3)
        var gone = life()
        gone.attached()
        gone.detached("it said goodbye", saidGoodbye: true, at: start)
        #expect(gone.state == .ending)
        #expect(try #require(look(&gone, from: 0, to: 20)).second == 10)
    }

    @Test("Without limits no process is killed")
    func noLimits() {
        var life = PluginMachine(limits: .init(start: nil, hang: nil))
        life.starts(at: start)
        #expect(look(&life, from: 0, to: 1000) == nil)
        life.attached()
        life.detached("silent", saidGoodbye: false, at: start)
        #expect(look(&life, from: 0, to: 1000) == nil)
    }

    @Test("The delays double, and start over for a process that was attached and ran well")
    func backoff() {
        var life = PluginMachine()
        var waits: [Duration] = []
        for _ in 0..<8 {
            life.starts(at: start)
            waits.append(life.ended("ended", at: start + .seconds(60)))
        }
        let expected = [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000].map { Duration.milliseconds($0) }
        #expect(waits == expected)
        #expect(life.restarts == 8)
        life.starts(at: start)
        life.attached()
        #expect(life.ended("ended", at: start + .seconds(60)) == .milliseconds(200))
    }

    @Test("A process that crashes soon after it attached, again and again, waits for a second at least")
    func crashes() {
        var life = life()
        life.attached()
        var waits = [life.ended("crashed", at: start + .seconds(3600))]
        for _ in 0..<5 {
            life.starts(at: start)
            life.attached()
            waits.append(life.ended("crashed", at: start + .seconds(1)))
        }
        #expect(waits == [200, 1000, 1000, 1600, 3200, 6400].map { Duration.milliseconds($0) })
    }

    @Test("The limits are decoded from the manifest; 0 means no limit, and omitted limits have defaults")
    func manifest() throws {
        func limits(_ keys: String) throws -> PluginMachine.Limits {
            let folder = try TemporaryFolder()
            try folder.write(
                #"{"id": "a", "version": "1", "protocol": {"min": 1, "max": 1}, "executable": "a"\#(keys)}"#,
                to: "plugin.json")
            return try PluginManifest(folder: folder.path).limits
        }
        #expect(try limits("") == .init(start: .seconds(20), hang: .seconds(10)))
        #expect(
            try limits(#", "startSeconds": 60, "hangSeconds": 0"#) == .init(start: .seconds(60), hang: nil))
        #expect(throws: ManifestError.self) { try limits(#", "hangSeconds": -1"#) }
    }

    @Test(
        "A process's exit is described in words, with its last line of output",
        arguments: [
            (ProcessEnd.exited(4), "refused: no", "ended with code 4 (refused): refused: no"),
            (.exited(0), nil, "ended with code 0"), (.exited(77), "x", "ended with code 77: x"),
            (.signaled(11), "bad", "crashed (SIGSEGV): bad"), (.signaled(9), nil, "was killed (SIGKILL)"),
            (.killed("it hangs"), "x", "killed: it hangs: x"), (.signaled(64), nil, "was ended by signal 64"),
            (.notStarted("no such file"), nil, "no such file"),
        ] as [(ProcessEnd, String?, String)])
    func words(end: ProcessEnd, lastLine: String?, words: String) {
        #expect(end.words(lastLine: lastLine) == words)
    }
}
