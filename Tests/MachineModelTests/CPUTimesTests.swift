import Testing

@testable import MachineModel

@Suite(.timeLimit(.minutes(5)))
struct CPUTimesTests {
    private func times(_ text: String) throws -> CPUTimes {
        let fields = ProcText.fields(of: ArraySlice(text.utf8))
        return try #require(CPUTimes(fields: fields))
    }

    @Test(
        arguments: [
            // user nice system idle iowait irq softirq steal guest guestnice
            ("0 0 0 0", "10 0 10 80", 0.2),
            ("0 0 0 0", "100 0 0 0", 1),
            ("0 0 0 0", "0 0 0 100", 0),
            ("0 0 0 0 0", "10 0 0 40 50", 0.1),
            ("0 0 0 0 0 0 0 0", "5 5 5 60 0 5 10 10", 0.4),
            ("0 0 0 0 0 0 0 0 0 0", "50 0 0 50 0 0 0 0 50 50", 0.5),
            ("100 0 0 100", "150 0 0 250", 0.25),
            // iowait decreases while the others increase.
            ("100 0 0 100 10", "150 0 0 150 8", 0.5),
            ("100 0 0 100", "100 0 0 100", nil),
            // All counters have been reset.
            ("100 0 0 100", "10 0 0 10", nil), ("100 0 0 100", "10 0 50 10", nil),
            ("18446744073709551615 18446744073709551615 0 0", "18446744073709551615 18446744073709551615 0 100", 0),
            ("0 0 0 0", "18446744073709551615 0 0 18446744073709551615", 0.5),
        ] as [(String, String, Double?)])
    func `The busy fraction excludes idle and waiting time`(before: String, now: String, fraction: Double?) throws {
        let result = try times(now).busyFraction(since: times(before))
        guard let fraction else {
            #expect(result == nil)
            return
        }
        #expect(try abs(#require(result) - fraction) < 1e-9)
    }
}
