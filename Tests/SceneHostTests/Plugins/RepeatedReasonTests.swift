import Testing

@testable import SceneHost

@Suite(.timeLimit(.minutes(5)))
struct RepeatedReasonTests {
    @Test("The same reason is said at first, and then with its count at each power of ten")
    func powers() {
        var reason = RepeatedReason()
        let said = (1...1000).compactMap { _ in reason.add("ended with code 1 (failed)", of: .exited(1)) }
        #expect(said == [1, 10, 100, 1000])
    }

    @Test("Another reason is said at once, and one with another time or process ID is not another")
    func changes() {
        var reason = RepeatedReason()
        #expect(reason.add("ended with code 1: at 10:00:01 error mail: process 17 has it", of: .exited(1)) == 1)
        #expect(reason.add("ended with code 1: at 10:00:09 error mail: process 203 has it", of: .exited(1)) == nil)
        #expect(reason.add("no such file", of: .notStarted("no such file")) == 1)
        #expect(reason.add("ended with code 1: at 10:00:11 error mail: process 17 has it", of: .exited(1)) == 1)
        #expect(reason.add("ended with code 7", of: .exited(7)) == 1)
        #expect(reason.add("ended with code 9", of: .exited(9)) == 1)
    }

    @Test("After a process that ran well, the same reason is said again")
    func again() {
        var reason = RepeatedReason()
        #expect(reason.add("was killed (SIGKILL)", of: .signaled(9)) == 1)
        #expect(reason.add("was killed (SIGKILL)", of: .signaled(9)) == nil)
        reason.forget()
        #expect(reason.add("was killed (SIGKILL)", of: .signaled(9)) == 1)
    }
}
